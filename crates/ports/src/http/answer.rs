//! Reads responses of a server: whole bodies, and event streams.

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::BodyExt;
use linkspan_session::{Credit, Fault};
use linkspan_wire::{SseItem, SseReader, WireError};
use tokio::time::{Duration, timeout};

use super::endpoint::Endpoint;
use super::sending::{Response, chain};

/// How much of a refusal is read, and how much of it is shown.
const REFUSAL: usize = 64 * 1024;
const SHOWN: usize = 200;

/// What kind of body a response has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Media {
    Json,
    Events,
    Other,
}

pub(super) fn media(response: &Response) -> Media {
    let value = response.headers().get(CONTENT_TYPE);
    let text = value.and_then(|v| v.to_str().ok()).unwrap_or_default();
    let essence = text.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("text/event-stream") {
        Media::Events
    } else if essence.eq_ignore_ascii_case("application/json") {
        Media::Json
    } else {
        Media::Other
    }
}

/// Reads a whole body.
pub(super) async fn whole(
    endpoint: &Endpoint,
    mut response: Response,
) -> Result<(Bytes, Credit), Fault> {
    let limit = endpoint.limits().max_bytes();
    let announced = response.headers().get(CONTENT_LENGTH);
    let announced: usize = announced
        .and_then(|v| v.to_str().ok()?.parse().ok())
        .unwrap_or(0);
    if announced > limit {
        return Err(too_large(endpoint));
    }
    let mut credit = endpoint.budget.take(announced).await;
    let mut body = BytesMut::new();
    loop {
        let chunk = chunk(&mut response).await;
        let Some(chunk) = chunk.map_err(|e| lost(endpoint, &e))? else {
            return Ok((body.freeze(), credit));
        };
        if body.is_empty() && chunk.len() == announced {
            // A typical small answer is not copied.
            return Ok((chunk, credit));
        }
        if body.is_empty() {
            body.reserve(announced.max(chunk.len()));
        }
        if body.len() + chunk.len() > limit {
            return Err(too_large(endpoint));
        }
        body.extend_from_slice(&chunk);
        endpoint.budget.grow(&mut credit, body.len()).await;
    }
}

/// The beginning of a refusal's body, which may be a JSON-RPC error or text.
pub(super) async fn refusal(mut response: Response) -> Bytes {
    let mut body = BytesMut::new();
    let read = async {
        while let Ok(Some(chunk)) = chunk(&mut response).await {
            let room = REFUSAL - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if body.len() == REFUSAL {
                break;
            }
        }
    };
    let _ = timeout(Duration::from_secs(10), read).await;
    body.freeze()
}

/// A refusal as a fault, where there is no request to answer.
pub(super) async fn status_fault(endpoint: &Endpoint, response: Response) -> Fault {
    let status = response.status().as_u16();
    let body = refusal(response).await;
    Fault::HttpStatus {
        peer: endpoint.peer.to_string(),
        status,
        said: in_words(endpoint, &body),
        request: endpoint.options.refused(),
    }
}

/// A refusal as a short text; empty if the body is an HTML page. A server may repeat our credentials in it; they are
/// removed.
pub(super) fn in_words(endpoint: &Endpoint, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    if text.starts_with('<') {
        return String::new();
    }
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let clean = endpoint.options.redact(&clean);
    clean.chars().take(SHOWN).collect()
}

/// A stream of events.
pub(super) struct Events {
    response: Response,
    reader: SseReader,
    credit: Credit,
    /// The last `id:` seen, which a resumption names.
    pub(super) last_id: Option<String>,
    /// The last `retry:` seen.
    pub(super) retry: Option<Duration>,
    /// Whether an event has arrived on this connection.
    pub(super) seen_any: bool,
    /// Whether an event with data has arrived.
    pub(super) seen_data: bool,
}

impl Events {
    pub(super) fn new(endpoint: &Endpoint, response: Response) -> Self {
        Self {
            response,
            reader: SseReader::new(endpoint.limits()),
            credit: Credit::default(),
            last_id: None,
            retry: None,
            seen_any: false,
            seen_data: false,
        }
    }

    /// The next event with data, its `event:` name and the credit for it. `Ok(None)` is a clean end.
    pub(super) async fn next(&mut self, endpoint: &Endpoint) -> Result<Option<Data>, Broken> {
        loop {
            if let Some(item) = self.reader.next() {
                match self.take(item) {
                    Some(data) => return data.map(Some),
                    None => continue,
                }
            }
            let chunk = chunk(&mut self.response).await;
            match chunk.map_err(|e| Broken::Lost(lost(endpoint, &e)))? {
                Some(chunk) => self.reader.push(&chunk),
                None => return Ok(None),
            }
            let pending = self.reader.pending();
            endpoint.budget.grow(&mut self.credit, pending).await;
        }
    }

    /// The same for a stream with one answer: a message that is too large counts as that answer.
    pub(super) async fn next_or_fault(
        &mut self,
        endpoint: &Endpoint,
    ) -> Result<Option<Data>, Fault> {
        self.next(endpoint).await.map_err(|broken| match broken {
            Broken::TooLarge(_) => too_large(endpoint),
            Broken::Lost(why) => why,
        })
    }

    fn take(&mut self, item: SseItem) -> Option<Result<Data, Broken>> {
        self.seen_any = true;
        let credit = std::mem::take(&mut self.credit);
        let event = match item {
            SseItem::Event(event) => event,
            SseItem::TooLarge { id, why } => {
                self.note_id(id);
                return Some(Err(Broken::TooLarge(why)));
            }
        };
        self.note_id(event.id);
        if let Some(millis) = event.retry {
            self.retry = Some(Duration::from_millis(millis));
        }
        let data = event.data.filter(|data| !data.is_empty())?;
        self.seen_data = true;
        let name = event.name.unwrap_or_default();
        Some(Ok(Data {
            name: String::from_utf8_lossy(&name).into_owned(),
            text: data,
            credit,
        }))
    }

    fn note_id(&mut self, id: Option<Bytes>) {
        if let Some(id) = id {
            // An empty id resets the previous one.
            let id = String::from_utf8_lossy(&id).into_owned();
            self.last_id = Some(id).filter(|id| !id.is_empty());
        }
    }
}

/// Why there is no event.
pub(super) enum Broken {
    /// The event is too large. The stream goes on.
    TooLarge(WireError),
    /// The connection broke.
    Lost(Fault),
}

/// The data of an event.
pub(super) struct Data {
    pub(super) name: String,
    pub(super) text: Bytes,
    pub(super) credit: Credit,
}

impl Data {
    /// Whether it carries a message; other names are extensions.
    pub(super) fn is_message(&self) -> bool {
        self.name.is_empty() || self.name == "message"
    }
}

fn too_large(endpoint: &Endpoint) -> Fault {
    Fault::TooLarge {
        peer: endpoint.peer.to_string(),
        limit: endpoint.limits().max_bytes(),
    }
}

/// The next piece of a body; trailers are skipped.
async fn chunk(response: &mut Response) -> Result<Option<Bytes>, hyper::Error> {
    while let Some(frame) = response.body_mut().frame().await {
        if let Ok(data) = frame?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

fn lost(endpoint: &Endpoint, error: &hyper::Error) -> Fault {
    Fault::AnswerLost {
        peer: endpoint.peer.to_string(),
        why: chain(error),
    }
}

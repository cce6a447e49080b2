//! Reading a request: what kind of body, and the body itself within its bounds.

use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use linkspan_mcp::Given;
use linkspan_session::{Budget, Credit};
use linkspan_wire::{Frame, Limits};
use tokio::time::{Duration, Instant, timeout, timeout_at};

use super::body::holding;
use super::refusal::Refusal;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
/// A client has to send at least this many bytes within the body's timeout, unless less is left.
const STRIDE: usize = 64 * 1024;
/// Or this fraction of the whole body, so that a nearly complete body cannot take hours.
const PART: usize = 64;
/// The initial reservation, whatever length is announced.
const RESERVED: usize = 1 << 20;
/// How long the rest of a refused body is read.
const LINGER: Duration = Duration::from_secs(5);

/// The limits for reading a body.
pub(super) struct Intake<'a> {
    pub(super) limits: Limits,
    pub(super) timeout: Duration,
    /// How long a body may wait for free bytes in the budget.
    pub(super) room_timeout: Duration,
    /// The budget of this session, or of this principal without one.
    pub(super) own: &'a Budget,
}

impl Intake<'_> {
    /// Reads a whole body. The credit belongs to the message; for a batch it is attached to the text, which all its
    /// messages share.
    pub(super) async fn read(&self, body: Incoming) -> Result<(Bytes, Credit), Refusal> {
        let (text, credit) = self.read_whole(body).await?;
        Ok(if Frame::is_array(&text) {
            (holding(text, credit), Credit::default())
        } else {
            (text, credit)
        })
    }

    async fn read_whole(&self, mut body: Incoming) -> Result<(Bytes, Credit), Refusal> {
        let limit = self.limits.max_bytes();
        let announced = body.size_hint().exact().unwrap_or(0);
        if announced > limit as u64 {
            tokio::spawn(drain(body));
            return Err(too_large(limit));
        }
        let announced = announced as usize;
        let mut deadline = Instant::now() + self.timeout;
        // Credit is taken for received bytes, not for the announced length: a client that sends one byte of a large
        // message would block all other messages.
        let mut credit = Credit::default();
        let mut whole = BytesMut::new();
        let mut stride = 0;
        loop {
            let next = timeout_at(deadline, body.frame()).await;
            let Some(frame) = next.map_err(|_| slow())? else {
                return Ok((whole.freeze(), credit));
            };
            let Ok(chunk) = frame.map_err(|_| torn())?.into_data() else {
                continue;
            };
            if whole.is_empty() && chunk.len() == announced {
                // A typical small request is not copied.
                self.grow(&mut credit, announced).await?;
                return Ok((chunk, credit));
            }
            if whole.len() + chunk.len() > limit {
                tokio::spawn(drain(body));
                return Err(too_large(limit));
            }
            if whole.capacity() - whole.len() < chunk.len() {
                let left = announced.saturating_sub(whole.len());
                whole.reserve(left.min(whole.len().max(RESERVED)).max(chunk.len()));
            }
            whole.extend_from_slice(&chunk);
            stride += chunk.len();
            if stride >= STRIDE.max(announced.max(whole.len()) / PART) {
                stride = 0;
                deadline = Instant::now() + self.timeout;
            }
            let asked = Instant::now();
            if let Err(busy) = self.grow(&mut credit, whole.len()).await {
                tokio::spawn(drain(body));
                return Err(busy);
            }
            // The client could not send during this wait.
            deadline += asked.elapsed();
        }
    }

    async fn grow(&self, credit: &mut Credit, bytes: usize) -> Result<(), Refusal> {
        let grown = timeout(self.room_timeout, self.own.grow(credit, bytes)).await;
        grown.map_err(|_| Refusal::busy("too many bytes are queued for servers that do not read"))
    }
}

/// Reads on for a moment: a client that is still sending may not see the answer otherwise.
pub(super) async fn drain(mut body: Incoming) {
    let rest = async { while let Some(Ok(_)) = body.frame().await {} };
    let _ = timeout(LINGER, rest).await;
}

/// Requires a JSON body.
pub(super) fn check_content_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let value = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok());
    let essence = value.and_then(|v| v.split(';').next()).unwrap_or_default();
    if essence.trim().eq_ignore_ascii_case(JSON) {
        return Ok(());
    }
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    let why = "the body must be JSON".to_owned();
    let hint = "send `Content-Type: application/json`";
    Err(Refusal::new(status, "content_type", why, hint))
}

/// Requires that the client accepts both JSON and event streams.
pub(super) fn check_accept_any(headers: &HeaderMap) -> Result<(), Refusal> {
    if accepts(headers, JSON) && accepts(headers, EVENTS) {
        return Ok(());
    }
    let hint = "send `Accept: application/json, text/event-stream`";
    Err(not_acceptable(hint))
}

/// Requires that the client accepts event streams.
pub(super) fn check_accept_events(headers: &HeaderMap) -> Result<(), Refusal> {
    if accepts(headers, EVENTS) {
        return Ok(());
    }
    Err(not_acceptable("send `Accept: text/event-stream`"))
}

fn accepts(headers: &HeaderMap, media: &str) -> bool {
    let mut none = true;
    let family = media.split_once('/').map_or(media, |(family, _)| family);
    for value in headers.get_all(ACCEPT) {
        none = false;
        for range in value.to_str().unwrap_or_default().split(',') {
            let range = range.split(';').next().unwrap_or_default().trim();
            let any = range.strip_suffix("/*");
            if range.eq_ignore_ascii_case(media)
                || range == "*/*"
                || any.is_some_and(|any| any.eq_ignore_ascii_case(family))
            {
                return true;
            }
        }
    }
    none
}

/// The value of a header.
pub(super) fn given<'h>(headers: &'h HeaderMap, name: &str) -> Given<'h> {
    let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
        return Given::Nothing;
    };
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Given::Nothing,
        (Some(value), None) => value
            .to_str()
            .map_or(Given::Unclear, |text| Given::Text(text.trim())),
        _ => Given::Unclear,
    }
}

fn not_acceptable(hint: &str) -> Refusal {
    let why = "the Accept header excludes the type of the response".to_owned();
    Refusal::new(StatusCode::NOT_ACCEPTABLE, "accept", why, hint)
}

fn too_large(limit: usize) -> Refusal {
    let why = linkspan_wire::WireError::TooLarge {
        limit,
        id: None,
        is_answer: false,
    };
    Refusal::bad(&why)
}

fn slow() -> Refusal {
    let why = "the body did not arrive in time".to_owned();
    let status = StatusCode::REQUEST_TIMEOUT;
    Refusal::new(status, "slow", why, "send it again, faster")
}

fn torn() -> Refusal {
    let why = "the body ends too early".to_owned();
    let hint = "check Content-Length and the chunks";
    Refusal::new(StatusCode::BAD_REQUEST, "torn", why, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        list.iter()
            .map(|(n, v)| (HeaderName::from_static(n), v.parse().unwrap()))
            .collect()
    }

    #[test]
    fn both_kinds_of_answers_have_to_be_accepted() {
        let both = |accept| check_accept_any(&headers(&[("accept", accept)])).is_ok();
        for good in [
            "application/json, text/event-stream",
            "text/event-stream;q=0.5,APPLICATION/JSON",
            "*/*",
            "application/*, text/*",
        ] {
            assert!(both(good), "{good}");
        }
        for bad in ["application/json", "text/event-stream", "text/html", ""] {
            assert!(!both(bad), "{bad}");
        }
        assert!(check_accept_any(&HeaderMap::new()).is_ok());
    }

    #[test]
    fn a_body_is_json() {
        let json = |media| check_content_type(&headers(&[("content-type", media)])).is_ok();
        assert!(json("application/json"));
        assert!(json("Application/JSON; charset=utf-8"));
        assert!(!json("text/plain"));
        assert!(!json("application/json-patch"));
        assert!(check_content_type(&HeaderMap::new()).is_err());
    }

    #[test]
    fn a_repeated_header_is_ambiguous() {
        let mut map = headers(&[("mcp-name", " a ")]);
        assert_eq!(given(&map, "mcp-name"), Given::Text("a"));
        assert_eq!(given(&map, "mcp-method"), Given::Nothing);
        map.append("mcp-name", "a".parse().unwrap());
        assert_eq!(given(&map, "mcp-name"), Given::Unclear);
    }
}

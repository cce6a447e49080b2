//! Bodies of responses: one message, or a stream of events.

use std::any::Any;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http_body::{Frame, SizeHint};
use linkspan_session::{Credit, Outbound};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::allowance::AllowanceGuard;
use super::answer::Answer;
use super::connections::Serving;
use super::principal::Principal;
use super::reader::Reader;
use super::sse_writer::SseWriter;

pub(super) type Response = http::Response<Body>;

/// A slot among the requests in flight, and one in the client's share of them. The call and its response share it, so
/// it is released when both are done.
pub(super) type RequestSlot = Arc<(OwnedSemaphorePermit, AllowanceGuard)>;

/// A response body.
pub(super) enum Body {
    Whole(Whole),
    Events(Box<Events>),
}

/// A complete body, in up to three pieces.
#[derive(Default)]
pub(super) struct Whole {
    pieces: [Bytes; 3],
    at: usize,
}

/// Text, and a value that is dropped when the text has been written.
///
/// The body cannot hold this value: it is dropped as soon as its last piece has been taken, and the pieces may wait for
/// a slow client long after that.
struct Held<T> {
    text: Bytes,
    _until_written: T,
}

impl<T> AsRef<[u8]> for Held<T> {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}

/// Text that holds `what` until its last reference is dropped.
pub(super) fn holding<T: Send + 'static>(text: Bytes, what: T) -> Bytes {
    Bytes::from_owner(Held {
        text,
        _until_written: what,
    })
}

/// A stream of events.
pub(super) struct Events {
    source: Source,
    writer: SseWriter,
    ended: bool,
    every: Duration,
    beat: Pin<Box<Sleep>>,
    authority: Option<Authority>,
    _slot: Option<RequestSlot>,
    kept: Option<Box<dyn Any + Send>>,
}

/// The source of an event stream.
pub(super) enum Source {
    /// A stream of a legacy session.
    Session(Reader),
    /// The answer to a modern request.
    Answer(Box<Answer>),
}

impl Events {
    pub(super) fn new(
        source: Source,
        writer: SseWriter,
        every: Duration,
        slot: Option<RequestSlot>,
    ) -> Self {
        Self {
            source,
            writer,
            ended: false,
            every,
            beat: Box::pin(sleep(every)),
            authority: None,
            _slot: slot,
            kept: None,
        }
    }

    /// The same for a stream without an end of its own: it ends when the credentials of the client expire.
    pub(super) fn while_valid(mut self, principal: &Principal) -> Self {
        self.authority = Authority::of(principal);
        self
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if let Some(frame) = self.writer.next() {
                return Poll::Ready(Some(frame));
            }
            if self.ended {
                return Poll::Ready(None);
            }
            if let Some(authority) = &mut self.authority
                && authority.poll_over(cx, &self.source).is_ready()
            {
                self.ended = true;
                continue;
            }
            let read = match &mut self.source {
                Source::Session(reader) => reader.poll(cx, &mut self.writer),
                Source::Answer(answer) => answer.poll(cx, &mut self.writer),
            };
            if let Poll::Ready(more) = read {
                self.ended = !more;
                continue;
            }
            ready!(self.beat.as_mut().poll(cx));
            self.beat.as_mut().reset(Instant::now() + self.every);
            self.writer.comment();
        }
    }
}

/// What entitles a client to a stream.
struct Authority {
    principal: Principal,
    /// When the credentials are looked at: the latest request of a session may have shown others.
    look: Pin<Box<Sleep>>,
}

/// How often a stream is looked at that has to answer calls before it ends.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

impl Authority {
    /// `None` for credentials that do not expire.
    fn of(principal: &Principal) -> Option<Self> {
        let until = principal.expires()?;
        Some(Self {
            principal: principal.clone(),
            look: Box::pin(sleep_until(until.into())),
        })
    }

    /// Ready when the credentials have expired and no call waits for its answer on this stream.
    fn poll_over(&mut self, cx: &mut Context<'_>, source: &Source) -> Poll<()> {
        loop {
            ready!(self.look.as_mut().poll(cx));
            let Some(until) = self.principal.expires() else {
                return Poll::Pending;
            };
            let owes = matches!(source, Source::Session(reader) if reader.owes());
            let next = match Instant::from(until) {
                until if until > Instant::now() => until,
                _ if owes => Instant::now() + LAST_ANSWERS,
                _ => return Poll::Ready(()),
            };
            self.look.as_mut().reset(next);
        }
    }
}

impl Body {
    /// Counts the request as served until this body has been written.
    pub(super) fn during(self, serving: Serving) -> Self {
        self.keeping(serving)
    }

    /// Drops a value when this body has been written.
    pub(super) fn keeping(self, what: impl Send + 'static) -> Self {
        match self {
            Self::Whole(mut whole) => {
                // The pieces are written in this order.
                if let Some(last) = whole.pieces.iter_mut().rfind(|piece| !piece.is_empty()) {
                    *last = holding(std::mem::take(last), what);
                }
                Self::Whole(whole)
            }
            Self::Events(mut events) => {
                let before = events.kept.take();
                events.kept = Some(Box::new((before, what)));
                Self::Events(events)
            }
        }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = match self.get_mut() {
            Self::Whole(whole) => whole.next(),
            Self::Events(events) => ready!(events.poll_next(cx)),
        };
        Poll::Ready(frame.map(|frame| Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(whole) => whole.len() == 0,
            Self::Events(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => SizeHint::with_exact(whole.len()),
            Self::Events(_) => SizeHint::default(),
        }
    }
}

impl Whole {
    fn next(&mut self) -> Option<Bytes> {
        while self.at < self.pieces.len() {
            let piece = std::mem::take(&mut self.pieces[self.at]);
            self.at += 1;
            if !piece.is_empty() {
                return Some(piece);
            }
        }
        None
    }

    fn len(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }
}

/// A response without a body.
pub(super) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::Whole(Whole::default()));
    *response.status_mut() = status;
    response
}

/// Plain text of our own.
pub(super) fn text(status: StatusCode, text: &'static str) -> Response {
    let mut response = json(
        status,
        [
            Bytes::from_static(text.as_bytes()),
            Bytes::new(),
            Bytes::new(),
        ],
    );
    let media = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, media);
    response
}

/// JSON text of our own.
pub(super) fn json(status: StatusCode, pieces: [Bytes; 3]) -> Response {
    whole(status, Whole { pieces, at: 0 })
}

/// A message as JSON.
pub(super) fn message(status: StatusCode, item: Outbound, slot: Option<RequestSlot>) -> Response {
    let (mut pieces, credit) = match item {
        Outbound::One(envelope) => (envelope.msg.pieces(), envelope.credit),
        Outbound::Array(text) => ([text, Bytes::new(), Bytes::new()], Credit::default()),
    };
    // The pieces are written in this order.
    if let Some(last) = pieces.iter_mut().rfind(|piece| !piece.is_empty()) {
        *last = holding(std::mem::take(last), (credit, slot));
    }
    json(status, pieces)
}

fn whole(status: StatusCode, whole: Whole) -> Response {
    let mut response = Response::new(Body::Whole(whole));
    *response.status_mut() = status;
    let media = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, media);
    response
}

/// A stream of events.
pub(super) fn events(events: Events) -> Response {
    let mut response = Response::new(Body::Events(Box::new(events)));
    let headers = response.headers_mut();
    let fixed = HeaderValue::from_static;
    headers.insert(CONTENT_TYPE, fixed("text/event-stream"));
    headers.insert(CACHE_CONTROL, fixed("no-cache, no-transform"));
    // Without this header nginx buffers events.
    headers.insert("x-accel-buffering", fixed("no"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_session::Budget;
    use linkspan_wire::Limits;

    #[tokio::test]
    async fn the_credit_of_a_batch_stays_with_the_last_of_its_messages() {
        let budget = Budget::new(1 << 20);
        let one = r#"{"jsonrpc":"2.0","method":"m"}"#;
        let credit = budget.take(1 << 20).await;
        let text = holding(Bytes::from(format!("[{one},{one}]")), credit);
        let linkspan_wire::Frame::Batch(entries) =
            linkspan_wire::Frame::parse(text, &Limits::default())
        else {
            panic!("a batch");
        };
        let mut entries = entries.into_iter();
        drop(entries.next());
        assert!(!budget.is_whole());
        drop(entries.next());
        assert!(budget.is_whole());
    }
}

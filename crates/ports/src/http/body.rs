//! A request body that reports when it has been taken.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// Set when the body has been handed to the connection.
///
/// Before that, a request is cancelled by not sending it; after that, the server has to be notified.
pub(super) type Sent = Arc<AtomicBool>;

pub(super) struct Telling {
    text: Option<Bytes>,
    sent: Option<Sent>,
}

impl Telling {
    pub(super) fn new(text: Bytes, sent: Option<Sent>) -> Self {
        Self {
            text: Some(text),
            sent,
        }
    }

    /// The text, which is not sent then.
    pub(super) fn into_text(self) -> Bytes {
        self.text.unwrap_or_default()
    }

    /// The empty body of a GET.
    pub(super) fn empty() -> Self {
        Self {
            text: None,
            sent: None,
        }
    }
}

impl Body for Telling {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(sent) = self.sent.take() {
            sent.store(true, Ordering::Relaxed);
        }
        Poll::Ready(self.text.take().map(|text| Ok(Frame::data(text))))
    }

    fn is_end_stream(&self) -> bool {
        self.text.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.text.as_ref().map_or(0, |text| text.len() as u64))
    }
}

//! A stream whose bytes are taken from a budget before its reader has made a message of them: a client that sends parts
//! of large messages on many connections would fill the memory otherwise.

use std::io;
use std::mem::take;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use linkspan_session::{Budget, Credit};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::error::Elapsed;
use tokio::time::timeout;

/// Credit is taken in steps of this size, and for the rest when the message is whole.
const STEP: usize = 64 * 1024;

/// Counts the bytes of the message that is being read.
#[derive(Clone)]
pub(super) struct Meter {
    state: Arc<Mutex<State>>,
    budget: Budget,
    /// How long a message may wait for free bytes in the budget.
    room_timeout: Duration,
}

#[derive(Default)]
struct State {
    bytes: usize,
    /// For how many bytes credit was asked.
    asked: usize,
    credit: Credit,
    growing: Option<Growing>,
}

type Growing = Pin<Box<dyn Future<Output = Result<Credit, Elapsed>> + Send>>;

impl Meter {
    pub(super) fn new(budget: Budget, room_timeout: Duration) -> Self {
        Self {
            state: Arc::default(),
            budget,
            room_timeout,
        }
    }

    /// How many bytes there are that belong to no whole message.
    pub(super) fn bytes(&self) -> usize {
        self.state.lock().bytes
    }

    /// These bytes belong to none.
    pub(super) fn discount(&self, bytes: usize) {
        let mut state = self.state.lock();
        state.bytes = state.bytes.saturating_sub(bytes);
    }

    /// The credit for a message of this length, which is whole now. `None` if the budget has no room for it.
    pub(super) async fn settle(&self, bytes: usize) -> Option<Credit> {
        let State {
            credit, growing, ..
        } = take(&mut *self.state.lock());
        let credit = match growing {
            Some(growing) => growing.await.ok()?,
            None => credit,
        };
        self.grown(credit, bytes).await.ok()
    }

    fn grown(&self, mut credit: Credit, bytes: usize) -> Growing {
        let budget = self.budget.clone();
        let wait = self.room_timeout;
        Box::pin(timeout(wait, async move {
            budget.grow(&mut credit, bytes).await;
            credit
        }))
    }

    /// Ready when there is credit for what was read.
    fn poll_grown(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.state.lock();
        if let Some(growing) = &mut state.growing {
            let grown = ready!(growing.as_mut().poll(cx));
            state.growing = None;
            state.credit = grown.map_err(|_| {
                io::Error::other("too many bytes are queued for servers that do not read")
            })?;
        }
        Poll::Ready(Ok(()))
    }

    fn count(&self, bytes: usize) {
        let mut state = self.state.lock();
        state.bytes += bytes;
        if state.bytes >= state.asked + STEP {
            state.asked = state.bytes;
            let credit = take(&mut state.credit);
            state.growing = Some(self.grown(credit, state.bytes));
        }
    }
}

/// The stream.
pub(super) struct Metered<S> {
    pub(super) stream: S,
    pub(super) meter: Meter,
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.meter.poll_grown(cx))?;
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        self.meter.count(buf.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, repeat};

    use super::*;

    const MB: usize = 1 << 20;

    fn metered(budget: &Budget) -> Metered<tokio::io::Repeat> {
        let meter = Meter::new(budget.clone(), Duration::from_secs(5));
        let stream = repeat(b'x');
        Metered { stream, meter }
    }

    #[tokio::test(start_paused = true)]
    async fn parts_of_messages_count_before_they_are_whole() {
        let budget = Budget::strict(MB);
        let mut other = budget.take(MB / 2).await;
        let mut stream = metered(&budget);
        let mut part = vec![0; MB / 4];
        stream.read_exact(&mut part).await.unwrap();
        // The other one takes all that is left, and the overdraft.
        budget.grow(&mut other, MB).await;
        let mut rest = vec![0; MB];
        let refused = stream.read_exact(&mut rest).await.unwrap_err();
        assert!(refused.to_string().contains("queued"), "{refused}");
        drop(other);
        let mut stream = metered(&budget);
        stream.read_exact(&mut part).await.unwrap();
        assert_eq!(stream.meter.bytes(), part.len());
        let credit = stream.meter.settle(part.len()).await;
        assert!(credit.is_some() && !budget.is_whole());
        assert_eq!(stream.meter.bytes(), 0);
        drop((credit, stream));
        assert!(budget.is_whole());
    }
}

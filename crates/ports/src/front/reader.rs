//! A connection that reads a stream of a session.

use linkspan_session::now;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::session::Session;
use super::session_streams::{First, ReaderId};
use super::sse_writer::SseWriter;

/// A reader of a stream; dropping it detaches it.
pub(super) struct Reader {
    session: Arc<Session>,
    reader_id: ReaderId,
    /// The session consists of this stream alone, and ends with it.
    takes_all: bool,
}

impl Reader {
    pub(super) fn new(session: Arc<Session>, reader_id: ReaderId) -> Self {
        Self {
            session,
            reader_id,
            takes_all: false,
        }
    }

    /// The only reader of a session, which ends with it.
    pub(super) fn only(session: Arc<Session>, reader_id: ReaderId) -> Self {
        Self {
            session,
            reader_id,
            takes_all: true,
        }
    }

    /// Waits for the first item of the stream.
    pub(super) async fn first(&self) -> First {
        poll_fn(|cx| self.session.streams().first(self.reader_id, cx.waker())).await
    }

    /// Writes what is queued; `false` at the end of the stream.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, writer: &mut SseWriter) -> Poll<bool> {
        let mut streams = self.session.streams();
        let was_full = streams.is_full();
        let taken = streams.take(self.reader_id, cx.waker(), writer);
        if was_full && !streams.is_full() {
            self.session.make_room();
        }
        self.session.give_up(streams.unheard());
        taken
    }

    /// Whether calls wait for answers that can come on this stream only.
    pub(super) fn owes(&self) -> bool {
        self.takes_all && self.session.streams().owes()
    }

    /// Writes the priming event, if this protocol version has one.
    pub(super) fn prime(&self, writer: &mut SseWriter) {
        self.session.streams().prime(self.reader_id, writer);
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut streams = self.session.streams();
        streams.leave(self.reader_id, now());
        self.session.give_up(streams.unheard());
        drop(streams);
        self.session.make_room();
        if self.takes_all {
            self.session.close();
        }
    }
}

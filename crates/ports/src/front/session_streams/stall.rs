//! Readers that stop reading must not block the rest of their session.
//!
//! Events that wait for an attached reader hold back the server, so that a slow reader misses nothing. A reader that
//! takes nothing for a while is detached: its events are kept within the usual limits, its stream ends, and the client
//! can resume it with the id of its last event.

use std::time::Duration;

use super::routes::STANDING;
use super::{Manner, SessionStreams};

/// How long the session waits for a reader of its standing stream.
pub(in crate::front) const STANDING_STALL: Duration = Duration::from_secs(2);
/// The same for the stream of a POST, where a large answer may be sent over a slow line.
pub(in crate::front) const POST_STALL: Duration = Duration::from_secs(20);

/// The readers that were behind at some time, and how often each had taken an event by then.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::front) struct Behind(Vec<(u32, u64)>);

impl SessionStreams {
    /// The readers that block the session. HTTP+SSE has a single stream, which cannot be resumed.
    pub(in crate::front) fn behind(&mut self) -> Behind {
        if self.manner == Manner::OneStream {
            return Behind::default();
        }
        let streams = self.log.iter_mut();
        let behind = streams.filter_map(|(number, stream)| Some((number, stream.behind()?)));
        Behind(behind.collect())
    }

    /// Detaches the readers that have taken nothing since `then`; `after` is the time that has passed.
    pub(in crate::front) fn shed(&mut self, then: &Behind, after: Duration) {
        for (number, takes) in &then.0 {
            let limit = match *number {
                STANDING => STANDING_STALL,
                _ => POST_STALL,
            };
            let Some(stream) = self.log.get(*number) else {
                continue;
            };
            if after < limit || stream.behind() != Some(*takes) {
                continue;
            }
            tracing::debug!("a stream ends because its reader takes nothing");
            stream.detach();
            if *number == STANDING {
                self.routes.listening = false;
            } else {
                self.routes.set_live(*number, false);
            }
        }
        self.log.trim();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;
    use std::time::Instant;

    use linkspan_session::{Envelope, Outbound};
    use linkspan_wire::{Id, Message};

    use crate::front::sse_writer::SseWriter;

    fn note() -> Outbound {
        let note = Message::notification("notifications/x", None);
        Outbound::One(Envelope::new(note))
    }

    fn full_desk() -> SessionStreams {
        let mut streams = SessionStreams::new(Manner::Streams, Instant::now());
        streams.listen();
        while !streams.is_full() {
            streams.say(note(), Instant::now());
        }
        streams
    }

    #[test]
    fn a_standing_stream_that_is_not_read_holds_up_its_session_for_a_moment_only() {
        let mut streams = full_desk();
        let behind = streams.behind();
        streams.shed(&behind, STANDING_STALL / 2);
        assert!(streams.is_full());
        streams.shed(&behind, STANDING_STALL);
        assert!(!streams.is_full());
    }

    #[test]
    fn a_reader_that_makes_progress_is_waited_for() {
        let mut streams = full_desk();
        let reader_id = streams.listen();
        let behind = streams.behind();
        let mut writer = SseWriter::default();
        while !writer.is_full() {
            streams.say(note(), Instant::now());
            let _ = streams.take(reader_id, Waker::noop(), &mut writer);
        }
        while !streams.is_full() {
            streams.say(note(), Instant::now());
        }
        assert!(behind != streams.behind());
        streams.shed(&behind, POST_STALL);
        assert!(streams.is_full());
    }

    #[test]
    fn a_detached_reader_can_resume_the_kept_events() {
        let mut streams = full_desk();
        let behind = streams.behind();
        streams.shed(&behind, STANDING_STALL);
        let reader_id = streams.listen();
        let mut writer = SseWriter::default();
        assert!(
            streams
                .take(reader_id, Waker::noop(), &mut writer)
                .is_ready()
        );
        assert!(writer.next().is_some());
    }

    #[test]
    fn the_stream_of_a_post_is_waited_for_longer() {
        let mut streams = SessionStreams::new(Manner::Streams, Instant::now());
        let call = Message::request(&Id::number(1), "m", None);
        streams.post(&[&call], false, None).unwrap();
        while !streams.is_full() {
            streams.say(note(), Instant::now());
        }
        let behind = streams.behind();
        streams.shed(&behind, STANDING_STALL);
        assert!(streams.is_full());
        streams.shed(&behind, POST_STALL);
        assert!(!streams.is_full());
    }
}

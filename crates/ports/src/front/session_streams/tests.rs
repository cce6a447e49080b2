//! Tests of a session's streams as a whole.

use std::task::{Poll, Waker};

use super::*;
use crate::front::sse_writer::{EventId, SseWriter};
use linkspan_wire::Message;

struct TestSession {
    streams: SessionStreams,
    now: Instant,
}

impl TestSession {
    /// A session that is initialized.
    fn new(version: &str) -> Self {
        let now = Instant::now();
        let mut streams = SessionStreams::new(Manner::Streams, now);
        let params = format!(r#"{{"protocolVersion":"{version}"}}"#);
        let opening = Message::request(&Id::number(0), "initialize", Some(&params));
        streams.begin(&opening);
        let mut session = Self { streams, now };
        let reader_id = session.post(0);
        session.say(Message::result(&Id::number(0), &params));
        assert!(matches!(
            session.first(reader_id),
            Poll::Ready(First::Answer(_))
        ));
        session
    }

    fn post(&mut self, id: u64) -> ReaderId {
        let request = Message::request(&Id::number(id), "tools/call", None);
        self.streams.post(&[&request], false, None).unwrap()
    }

    fn say(&mut self, msg: Message) {
        let item = Outbound::One(Envelope::new(msg));
        self.streams.say(item, self.now);
    }

    fn answer(&mut self, id: u64) {
        self.say(Message::result(&Id::number(id), "{}"));
    }

    fn note(&mut self) {
        self.say(Message::notification("m", None));
    }

    fn first(&mut self, reader_id: ReaderId) -> Poll<First> {
        self.streams.first(reader_id, Waker::noop())
    }

    /// The events that a connection gets, by their ids, and whether the stream goes on.
    fn take(&mut self, reader_id: ReaderId) -> (Vec<String>, bool) {
        let mut writer = SseWriter::default();
        let mut more = true;
        while let Poll::Ready(goes_on) = self.streams.take(reader_id, Waker::noop(), &mut writer) {
            more = goes_on;
            if !more {
                break;
            }
        }
        let text: Vec<u8> = std::iter::from_fn(|| writer.next()).flatten().collect();
        let text = String::from_utf8(text).unwrap();
        let ids = text.lines().filter_map(|line| line.strip_prefix("id: "));
        (ids.map(str::to_owned).collect(), more)
    }

    fn resume(&mut self, id: &str) -> Result<ReaderId, Unresumable> {
        self.streams.resume(EventId::parse(id).unwrap())
    }
}

#[test]
fn an_answer_alone_is_no_stream() {
    let mut session = TestSession::new("2025-11-25");
    let reader_id = session.post(1);
    assert!(session.first(reader_id).is_pending());
    session.answer(1);
    assert!(matches!(
        session.first(reader_id),
        Poll::Ready(First::Answer(_))
    ));
}

#[test]
fn anything_before_the_answer_makes_it_a_stream() {
    let mut session = TestSession::new("2025-11-25");
    let reader_id = session.post(1);
    session.note();
    assert!(matches!(
        session.first(reader_id),
        Poll::Ready(First::Stream)
    ));
    session.answer(1);
    assert_eq!(
        session.take(reader_id),
        (vec!["2-1".into(), "2-2".into()], false)
    );
}

#[test]
fn only_clients_of_the_last_legacy_revision_are_primed() {
    for (version, text) in [("2025-11-25", "id: 2-0\n"), ("2025-06-18", "")] {
        let mut session = TestSession::new(version);
        let reader_id = session.post(1);
        let mut writer = SseWriter::default();
        session.streams.prime(reader_id, &mut writer);
        let written = writer.next().unwrap_or_default();
        assert!(written.starts_with(text.as_bytes()), "{version}");
        assert_eq!(written.is_empty(), text.is_empty(), "{version}");
    }
}

#[test]
fn a_stream_that_was_primed_can_be_resumed_and_one_that_was_not_is_lost() {
    let mut session = TestSession::new("2025-11-25");
    let (primed, bare) = (session.post(1), session.post(2));
    session.streams.prime(primed, &mut SseWriter::default());
    session.streams.leave(primed, session.now);
    session.streams.leave(bare, session.now);
    session.answer(1);
    session.answer(2);
    let reader_id = session.resume("2-0").unwrap();
    assert_eq!(session.take(reader_id), (vec!["2-1".into()], false));
    assert_eq!(session.resume("3-0"), Err(Unresumable::Over));
    assert_eq!(session.resume("4-0"), Err(Unresumable::Unknown));
    assert_eq!(session.resume("2-1"), Err(Unresumable::Over));
}

#[test]
fn a_resumed_stream_continues() {
    let mut session = TestSession::new("2025-11-25");
    let first = session.post(1);
    session.note();
    session.note();
    session.take(first);
    let second = session.resume("2-1").unwrap();
    assert_eq!(session.take(first), (vec![], false), "it has been replaced");
    session.streams.leave(first, session.now);
    session.answer(1);
    assert_eq!(
        session.take(second),
        (vec!["2-2".into(), "2-3".into()], false)
    );
}

#[test]
fn a_client_is_there_while_it_reads_or_waits() {
    let mut session = TestSession::new("2025-11-25");
    let later = session.now + std::time::Duration::from_secs(9);
    assert_eq!(session.streams.idle_since(), Some(session.now));
    let reader_id = session.post(1);
    assert_eq!(session.streams.idle_since(), None);
    session.streams.leave(reader_id, later);
    assert_eq!(session.streams.idle_since(), None, "its call is in flight");
    session.answer(1);
    assert_eq!(session.streams.idle_since(), Some(later));
    let reader_id = session.streams.listen();
    assert_eq!(session.streams.idle_since(), None);
    session.streams.leave(reader_id, later);
    assert_eq!(session.streams.idle_since(), Some(later));
}

#[test]
fn at_the_end_every_client_gets_an_error() {
    let mut session = TestSession::new("2025-11-25");
    let (call, standing) = (session.post(1), session.streams.listen());
    session.streams.end(session.now);
    let Poll::Ready(First::Answer(Outbound::One(answer))) = session.first(call) else {
        panic!("no answer");
    };
    assert!(
        answer
            .msg
            .text()
            .starts_with(r#"{"jsonrpc":"2.0","id":1,"error""#)
    );
    assert_eq!(session.take(standing), (vec![], false));
    let late = Message::request(&Id::number(2), "tools/call", None);
    assert_eq!(
        session.streams.post(&[&late], false, None),
        Err(Unserved::Ended)
    );
}

#[test]
fn an_error_for_initialize_refuses_the_session() {
    let mut streams = SessionStreams::new(Manner::Streams, Instant::now());
    let opening = Message::request(&Id::number(0), "initialize", None);
    streams.begin(&opening);
    streams.post(&[&opening], false, None).unwrap();
    let error = RpcError::internal("no").answer(&Id::number(0));
    streams.say(Outbound::One(Envelope::new(error)), Instant::now());
    assert!(streams.is_refused());
}

#[test]
fn a_primed_call_that_is_cancelled_leaves_nothing_behind() {
    let mut session = TestSession::new("2025-11-25");
    for leaves_first in [true, false] {
        let reader_id = session.post(1);
        session.streams.prime(reader_id, &mut SseWriter::default());
        if leaves_first {
            session.streams.leave(reader_id, session.now);
        }
        session.streams.cancel(&Id::number(1), session.now);
        if !leaves_first {
            assert_eq!(session.take(reader_id), (vec![], false));
            session.streams.leave(reader_id, session.now);
        }
        let id = format!("{}-0", reader_id.stream);
        assert_eq!(session.resume(&id), Err(Unresumable::Over));
        assert!(session.streams.log.get(reader_id.stream).is_none());
    }
}

#[test]
fn a_batch_with_errors_is_answered_though_its_requests_are_cancelled() {
    let mut session = TestSession::new("2025-03-26");
    let request = Message::request(&Id::number(1), "tools/call", None);
    let reader_id = session.streams.post(&[&request], true, None).unwrap();
    session.streams.owe(reader_id.stream, 1);
    session.streams.cancel(&Id::number(1), session.now);
    assert!(session.first(reader_id).is_pending());
    let errors = r#"[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}]"#;
    session
        .streams
        .say(Outbound::Array(errors.into()), session.now);
    assert!(matches!(
        session.first(reader_id),
        Poll::Ready(First::Answer(_))
    ));
}

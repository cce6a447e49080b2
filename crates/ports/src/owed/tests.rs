use super::*;
use linkspan_wire::{Limits, Resync};

const ERROR: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"m"}}"#;

struct Stream {
    owed: Owed,
    now: Instant,
}

impl Stream {
    fn new() -> Self {
        Self {
            owed: Owed::default(),
            now: Instant::now(),
        }
    }

    fn asks(&mut self, hops: &[u64]) {
        for hop in hops {
            self.owed
                .sent(&Message::request(&Id::number(*hop), "tools/call", None));
        }
    }

    fn notes(&mut self) {
        self.owed
            .sent(&Message::notification("notifications/initialized", None));
    }

    /// The events of the session for a line.
    fn hears(&mut self, line: &str) -> Vec<String> {
        let frames = Resync::frames(line.to_owned().into(), Limits::default());
        let heard: Vec<Inbound> = frames
            .filter_map(|frame| self.owed.heard(frame, self.now))
            .collect();
        heard.into_iter().map(told).collect()
    }

    fn waits(&mut self) -> Vec<String> {
        self.waits_for(DOUBT)
    }

    fn waits_for(&mut self, time: Duration) -> Vec<String> {
        self.now += time;
        let due = self.owed.on_time(self.now);
        due.into_iter().map(told).collect()
    }
}

fn told(inbound: Inbound) -> String {
    match inbound {
        Inbound::Message(envelope) => match (envelope.msg.kind(), envelope.msg.id()) {
            (Kind::Error, Some(id)) => format!("error {id}"),
            (_, Some(id)) => format!("answer {id}"),
            (_, None) => "note".to_owned(),
        },
        Inbound::Bad(why) => match why.answered_hop() {
            Some(hop) => format!("bad {hop}"),
            None => "noise".to_owned(),
        },
        other => format!("{other:?}"),
    }
}

fn answer(hop: u64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{}}}}"#)
}

#[test]
fn requests_in_doubt_fail_after_a_wait_unless_answered() {
    let mut stream = Stream::new();
    stream.asks(&[1, 2, 3]);
    assert!(
        stream
            .hears(r#"{"jsonrpc":"2.0","result":{"x":NaN}}"#)
            .is_empty()
    );
    stream.asks(&[4]);
    assert_eq!(stream.hears(&answer(2)), ["answer 2"]);
    assert_eq!(stream.waits(), ["bad 1", "bad 3"]);
    assert_eq!(stream.hears(&answer(4)), ["answer 4"], "asked later");
    assert!(stream.waits().is_empty());
}

#[test]
fn an_answer_with_an_id_of_another_kind_is_doubtful_too() {
    for line in [
        r#"{"jsonrpc":"2.0","id":"call","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":[1],"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
    ] {
        let mut stream = Stream::new();
        stream.asks(&[1]);
        assert!(stream.hears(line).is_empty(), "{line}");
        assert_eq!(stream.waits(), ["bad 1"], "{line}");
    }
    let mut stream = Stream::new();
    stream.asks(&[1]);
    let text = r#"{"jsonrpc":"2.0","id":"1","result":{}}"#;
    assert_eq!(
        stream.hears(text),
        [r#"answer "1""#],
        "a number as a string"
    );
}

#[test]
fn an_error_without_an_id_belongs_to_the_only_request() {
    let mut stream = Stream::new();
    stream.asks(&[1]);
    assert_eq!(stream.hears(ERROR), ["error 1"]);
}

#[test]
fn an_error_without_an_id_fails_all_requests_that_stay_unanswered() {
    let mut stream = Stream::new();
    stream.notes();
    stream.asks(&[1]);
    assert!(
        stream.hears(ERROR).is_empty(),
        "it may mean the notification"
    );
    assert_eq!(stream.waits(), ["error 1"]);
}

#[test]
fn the_text_of_an_error_reaches_only_its_certain_request() {
    let mut stream = Stream::new();
    stream.asks(&[1, 2, 3]);
    assert!(stream.hears(ERROR).is_empty());
    assert_eq!(stream.hears(&answer(3)), ["answer 3"]);
    assert_eq!(stream.waits(), ["bad 1", "bad 2"]);

    // The error may be the late answer to a request that was cancelled, before or after the error.
    let params = Some(r#"{"requestId":1}"#);
    let cancel = Message::notification(names::CANCELLED, params);
    for cancel_first in [true, false] {
        let mut stream = Stream::new();
        stream.asks(&[1, 2]);
        if cancel_first {
            stream.owed.sent(&cancel);
        }
        assert!(stream.hears(ERROR).is_empty());
        if !cancel_first {
            stream.owed.sent(&cancel);
        }
        assert_eq!(stream.waits(), ["bad 2"], "cancelled first: {cancel_first}");
    }

    // An answer to a request that was sent after the cancelled one shows that the cancelled one is done.
    let mut stream = Stream::new();
    stream.asks(&[1]);
    stream.owed.sent(&cancel);
    stream.asks(&[2]);
    assert_eq!(stream.hears(&answer(2)), ["answer 2"]);
    stream.asks(&[3]);
    assert_eq!(stream.hears(ERROR), ["error 3"]);
}

#[test]
fn a_server_that_answers_notifications_does_not_cost_a_call() {
    let unknown = ERROR.replace("-32603", "-32601");
    let begin = || {
        let mut stream = Stream::new();
        stream.notes();
        stream.asks(&[1]);
        assert!(stream.hears(&unknown).is_empty());
        assert!(stream.waits().is_empty(), "the call goes on");
        stream
    };
    assert_eq!(begin().hears(&answer(1)), ["answer 1"]);

    // A slow call keeps its answer, and an error that no notification accounts for is its own.
    let mut slow = begin();
    assert!(slow.owed.next_wake().is_none());
    assert!(slow.waits_for(Duration::from_secs(3600)).is_empty());
    assert_eq!(slow.hears(&unknown), ["error 1"]);
}

#[test]
fn a_server_that_answers_several_notifications_does_not_cost_a_call() {
    let unknown = ERROR.replace("-32603", "-32601");
    let mut stream = Stream::new();
    stream.notes();
    stream.asks(&[1, 2]);
    stream.notes();
    stream.notes();
    for error in [&unknown, ERROR, ERROR] {
        assert!(stream.hears(error).is_empty(), "{error}");
    }
    assert!(stream.waits_for(Duration::from_secs(3600)).is_empty());
    assert_eq!(stream.hears(&answer(1)), ["answer 1"]);
    assert_eq!(stream.hears(&answer(2)), ["answer 2"]);
}

#[test]
fn a_server_that_answers_notifications_is_recognized() {
    // All requests were answered, or there were none: the error belonged to the notification.
    let with_a_request: fn(&mut Stream) = |stream| {
        stream.asks(&[1]);
        assert!(stream.hears(ERROR).is_empty());
        assert_eq!(stream.hears(&answer(1)), ["answer 1"]);
    };
    let without: fn(&mut Stream) = |stream| assert!(stream.hears(ERROR).is_empty());
    for shows in [with_a_request, without] {
        let mut stream = Stream::new();
        stream.notes();
        shows(&mut stream);
        stream.asks(&[2]);
        stream.notes();
        assert!(stream.hears(ERROR).is_empty());
        assert!(stream.waits().is_empty(), "the call goes on");
        assert_eq!(stream.hears(&answer(2)), ["answer 2"]);
    }
}

#[test]
fn the_order_counts_and_not_the_numbers() {
    let mut stream = Stream::new();
    stream.asks(&[u64::MAX >> 12]);
    stream.notes();
    stream.asks(&[1]);
    assert_eq!(stream.hears(&answer(1)), ["answer 1"]);
    assert_eq!(stream.hears(&answer(u64::MAX >> 12)).len(), 1);
    stream.asks(&[2]);
    assert_eq!(stream.hears(ERROR), ["error 2"]);
}

#[test]
fn cancelled_requests_and_subscriptions_are_not_waited_for() {
    let mut stream = Stream::new();
    stream.asks(&[1]);
    let params = Some(r#"{"requestId":1}"#);
    stream
        .owed
        .sent(&Message::notification(names::CANCELLED, params));
    stream
        .owed
        .sent(&Message::request(&Id::number(2), names::LISTEN, None));
    assert_eq!(
        stream.hears(r#"{"jsonrpc":"2.0","result":{"x":NaN}}"#),
        ["noise"]
    );
    assert!(stream.waits().is_empty());
}

#[test]
fn a_log_line_fails_no_request() {
    let mut stream = Stream::new();
    stream.asks(&[1]);
    for line in ["ready", r#"{"level":"info","id":1}"#, "{ id: 1 }"] {
        assert_eq!(stream.hears(line), ["noise"], "{line}");
    }
    assert!(stream.waits().is_empty());
}

#[test]
fn an_answer_behind_other_text_counts_if_no_other_one_follows() {
    let mut stream = Stream::new();
    stream.asks(&[1, 2, 3]);
    for hop in [1, 2, 9] {
        let heard = stream.hears(&format!("INFO: {}", answer(hop)));
        assert_eq!(heard.is_empty(), hop != 9, "an id of no request is noise");
    }
    assert_eq!(stream.hears(&answer(2)), ["answer 2"]);
    assert!(stream.owed.next_wake().is_some());
    assert_eq!(stream.waits(), ["bad 1"]);
    assert!(stream.owed.next_wake().is_none());
    assert_eq!(stream.hears(&answer(3)), ["answer 3"]);
}

#[test]
fn doubts_are_bounded() {
    let mut stream = Stream::new();
    stream.asks(&[1]);
    for _ in 0..100 {
        stream.hears(r#"{"jsonrpc":"2.0","result":NaN}"#);
    }
    assert!(stream.owed.doubts.len() <= MAX_DOUBTS);
    assert_eq!(stream.waits(), ["bad 1"]);
}

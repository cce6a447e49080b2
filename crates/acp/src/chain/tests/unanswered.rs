//! Every request is answered, whichever peer ends and however invalid an answer is.

use super::*;
use linkspan_wire::Hop;

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":"e","method":"initialize","params":{"protocolVersion":1}}"#;

impl Stage {
    fn leaves(&mut self, node: Node) {
        let closed = Inbound::Closed(Fault::Closing);
        self.chain.receive(node, closed, self.now);
    }

    /// Sends an invalid answer to `hop`.
    fn mumbles(&mut self, node: Node, hop: Hop) {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":1,"error":2}}"#);
        let why = Message::parse(text.into()).unwrap_err();
        self.chain.receive(node, Inbound::Bad(why), self.now);
    }
}

#[test]
fn requests_to_a_joined_client_are_answered_when_it_leaves() {
    let (mut stage, _) = bridged("{}");
    let joined = connected(&mut stage);
    stage.say(FIRST, r#"{"jsonrpc":"2.0","id":"q","method":"proxy/successor","params":{"method":"_mcp/message","params":{"connectionId":"c-1","method":"sampling/createMessage"}}}"#);
    stage.leaves(joined);
    let answer = stage.one(FIRST);
    assert!(answer.contains(r#""id":"q","error""#), "{answer}");
}

#[test]
fn an_invalid_answer_of_a_proxy_releases_the_held_messages() {
    let mut stage = Stage::with(2);
    stage.say(EDITOR, INITIALIZE);
    let hop = hop_of(&stage.one(FIRST));
    stage.mumbles(FIRST, hop);
    assert!(stage.one(EDITOR).contains(r#""id":"e","error""#));
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","id":2,"method":"later"}"#);
    assert!(stage.one(FIRST).contains("later"));
}

#[test]
fn an_invalid_answer_to_a_session_request_revokes_its_declarations() {
    let (mut stage, notes) = bridged("{}");
    stage.say(FIRST, NEW);
    let hop = hop_of(&stage.one(SECOND));
    stage.mumbles(SECOND, hop);
    assert!(stage.one(FIRST).contains(r#""id":"n","error""#));
    assert_eq!(notes.take().last().unwrap(), "revoke 1");
}

#[test]
fn an_initialize_notification_does_not_start_the_chain() {
    let mut stage = Stage::with(2);
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","method":"initialize"}"#);
    assert!(!stage.chain.has_begun());
    stage.say(EDITOR, INITIALIZE);
    stage.one(FIRST);
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":{"method":"initialize"}}"#,
    );
    assert!(stage.one(SECOND).contains(r#""method":"initialize""#));
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","method":"initialize"}"#);
    stage.heard(FIRST);
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","id":2,"method":"later"}"#);
    assert!(
        stage.one(FIRST).contains("later"),
        "it has understood before"
    );
}

#[test]
fn an_initialize_notification_of_a_proxy_holds_no_messages() {
    let mut stage = Stage::with(3);
    stage.say(EDITOR, INITIALIZE);
    stage.one(FIRST);
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"initialize"}}"#,
    );
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":{"method":"later"}}"#,
    );
    assert!(
        stage
            .heard(SECOND)
            .iter()
            .any(|said| said.contains("later"))
    );
}

#[test]
fn a_session_request_over_the_limit_revokes_its_declarations() {
    let (mut stage, notes) = bridged("{}");
    stage.say(FIRST, NEW);
    stage.one(SECOND);
    stage.say(FIRST, NEW);
    assert!(stage.heard(SECOND).is_empty());
    assert!(stage.one(FIRST).contains("already in flight"));
    assert_eq!(
        notes.take(),
        ["offer 1 Some(Current)", "offer 2 Some(Current)", "revoke 2"]
    );
}

#[test]
fn messages_held_for_a_proxy_keep_their_order() {
    let mut stage = Stage::with(2);
    stage.say(EDITOR, INITIALIZE);
    stage.one(FIRST);
    let most = 3000;
    for number in 0..most {
        stage.say(
            EDITOR,
            &format!(r#"{{"jsonrpc":"2.0","method":"n{number}"}}"#),
        );
    }
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","id":2,"method":"last"}"#);
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":{"method":"initialize"}}"#,
    );
    let heard = stage.heard(FIRST);
    assert_eq!(heard.len(), most + 1);
    for (number, said) in heard[..most].iter().enumerate() {
        assert_eq!(
            *said,
            format!(r#"{{"jsonrpc":"2.0","method":"n{number}"}}"#)
        );
    }
}

#[test]
fn the_sender_to_a_proxy_with_a_full_queue_is_not_read() {
    let mut stage = Stage::with(2);
    stage.say(EDITOR, INITIALIZE);
    stage.one(FIRST);
    let large = format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "x".repeat(2 << 20));
    assert!(stage.chain.may_read(EDITOR, |_| true));
    stage.say(EDITOR, &large);
    assert!(!stage.chain.may_read(EDITOR, |_| true) && stage.chain.may_read(FIRST, |_| true));
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":{"method":"initialize"}}"#,
    );
    stage.heard(FIRST);
    assert!(stage.chain.may_read(EDITOR, |_| true));
}

#[test]
fn a_request_held_for_a_proxy_can_be_cancelled() {
    let mut stage = Stage::with(2);
    stage.say(EDITOR, INITIALIZE);
    stage.one(FIRST);
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","id":2,"method":"later"}"#);
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}"#,
    );
    assert!(
        stage
            .one(EDITOR)
            .contains(r#""id":2,"error":{"code":-32800"#)
    );
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":{"method":"initialize"}}"#,
    );
    assert!(stage.heard(FIRST).is_empty());
}

#[test]
fn the_start_timeout_of_a_proxy_begins_after_its_successor_has_answered() {
    let mut stage = Stage::with(2);
    stage.say(EDITOR, INITIALIZE);
    stage.one(FIRST);
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":{"method":"initialize"}}"#,
    );
    let hop = hop_of(&stage.one(SECOND));
    stage.now += Duration::from_secs(59);
    stage.say(
        SECOND,
        &format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{}}}}"#),
    );
    stage.now += Duration::from_secs(59);
    stage.chain.on_time(stage.now);
    assert!(stage.heard(EDITOR).is_empty(), "it has its own time");
    stage.now += Duration::from_secs(1);
    stage.chain.on_time(stage.now);
    let answer = stage.one(EDITOR);
    assert!(
        answer.contains("proxy[0] (`part0`) has not answered `initialize`"),
        "{answer}"
    );
}

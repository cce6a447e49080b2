//! The start of a chain: `initialize` from component to component, in the dialect of each.

use super::*;

#[test]
fn a_request_before_initialize_is_refused_with_the_official_text() {
    let mut stage = Stage::with(1);
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","id":"g","method":"x"}"#);
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","method":"x"}"#);
    assert_eq!(
        stage.one(EDITOR),
        r#"{"jsonrpc":"2.0","id":"g","error":{"code":-32600,"message":"Invalid request","data":"expected `initialize` request"}}"#
    );
    assert!(!stage.chain.has_begun());
}

#[test]
fn initialize_passes_all_proxies_and_its_answer_returns() {
    let mut stage = Stage::with(2);
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":"e","method":"initialize","params":{"protocolVersion":1,"x":1.10}}"#,
    );
    assert_eq!(
        stage.one(FIRST),
        r#"{"jsonrpc":"2.0","id":1,"method":"proxy/initialize","params":{"protocolVersion":1,"x":1.10}}"#
    );
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":"p","method":"proxy/successor","params":{"method":"initialize","params":{"protocolVersion":1},"_meta":{"hop":true}}}"#,
    );
    assert_eq!(
        stage.one(SECOND),
        r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":1}}"#
    );
    stage.say(
        SECOND,
        r#"{"result":{"protocolVersion":1},"jsonrpc":"2.0","id":2}"#,
    );
    assert_eq!(
        stage.one(FIRST),
        r#"{"result":{"protocolVersion":1},"jsonrpc":"2.0","id":"p"}"#
    );
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#,
    );
    assert_eq!(
        stage.one(EDITOR),
        r#"{"jsonrpc":"2.0","id":"e","result":{"protocolVersion":1}}"#
    );
}

#[test]
fn a_proxy_that_forwards_its_own_initialize_reveals_its_dialect() {
    for (method, init) in [
        ("_proxy/successor", "_proxy/initialize"),
        ("_proxy/successor/request", "initialize"),
    ] {
        let mut stage = Stage::with(2);
        stage.say(
            EDITOR,
            r#"{"jsonrpc":"2.0","id":"e","method":"initialize","params":{}}"#,
        );
        stage.one(FIRST);
        stage.say(EDITOR, r#"{"jsonrpc":"2.0","method":"later"}"#);
        assert!(
            stage.heard(FIRST).is_empty(),
            "it may have to be told again"
        );
        stage.say(
            FIRST,
            &format!(
                r#"{{"jsonrpc":"2.0","id":9,"method":"{method}","params":{{"method":"proxy/initialize","params":{{}}}}}}"#
            ),
        );
        let [refused, again] = &stage.heard(FIRST)[..] else {
            panic!("it is refused, and asked again");
        };
        assert!(
            refused.contains(r#""id":9,"error":{"code":-32601"#),
            "{refused}"
        );
        assert!(
            again.contains(&format!(r#""id":2,"method":"{init}""#)),
            "{again}"
        );
        stage.say(
            FIRST,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"?"}}"#,
        );
        assert!(stage.heard(EDITOR).is_empty(), "the first try is forgotten");
        stage.say(
            FIRST,
            &format!(
                r#"{{"jsonrpc":"2.0","id":10,"method":"{method}","params":{{"method":"initialize","params":{{}}}}}}"#
            ),
        );
        assert!(stage.one(SECOND).contains(r#""method":"initialize""#));
        assert!(stage.one(FIRST).contains("later"));
    }
}

#[test]
fn a_proxy_that_refuses_the_newest_dialect_is_tried_in_older_ones() {
    let mut stage = Stage::with(2);
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":"e","method":"initialize","params":{}}"#,
    );
    for (hop, expected) in [
        (1, "proxy/initialize"),
        (2, "_proxy/initialize"),
        (3, "initialize"),
    ] {
        assert!(
            stage
                .one(FIRST)
                .contains(&format!(r#""id":{hop},"method":"{expected}""#))
        );
        stage.say(
            FIRST,
            &format!(r#"{{"jsonrpc":"2.0","id":{hop},"error":{{"code":-32601,"message":"no"}}}}"#),
        );
    }
    assert!(stage.one(EDITOR).contains("-32601"));
}

#[test]
fn an_agent_in_a_proxys_place_is_named() {
    let mut stage = Stage::with(2);
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":"e","method":"initialize","params":{}}"#,
    );
    stage.one(FIRST);
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#,
    );
    let answer = stage.one(EDITOR);
    assert!(
        answer.contains("proxy[0] (`part0`)") && answer.contains("no proxy"),
        "{answer}"
    );
}

#[test]
fn a_start_timeout_names_the_component() {
    let mut stage = Stage::with(2);
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":"e","method":"initialize","params":{}}"#,
    );
    assert_eq!(
        stage.chain.next_wake(),
        Some(stage.now + Duration::from_secs(60))
    );
    stage.now += Duration::from_secs(50);
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":1,"method":"proxy/successor","params":{"method":"initialize"}}"#,
    );
    stage.now += Duration::from_secs(59);
    stage.chain.on_time(stage.now);
    assert!(
        stage.heard(EDITOR).is_empty(),
        "the second has its own time"
    );
    stage.now += Duration::from_secs(1);
    stage.chain.on_time(stage.now);
    let answer = stage.one(EDITOR);
    assert!(
        answer.contains("the agent (`part1`) has not answered"),
        "{answer}"
    );
    assert!(matches!(
        stage.chain.broken().unwrap().why,
        BreakReason::Silent(_)
    ));
}

#[test]
fn as_a_proxy_the_chain_ends_at_the_other_conductor() {
    let mut stage = Stage::of(plan(1, true), None);
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":"u","method":"_proxy/initialize","params":{"protocolVersion":1}}"#,
    );
    assert!(stage.one(FIRST).contains(r#""method":"proxy/initialize""#));
    stage.say(
        FIRST,
        r#"{"jsonrpc":"2.0","id":"i","method":"proxy/successor","params":{"method":"initialize","params":{"protocolVersion":1}}}"#,
    );
    assert_eq!(
        stage.one(EDITOR),
        r#"{"jsonrpc":"2.0","id":2,"method":"_proxy/successor","params":{"method":"initialize","params":{"protocolVersion":1}}}"#
    );
    stage.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":1}}"#,
    );
    assert_eq!(
        stage.one(FIRST),
        r#"{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":1}}"#
    );
    stage.say(EDITOR, r#"{"jsonrpc":"2.0","method":"_proxy/successor","params":{"method":"session/update","params":{"x":1}}}"#);
    assert_eq!(
        stage.one(FIRST),
        r#"{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"session/update","params":{"x":1}}}"#
    );
    let mut plain = Stage::of(plan(1, true), None);
    plain.say(
        EDITOR,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
    );
    assert!(plain.one(EDITOR).contains("--proxy"));
}

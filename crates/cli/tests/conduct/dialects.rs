//! The dialect of a proxy is detected, or set by the user.

use linkspan_testkit::{Bridge, Message, Player, Stage};
use serde_json::{Value, json};

use crate::setup::{INITIALIZE, WELCOME, answer, conduct, id, pass, passing};

/// A proxy and an agent, both played by the test; only `initialize` has been sent.
fn with_proxy(dialect: Option<&str>) -> (Bridge, Player, Player) {
    let stage = Stage::new();
    let proxy = match dialect {
        None => stage.played("proxy"),
        Some(dialect) => as_json(&stage.played("proxy"), dialect),
    };
    let editor = conduct(&["--mcp-bridge", "off"], &[proxy, stage.played("agent")]);
    editor.send(INITIALIZE);
    (editor, stage.player("proxy"), stage.player("agent"))
}

/// The same component in JSON, with its dialect.
fn as_json(command: &str, dialect: &str) -> String {
    let words: Vec<&str> = command.split('\'').map(str::trim).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let (program, args) = words.split_first().expect("a command has a program");
    json!({"command": program, "args": args, "dialect": dialect}).to_string()
}

fn refuse(player: &Player, request: &Message) {
    let id = id(request);
    player.say(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
    ));
}

#[test]
fn a_proxy_that_refuses_a_dialect_is_tried_in_older_ones() {
    let (editor, proxy, agent) = with_proxy(None);
    let mut begin = proxy.next();
    for method in ["proxy/initialize", "_proxy/initialize"] {
        assert_eq!(begin.method.as_deref(), Some(method));
        refuse(&proxy, &begin);
        begin = proxy.next();
    }
    assert_eq!(begin.method.as_deref(), Some("initialize"));
    assert_eq!(
        begin.at(&[
            "params",
            "clientCapabilities",
            "_meta",
            "symposium",
            "proxy"
        ]),
        Some("true".to_owned())
    );
    proxy.say(r#"{"jsonrpc":"2.0","id":1,"method":"_proxy/successor/request","params":{"method":"initialize","params":{"protocolVersion":1}}}"#);
    let heard = agent.next();
    assert_eq!(heard.params.as_deref(), Some(r#"{"protocolVersion":1}"#));
    answer(&agent, &heard, WELCOME);
    assert_eq!(proxy.answer("1").result.as_deref(), Some(WELCOME));
    answer(
        &proxy,
        &begin,
        r#"{"protocolVersion":1,"agentCapabilities":{"x":1.0,"_meta":{"symposium":{"proxy":true}}}}"#,
    );
    assert_eq!(
        editor.line(),
        r#"{"jsonrpc":"2.0","id":"begin","result":{"protocolVersion":1,"agentCapabilities":{"x":1.0}}}"#
    );
}

#[test]
fn the_refusal_of_all_dialects_is_the_editors_answer() {
    let (editor, proxy, _) = with_proxy(None);
    for _ in 0..3 {
        let begin = proxy.next();
        refuse(&proxy, &begin);
    }
    let refused = editor.answer("\"begin\"");
    assert_eq!(refused.code(), Some(-32601), "{}", refused.text);
}

#[test]
fn a_proxy_that_forwards_its_own_initialize_is_tried_in_its_dialect() {
    for (envelope, expected) in [
        ("_proxy/successor", "_proxy/initialize"),
        ("_proxy/successor/request", "initialize"),
    ] {
        let (editor, proxy, agent) = with_proxy(None);
        let first = proxy.heard("proxy/initialize");
        let params = first.params.as_deref().unwrap();
        proxy.say(&format!(
            r#"{{"jsonrpc":"2.0","id":"stray","method":"{envelope}","params":{{"method":"proxy/initialize","params":{params}}}}}"#
        ));
        let stray = proxy.answer("\"stray\"");
        assert_eq!(stray.code(), Some(-32601), "{}", stray.text);
        let begin = proxy.heard(expected);
        // The result of the first attempt has no effect any more.
        refuse(&proxy, &first);
        proxy.say(&format!(
            r#"{{"jsonrpc":"2.0","id":"start","method":"{envelope}","params":{{"method":"initialize","params":{params}}}}}"#
        ));
        let heard = agent.next();
        assert_eq!(heard.method.as_deref(), Some("initialize"));
        answer(&agent, &heard, WELCOME);
        assert!(proxy.answer("\"start\"").result.is_some());
        answer(&proxy, &begin, WELCOME);
        assert_eq!(editor.answer("\"begin\"").result.as_deref(), Some(WELCOME));
        assert!(editor.unread().is_empty(), "{:?}", editor.unread());
        // The proxy gets messages in the dialect that it uses.
        agent.say(r#"{"jsonrpc":"2.0","id":"q","method":"_q"}"#);
        let asked = proxy.heard(envelope);
        answer(&proxy, &asked, "{}");
        assert!(agent.answer("\"q\"").result.is_some());
    }
}

#[test]
fn a_dialect_can_be_forced() {
    for (word, expected) in [
        ("proxy", "proxy/initialize"),
        ("_proxy", "_proxy/initialize"),
        ("symposium", "initialize"),
        ("draft", "initialize"),
    ] {
        let (editor, proxy, _) = with_proxy(Some(word));
        let begin = proxy.next();
        assert_eq!(begin.method.as_deref(), Some(expected), "{word}");
        refuse(&proxy, &begin);
        let refused = editor.answer("\"begin\"");
        assert_eq!(refused.code(), Some(-32601), "{word}: {}", refused.text);
    }
}

#[test]
fn the_drafts_envelope_holds_a_whole_message_in_both_directions() {
    let (editor, proxy, agent) = with_proxy(Some("draft"));
    let begin = proxy.next();
    proxy.say(r#"{"jsonrpc":"2.0","id":"out","method":"_proxy/successor/send/request","params":{"message":{"jsonrpc":"2.0","id":"in","method":"initialize","params":{"n":1.10}}}}"#);
    let heard = agent.next();
    assert_eq!(heard.params.as_deref(), Some(r#"{"n":1.10}"#));
    answer(&agent, &heard, r#"{"protocolVersion":1,"n":1.10}"#);
    assert_eq!(
        proxy.line(),
        r#"{"jsonrpc":"2.0","id":"out","result":{"message":{"jsonrpc":"2.0","id":"in","result":{"protocolVersion":1,"n":1.10}}}}"#
    );
    answer(&proxy, &begin, WELCOME);
    assert!(editor.answer("\"begin\"").result.is_some());
    agent.say(r#"{"jsonrpc":"2.0","id":"q","method":"_ask","params":[1E5]}"#);
    let asked = proxy.heard("_proxy/successor/receive/request");
    let whole = asked.at(&["params", "message"]).unwrap();
    let inside: Value = serde_json::from_str(&whole).unwrap();
    assert!(
        whole.contains(r#""method":"_ask","params":[1E5]"#),
        "{whole}"
    );
    let (outer, inner) = (id(&asked), inside["id"].to_string());
    proxy.say(&format!(
        r#"{{"jsonrpc":"2.0","id":{outer},"result":{{"message":{{"jsonrpc":"2.0","id":{inner},"error":{{"code":1,"message":"\u00e9"}}}}}}}}"#
    ));
    assert_eq!(
        agent.line(),
        r#"{"jsonrpc":"2.0","id":"q","error":{"code":1,"message":"\u00e9"}}"#
    );
    agent.say(r#"{"jsonrpc":"2.0","method":"_note","params":[-0]}"#);
    assert_eq!(
        proxy.line(),
        r#"{"jsonrpc":"2.0","method":"_proxy/successor/receive/notification","params":{"message":{"jsonrpc":"2.0","method":"_note","params":[-0]}}}"#
    );
}

#[test]
fn all_dialects_can_be_mixed_in_one_chain() {
    for dialects in [
        ["D2", "D5", "D2", "D5"],
        ["D5!", "D0", "D1!", "D2!"],
        ["D4", "D3!", "D0!", "D1"],
    ] {
        let chain = passing(&dialects);
        chain
            .editor
            .send(r#"{"jsonrpc":"2.0","id":1,"method":"_down"}"#);
        answer(&chain.agent, &chain.agent.heard("_down"), "1.0");
        assert_eq!(chain.editor.answer("1").result.as_deref(), Some("1.0"));
        chain
            .agent
            .say(r#"{"jsonrpc":"2.0","id":1,"method":"_up"}"#);
        let up = chain.editor.heard("_up");
        chain.editor.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":2.0}}"#,
            id(&up)
        ));
        assert_eq!(chain.agent.answer("1").result.as_deref(), Some("2.0"));
        chain.end();
    }
}

#[test]
fn a_component_that_answers_initialize_without_asking_its_successor_is_named() {
    let stage = Stage::new();
    let components = [pass("D5"), stage.played("lazy"), stage.played("agent")];
    let editor = conduct(&[], &components);
    editor.send(INITIALIZE);
    let lazy = stage.player("lazy");
    answer(&lazy, &lazy.heard("proxy/initialize"), WELCOME);
    let refused = editor.answer("\"begin\"");
    assert_eq!(refused.code(), Some(-32603), "{}", refused.text);
    assert!(refused.text.contains("proxy[1]"), "{}", refused.text);
}

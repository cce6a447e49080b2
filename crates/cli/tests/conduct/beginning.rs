//! The start of a chain: messages before `initialize`, repeated ones, and early ones.

use linkspan_testkit::{Bridge, Stage};

use crate::setup::{INITIALIZE, Passing, WELCOME, answer, conduct, id, passing, waiting};

/// Every dialect, with both reactions of a proxy to an unknown first request.
const PROXIES: [&str; 9] = ["D0", "D0!", "D1", "D1!", "D2", "D2!", "D3", "D4!", "D5"];

fn not_begun(stage: &Stage) -> Bridge {
    conduct(&[], &[stage.played("agent")])
}

#[test]
fn a_request_before_initialize_is_refused_and_the_chain_can_still_start() {
    let stage = Stage::new();
    let editor = not_begun(&stage);
    editor.send(r#"{"jsonrpc":"2.0","id":"g","method":"session/new","params":{}}"#);
    assert_eq!(
        editor.line(),
        r#"{"jsonrpc":"2.0","id":"g","error":{"code":-32600,"message":"Invalid request","data":"expected `initialize` request"}}"#
    );
    editor.send(r#"{"jsonrpc":"2.0","method":"session/cancel","params":{}}"#);
    assert!(stage.names().is_empty(), "no component is needed yet");
    editor.send(INITIALIZE);
    let agent = stage.player("agent");
    let begin = agent.next();
    assert_eq!(begin.method.as_deref(), Some("initialize"));
    answer(&agent, &begin, WELCOME);
    assert!(editor.answer("\"begin\"").result.is_some());
}

#[test]
fn no_component_is_started_before_initialize() {
    let stage = Stage::new();
    let mut editor = not_begun(&stage);
    editor.close_stdin();
    assert_eq!(editor.exit_code(), Some(0), "{}", editor.stderr());
    assert!(stage.names().is_empty());
}

#[test]
fn initialize_keeps_unknown_members_through_every_dialect() {
    for dialect in PROXIES {
        let stage = Stage::new();
        let components = [crate::setup::pass(dialect), stage.played("agent")];
        let editor = conduct(&["--mcp-bridge", "off"], &components);
        let params =
            r#"{"protocolVersion":1,"_unknownField":{"n":1.10},"clientCapabilities":{"x":[1E5]}}"#;
        editor.send(&format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#
        ));
        let agent = stage.player("agent");
        let begin = agent.next();
        assert_eq!(begin.method.as_deref(), Some("initialize"), "{dialect}");
        let heard = begin.params.as_deref().unwrap();
        // The test proxies of the oldest dialects leave the role in; agents ignore it.
        if !["D0", "D0!", "D1", "D1!"].contains(&dialect) {
            assert_eq!(heard, params, "{dialect}");
        }
        assert!(heard.contains(r#""_unknownField":{"n":1.10}"#), "{heard}");
        let result =
            r#"{"protocolVersion":1,"agentCapabilities":{"future":{"n":2}},"authMethods":[]}"#;
        answer(&agent, &begin, result);
        let welcome = editor.answer("0");
        assert_eq!(welcome.result.as_deref(), Some(result), "{dialect}");
        let next = agent.unheard();
        assert!(
            next.is_empty(),
            "{dialect}: the agent begins once: {next:?}"
        );
    }
}

#[test]
fn a_second_initialize_passes_the_same_chain() {
    for dialect in PROXIES {
        let chain = passing(&[dialect, "D5"]);
        let pid = chain.agent.pid;
        chain
            .editor
            .send(r#"{"jsonrpc":"2.0","id":"again","method":"initialize","params":{"protocolVersion":1,"twice":true}}"#);
        let again = chain.agent.heard("initialize");
        assert!(again.text.contains(r#""twice":true"#), "{}", again.text);
        answer(&chain.agent, &again, WELCOME);
        assert!(chain.editor.answer("\"again\"").result.is_some());
        assert_eq!(chain.stage.player("agent").pid, pid);
        chain.end();
    }
}

#[test]
fn messages_right_after_initialize_keep_their_order_with_every_proxy() {
    for dialect in PROXIES {
        let stage = Stage::new();
        let components = [
            crate::setup::pass(dialect),
            crate::setup::pass("D5"),
            stage.played("agent"),
        ];
        let editor = conduct(&[], &components);
        let mut all = format!("{INITIALIZE}\n");
        for number in 1..=20 {
            all += &match number % 2 {
                0 => format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"_r\",\"params\":[{number}]}}\n"
                ),
                _ => format!("{{\"jsonrpc\":\"2.0\",\"method\":\"_n\",\"params\":[{number}]}}\n"),
            };
        }
        editor.send_bytes(all.as_bytes());
        let chain = Passing {
            editor,
            agent: stage.player("agent"),
            stage,
        };
        let begin = chain.agent.next();
        assert_eq!(begin.method.as_deref(), Some("initialize"), "{dialect}");
        for number in 1..=20 {
            let heard = chain.agent.next();
            assert_eq!(heard.params, Some(format!("[{number}]")), "{dialect}");
            if heard.id.is_some() {
                answer(&chain.agent, &heard, "[]");
            }
        }
        answer(&chain.agent, &begin, WELCOME);
        assert!(chain.editor.answer("\"begin\"").result.is_some());
        for number in (2..=20).step_by(2) {
            assert!(chain.editor.answer(&number.to_string()).result.is_some());
        }
        chain.end();
    }
}

#[test]
fn the_editor_gets_an_error_of_initialize_and_may_try_again() {
    let chain = waiting(&[], &["D5", "D2"]);
    let begin = chain.agent.heard("initialize");
    let error = r#"{"code":-32022,"message":"too old","data":{"n":1.0}}"#;
    let here = id(&begin);
    chain.agent.say(&format!(
        r#"{{"jsonrpc":"2.0","id":{here},"error":{error}}}"#
    ));
    let refused = chain.editor.answer("\"begin\"");
    assert_eq!(refused.error.as_deref(), Some(error));
    chain.editor.send(INITIALIZE);
    chain.begin();
    chain.end();
}

#[test]
fn version_2_of_the_protocol_passes_unchanged() {
    for dialects in [&[][..], &["D5"], &["D2", "D4!"]] {
        let stage = Stage::new();
        let proxies = dialects.iter().map(|dialect| crate::setup::pass(dialect));
        let components: Vec<String> = proxies.chain([stage.played("agent")]).collect();
        let editor = conduct(&["--mcp-bridge", "off"], &components);
        editor.send(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"e","version":"1"},"capabilities":{"session":{}}}}"#);
        let agent = stage.player("agent");
        let begin = agent.next();
        assert_eq!(
            begin.at(&["params", "protocolVersion"]).as_deref(),
            Some("2")
        );
        assert_eq!(
            begin.at(&["params", "capabilities"]).as_deref(),
            Some(r#"{"session":{}}"#)
        );
        let result = r#"{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{"mcp":{"stdio":{}}}}}"#;
        answer(&agent, &begin, result);
        let welcome = editor.answer("1");
        assert_eq!(welcome.result.as_deref(), Some(result), "{dialects:?}");
        // In version 2 a turn ends with an update, and its answer is immediate.
        editor.send(r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","x":1.0}}"#);
        let prompt = agent.heard("session/prompt");
        assert_eq!(
            prompt.params.as_deref(),
            Some(r#"{"sessionId":"s","x":1.0}"#)
        );
        answer(&agent, &prompt, r#"{"messageId":"m"}"#);
        assert_eq!(
            editor.answer("2").result.as_deref(),
            Some(r#"{"messageId":"m"}"#)
        );
    }
}

#[test]
fn a_batch_is_refused_with_the_official_text() {
    let chain = passing(&[]);
    chain
        .editor
        .send(r#"[{"jsonrpc":"2.0","id":1,"method":"_a"}]"#);
    assert_eq!(
        chain.editor.line(),
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request","data":"JSON-RPC batches are not supported; send each message individually"}}"#
    );
    chain.end();
}

#[test]
fn the_id_of_a_pending_request_cannot_be_reused() {
    let chain = passing(&["D5"]);
    let ask = r#"{"jsonrpc":"2.0","id":"one","method":"_a"}"#;
    chain.editor.send(ask);
    let first = chain.agent.heard("_a");
    chain.editor.send(ask);
    let refused = chain.editor.answer("\"one\"");
    assert_eq!(refused.code(), Some(-32600), "{}", refused.text);
    answer(&chain.agent, &first, "1");
    assert_eq!(chain.editor.answer("\"one\"").result.as_deref(), Some("1"));
    chain.editor.send(ask);
    let second = chain.agent.heard("_a");
    answer(&chain.agent, &second, "2");
    assert_eq!(chain.editor.answer("\"one\"").result.as_deref(), Some("2"));
    chain.end();
}

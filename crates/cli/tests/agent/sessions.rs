//! Sessions: starting, continuing, cancelling, closing and loading them.

use serde_json::{Value, json};

use crate::setup::{PERMISSION, ready, result, start, text, trouble};

#[test]
fn a_session_lists_its_modes_and_models() {
    let agent = ready(&[], &["--modes"]);
    let started = agent.call("1", "start_session", &json!({"mode": "code"}));
    let structured = &started["structuredContent"];
    assert_eq!(structured["sessionId"], "s-1");
    assert_eq!(structured["mode"], "code");
    assert_eq!(structured["modes"]["availableModes"][0]["id"], "ask");
    assert_eq!(structured["models"]["currentModelId"], "m");
    assert!(text(&started).contains("ask, code"), "{started}");
    let set = agent.children.wait_for_method("session/set_mode");
    assert!(set.text.contains(r#""modeId":"code""#), "{}", set.text);

    let changed = agent.call("2", "set_mode", &json!({"sessionId": "s-1", "mode": "ask"}));
    assert_eq!(changed["structuredContent"]["mode"], "ask");
    let wrong = agent.call("3", "set_mode", &json!({"sessionId": "s-1", "mode": "fly"}));
    assert!(trouble(&wrong).contains("ask, code"), "{wrong}");
    let options = &structured["configOptions"];
    assert_eq!(options[0]["currentValue"], "small");
    let chosen = json!({"sessionId": "s-1", "option": "size", "value": "large"});
    let changed = agent.call("4", "set_option", &chosen);
    let options = &changed["structuredContent"]["configOptions"];
    assert_eq!(options[0]["currentValue"], "large");
    agent.end();
}

#[test]
fn the_agent_itself_may_change_the_mode() {
    let agent = ready(&[], &["--modes"]);
    let session = agent.session();
    let script = r#"update {"sessionUpdate":"current_mode_update","currentModeId":"code"}"#;
    agent.call(
        "1",
        "prompt",
        &json!({"sessionId": session, "text": script}),
    );
    let list = agent.call("2", "list_sessions", &json!({}));
    assert_eq!(list["structuredContent"]["sessions"][0]["mode"], "code");
}

#[test]
fn a_session_continues_its_conversation() {
    let agent = ready(&[], &[]);
    let first = agent.prompt("say a");
    let session = &first["structuredContent"]["sessionId"];
    assert!(
        first["content"][1]["text"]
            .as_str()
            .unwrap()
            .contains("s-1")
    );
    let second = agent.call(
        "1",
        "prompt",
        &json!({"sessionId": session, "text": "say b"}),
    );
    assert_eq!(second["structuredContent"]["sessionId"], *session);
    assert_eq!(second["content"].as_array().unwrap().len(), 1);
    let prompts = agent
        .children
        .seen(|seen| seen.method() == Some("session/prompt"));
    assert!(
        prompts
            .iter()
            .all(|p| p.text.contains(r#""sessionId":"s-1""#))
    );
    let other = agent.prompt("say c");
    assert_eq!(other["structuredContent"]["sessionId"], "s-2");
    assert_eq!(agent.children.started(), 1, "one agent has both");
}

#[test]
fn an_unknown_session_is_an_error() {
    let agent = ready(&[], &[]);
    for tool in ["prompt", "cancel", "close_session", "set_mode"] {
        let mut arguments = json!({"sessionId": "s-9"});
        match tool {
            "prompt" => arguments["text"] = json!("x"),
            "set_mode" => arguments["mode"] = json!("x"),
            _ => {}
        }
        let answer = agent.call("1", tool, &arguments);
        assert!(trouble(&answer).contains("no session `s-9`"), "{answer}");
    }
}

#[test]
fn a_session_does_one_prompt_at_a_time_and_others_work_meanwhile() {
    let agent = ready(&[], &[]);
    let session = agent.session();
    let first = json!({"sessionId": session, "text": "gate on\nsay first"});
    agent.bridge.call("1", "prompt", &first);
    agent.children.wait_for_method("session/prompt");
    let busy = agent.call(
        "2",
        "prompt",
        &json!({"sessionId": session, "text": "say x"}),
    );
    assert!(trouble(&busy).contains("busy"), "{busy}");
    let list = agent.call("3", "list_sessions", &json!({}));
    assert_eq!(list["structuredContent"]["sessions"][0]["busy"], true);
    assert_eq!(text(&agent.prompt("say other")), "other");
    agent.children.open("on");
    assert_eq!(text(&result(&agent.bridge.answer("1"))), "first");
}

#[test]
fn cancelling_the_call_cancels_the_turn_and_keeps_the_session() {
    let agent = ready(&[], &[]);
    let session = agent.session();
    agent.begin_prompt("1", &session, "say a\ngate never");
    agent.children.wait_for_method("session/prompt");
    agent
        .bridge
        .notify("notifications/cancelled", &json!({"requestId": 1}));
    let cancel = agent.children.wait_for_method("session/cancel");
    assert!(cancel.text.contains(&session));
    // Whether the turn has ended yet or not, the next one begins after it.
    let next = agent.call(
        "2",
        "prompt",
        &json!({"sessionId": session, "text": "say b"}),
    );
    assert_eq!(text(&next), "b");
    agent.end();
}

#[test]
fn the_tool_cancel_ends_a_prompt_and_its_call_is_answered() {
    let agent = ready(&[], &[]);
    let session = agent.session();
    agent.begin_prompt("1", &session, "say a\ngate never");
    agent.children.wait_for_method("session/prompt");
    let cancelled = agent.call("2", "cancel", &json!({"sessionId": session}));
    assert_eq!(cancelled["structuredContent"]["cancelled"], true);
    let done = result(&agent.bridge.answer("1"));
    assert_eq!(done["structuredContent"]["stopReason"], "cancelled");
    let idle = agent.call("3", "cancel", &json!({"sessionId": session}));
    assert_eq!(idle["structuredContent"]["cancelled"], false);
}

#[test]
fn cancelling_answers_pending_requests_of_the_agent() {
    let agent = ready(&[], &[]);
    let session = agent.session();
    agent.begin_prompt("1", &session, PERMISSION);
    agent.bridge.heard("elicitation/create");
    agent
        .bridge
        .call("2", "cancel", &json!({"sessionId": session}));
    let done = result(&agent.bridge.answer("1"));
    assert_eq!(text(&done), crate::setup::CANCELLED);
    agent.bridge.heard("notifications/cancelled");
}

#[test]
fn closing_a_session_closes_it_at_the_agent() {
    let agent = ready(&[], &[]);
    let session = agent.session();
    let closed = agent.call("1", "close_session", &json!({"sessionId": session}));
    assert_eq!(closed["structuredContent"]["closed"], true);
    agent.children.wait_for_method("session/close");
    let again = agent.call("2", "prompt", &json!({"sessionId": session, "text": "x"}));
    assert!(trouble(&again).contains("no session"));
}

#[test]
fn a_session_can_be_closed_though_the_agent_does_not_stop() {
    let agent = ready(&[], &[]);
    let session = agent.session();
    agent.begin_prompt("1", &session, "stubborn never");
    agent.children.wait_for_method("session/prompt");
    agent.call("2", "close_session", &json!({"sessionId": session}));
    let done = result(&agent.bridge.answer("1"));
    assert!(trouble(&done).contains("was closed"), "{done}");
    agent.end();
}

#[test]
fn the_late_end_of_a_turn_does_not_end_a_turn_of_the_reloaded_session() {
    let agent = ready(&[], &[]);
    let session = agent.session();
    let late = json!({"sessionId": session, "text": "stubborn late"});
    agent.bridge.call("1", "prompt", &late);
    let prompt = agent.children.wait_for_method("session/prompt");
    agent.call("2", "close_session", &json!({"sessionId": session}));
    agent.call("3", "load_session", &json!({"sessionId": session}));
    let next = json!({"sessionId": session, "text": "gate next\nsay next"});
    agent.bridge.call("4", "prompt", &next);
    agent
        .children
        .wait_for("the next prompt", |seen| seen.text.contains("gate next"));
    agent.children.open("late");
    let answered = format!("answered {}", prompt.id().unwrap());
    agent
        .children
        .wait_for(&answered, |seen| seen.text == answered);
    // A later message of the agent follows that one.
    assert_eq!(text(&agent.prompt("say between")), "between");
    let list = agent.call("5", "list_sessions", &json!({}));
    assert_eq!(list["structuredContent"]["sessions"][0]["busy"], true);
    agent.children.open("next");
    assert_eq!(text(&result(&agent.bridge.answer("4"))), "next");
    agent.end();
}

#[test]
fn session_close_is_not_sent_to_an_agent_without_it() {
    let agent = ready(&[], &["--hello", r#"{"protocolVersion":1}"#]);
    let session = agent.session();
    agent.call("1", "close_session", &json!({"sessionId": session}));
    let closes = agent.children.seen(|s| s.method() == Some("session/close"));
    assert!(closes.is_empty());
    let load = agent.call("2", "load_session", &json!({"sessionId": "old"}));
    assert!(trouble(&load).contains("cannot"), "{load}");
}

#[test]
fn stored_sessions_are_listed_and_loaded() {
    let agent = ready(&[], &[]);
    let list = agent.call("1", "list_sessions", &json!({"stored": true}));
    let structured = &list["structuredContent"];
    assert_eq!(structured["stored"][0]["sessionId"], "old");
    assert_eq!(structured["nextCursor"], "more");
    let taken = agent.call("2", "load_session", &json!({"sessionId": "old"}));
    assert_eq!(taken["structuredContent"]["sessionId"], "old");
    let done = agent.call("3", "prompt", &json!({"sessionId": "old", "text": "say x"}));
    assert_eq!(text(&done), "x", "and nothing of what was repeated");
}

#[test]
fn only_tools_that_the_agent_supports_are_listed() {
    let agent = ready(&[], &["--hello", r#"{"protocolVersion":1}"#]);
    assert_eq!(agent.tools().len(), 9, "anything can be expected");
    agent.session();
    agent.bridge.heard("notifications/tools/list_changed");
    assert_eq!(
        agent.tools(),
        [
            "start_session",
            "prompt",
            "cancel",
            "close_session",
            "list_sessions"
        ]
    );
}

#[test]
fn a_session_uses_its_cwd() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().canonicalize().unwrap();
    let agent = ready(&[], &[]);
    let cwd_of = |arguments: Value| {
        let started = agent.call("1", "start_session", &arguments);
        started["structuredContent"]["cwd"].clone()
    };
    assert_eq!(cwd_of(json!({"cwd": folder})), json!(folder));
    let here = std::env::current_dir().unwrap();
    assert_eq!(cwd_of(json!({})), json!(here), "where linkspan was started");
    for wrong in ["relative", "/no/such/folder", ""] {
        let refused = agent.call("2", "start_session", &json!({"cwd": wrong}));
        assert!(trouble(&refused).contains("absolute"), "{refused}");
    }
}

#[test]
fn sessions_use_the_first_root_of_the_client() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().canonicalize().unwrap();
    let agent = start(&[], &[]);
    agent.greet(&json!({"roots": {"listChanged": true}}));
    agent.bridge.call("1", "start_session", &json!({}));
    let question = agent.bridge.heard("roots/list");
    let id = question.id.unwrap();
    let uri = format!("file://{}", folder.display());
    let roots = json!({"roots": [{"uri": "file:///no/such/folder"}, {"uri": uri}]});
    agent.bridge.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{roots}}}"#
    ));
    let started = result(&agent.bridge.answer("1"));
    assert_eq!(started["structuredContent"]["cwd"], json!(folder));
}

#[test]
fn sessions_are_bounded() {
    let agent = ready(&[], &[]);
    for _ in 0..64 {
        agent.session();
    }
    let one_more = agent.call("1", "start_session", &json!({}));
    assert!(trouble(&one_more).contains("close_session"), "{one_more}");
    agent.call("2", "close_session", &json!({"sessionId": "s-7"}));
    agent.session();
}

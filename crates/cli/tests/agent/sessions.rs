//! Sessions: starting, continuing, cancelling, closing and loading them.

use serde_json::{Value, json};

use crate::setup::{PERMISSION, ready, result, start, text, trouble};

#[test]
fn a_session_lists_its_modes_and_models() {
    let line = ready(&[], &["--modes"]);
    let started = line.call("1", "start_session", &json!({"mode": "code"}));
    let structured = &started["structuredContent"];
    assert_eq!(structured["sessionId"], "s-1");
    assert_eq!(structured["mode"], "code");
    assert_eq!(structured["modes"]["availableModes"][0]["id"], "ask");
    assert_eq!(structured["models"]["currentModelId"], "m");
    assert!(text(&started).contains("ask, code"), "{started}");
    let set = line.children.wait_for_method("session/set_mode");
    assert!(set.text.contains(r#""modeId":"code""#), "{}", set.text);

    let changed = line.call("2", "set_mode", &json!({"sessionId": "s-1", "mode": "ask"}));
    assert_eq!(changed["structuredContent"]["mode"], "ask");
    let wrong = line.call("3", "set_mode", &json!({"sessionId": "s-1", "mode": "fly"}));
    assert!(trouble(&wrong).contains("ask, code"), "{wrong}");
    let options = &structured["configOptions"];
    assert_eq!(options[0]["currentValue"], "small");
    let chosen = json!({"sessionId": "s-1", "option": "size", "value": "large"});
    let changed = line.call("4", "set_option", &chosen);
    let options = &changed["structuredContent"]["configOptions"];
    assert_eq!(options[0]["currentValue"], "large");
    line.end();
}

#[test]
fn the_agent_itself_may_change_the_mode() {
    let line = ready(&[], &["--modes"]);
    let session = line.session();
    let script = r#"update {"sessionUpdate":"current_mode_update","currentModeId":"code"}"#;
    line.call(
        "1",
        "prompt",
        &json!({"sessionId": session, "text": script}),
    );
    let list = line.call("2", "list_sessions", &json!({}));
    assert_eq!(list["structuredContent"]["sessions"][0]["mode"], "code");
}

#[test]
fn a_session_continues_its_conversation() {
    let line = ready(&[], &[]);
    let first = line.prompt("say a");
    let session = &first["structuredContent"]["sessionId"];
    assert!(
        first["content"][1]["text"]
            .as_str()
            .unwrap()
            .contains("s-1")
    );
    let second = line.call(
        "1",
        "prompt",
        &json!({"sessionId": session, "text": "say b"}),
    );
    assert_eq!(second["structuredContent"]["sessionId"], *session);
    assert_eq!(second["content"].as_array().unwrap().len(), 1);
    let prompts = line
        .children
        .seen(|seen| seen.method() == Some("session/prompt"));
    assert!(
        prompts
            .iter()
            .all(|p| p.text.contains(r#""sessionId":"s-1""#))
    );
    let other = line.prompt("say c");
    assert_eq!(other["structuredContent"]["sessionId"], "s-2");
    assert_eq!(line.children.started(), 1, "one agent has both");
}

#[test]
fn an_unknown_session_is_an_error() {
    let line = ready(&[], &[]);
    for tool in ["prompt", "cancel", "close_session", "set_mode"] {
        let mut arguments = json!({"sessionId": "s-9"});
        match tool {
            "prompt" => arguments["text"] = json!("x"),
            "set_mode" => arguments["mode"] = json!("x"),
            _ => {}
        }
        let answer = line.call("1", tool, &arguments);
        assert!(trouble(&answer).contains("no session `s-9`"), "{answer}");
    }
}

#[test]
fn a_session_does_one_prompt_at_a_time_and_others_work_meanwhile() {
    let line = ready(&[], &[]);
    let session = line.session();
    let first = json!({"sessionId": session, "text": "gate on\nsay first"});
    line.bridge.call("1", "prompt", &first);
    line.children.wait_for_method("session/prompt");
    let busy = line.call(
        "2",
        "prompt",
        &json!({"sessionId": session, "text": "say x"}),
    );
    assert!(trouble(&busy).contains("busy"), "{busy}");
    let list = line.call("3", "list_sessions", &json!({}));
    assert_eq!(list["structuredContent"]["sessions"][0]["busy"], true);
    assert_eq!(text(&line.prompt("say other")), "other");
    line.children.open("on");
    assert_eq!(text(&result(&line.bridge.answer("1"))), "first");
}

#[test]
fn cancelling_the_call_cancels_the_turn_and_keeps_the_session() {
    let line = ready(&[], &[]);
    let session = line.session();
    line.begin_prompt("1", &session, "say a\ngate never");
    line.children.wait_for_method("session/prompt");
    line.bridge
        .notify("notifications/cancelled", &json!({"requestId": 1}));
    let cancel = line.children.wait_for_method("session/cancel");
    assert!(cancel.text.contains(&session));
    // Whether the turn has ended yet or not, the next one begins after it.
    let next = line.call(
        "2",
        "prompt",
        &json!({"sessionId": session, "text": "say b"}),
    );
    assert_eq!(text(&next), "b");
    line.end();
}

#[test]
fn the_tool_cancel_ends_a_prompt_and_its_call_is_answered() {
    let line = ready(&[], &[]);
    let session = line.session();
    line.begin_prompt("1", &session, "say a\ngate never");
    line.children.wait_for_method("session/prompt");
    let cancelled = line.call("2", "cancel", &json!({"sessionId": session}));
    assert_eq!(cancelled["structuredContent"]["cancelled"], true);
    let done = result(&line.bridge.answer("1"));
    assert_eq!(done["structuredContent"]["stopReason"], "cancelled");
    let idle = line.call("3", "cancel", &json!({"sessionId": session}));
    assert_eq!(idle["structuredContent"]["cancelled"], false);
}

#[test]
fn cancelling_answers_pending_requests_of_the_agent() {
    let line = ready(&[], &[]);
    let session = line.session();
    line.begin_prompt("1", &session, PERMISSION);
    line.bridge.heard("elicitation/create");
    line.bridge
        .call("2", "cancel", &json!({"sessionId": session}));
    let done = result(&line.bridge.answer("1"));
    assert_eq!(text(&done), crate::setup::CANCELLED);
    line.bridge.heard("notifications/cancelled");
}

#[test]
fn closing_a_session_closes_it_at_the_agent() {
    let line = ready(&[], &[]);
    let session = line.session();
    let closed = line.call("1", "close_session", &json!({"sessionId": session}));
    assert_eq!(closed["structuredContent"]["closed"], true);
    line.children.wait_for_method("session/close");
    let again = line.call("2", "prompt", &json!({"sessionId": session, "text": "x"}));
    assert!(trouble(&again).contains("no session"));
}

#[test]
fn a_session_can_be_closed_though_the_agent_does_not_stop() {
    let line = ready(&[], &[]);
    let session = line.session();
    line.begin_prompt("1", &session, "stubborn never");
    line.children.wait_for_method("session/prompt");
    line.call("2", "close_session", &json!({"sessionId": session}));
    let done = result(&line.bridge.answer("1"));
    assert!(trouble(&done).contains("was closed"), "{done}");
    line.end();
}

#[test]
fn the_late_end_of_a_turn_does_not_end_a_turn_of_the_reloaded_session() {
    let line = ready(&[], &[]);
    let session = line.session();
    let late = json!({"sessionId": session, "text": "stubborn late"});
    line.bridge.call("1", "prompt", &late);
    let prompt = line.children.wait_for_method("session/prompt");
    line.call("2", "close_session", &json!({"sessionId": session}));
    line.call("3", "load_session", &json!({"sessionId": session}));
    let next = json!({"sessionId": session, "text": "gate next\nsay next"});
    line.bridge.call("4", "prompt", &next);
    line.children
        .wait_for("the next prompt", |seen| seen.text.contains("gate next"));
    line.children.open("late");
    let answered = format!("answered {}", prompt.id().unwrap());
    line.children
        .wait_for(&answered, |seen| seen.text == answered);
    // A later message of the agent follows that one.
    assert_eq!(text(&line.prompt("say between")), "between");
    let list = line.call("5", "list_sessions", &json!({}));
    assert_eq!(list["structuredContent"]["sessions"][0]["busy"], true);
    line.children.open("next");
    assert_eq!(text(&result(&line.bridge.answer("4"))), "next");
    line.end();
}

#[test]
fn session_close_is_not_sent_to_an_agent_without_it() {
    let line = ready(&[], &["--hello", r#"{"protocolVersion":1}"#]);
    let session = line.session();
    line.call("1", "close_session", &json!({"sessionId": session}));
    let closes = line.children.seen(|s| s.method() == Some("session/close"));
    assert!(closes.is_empty());
    let load = line.call("2", "load_session", &json!({"sessionId": "old"}));
    assert!(trouble(&load).contains("cannot"), "{load}");
}

#[test]
fn stored_sessions_are_listed_and_loaded() {
    let line = ready(&[], &[]);
    let list = line.call("1", "list_sessions", &json!({"stored": true}));
    let structured = &list["structuredContent"];
    assert_eq!(structured["stored"][0]["sessionId"], "old");
    assert_eq!(structured["nextCursor"], "more");
    let taken = line.call("2", "load_session", &json!({"sessionId": "old"}));
    assert_eq!(taken["structuredContent"]["sessionId"], "old");
    let done = line.call("3", "prompt", &json!({"sessionId": "old", "text": "say x"}));
    assert_eq!(text(&done), "x", "and nothing of what was repeated");
}

#[test]
fn only_tools_that_the_agent_supports_are_listed() {
    let line = ready(&[], &["--hello", r#"{"protocolVersion":1}"#]);
    assert_eq!(line.tools().len(), 9, "anything can be expected");
    line.session();
    line.bridge.heard("notifications/tools/list_changed");
    assert_eq!(
        line.tools(),
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
    let line = ready(&[], &[]);
    let cwd_of = |arguments: Value| {
        let started = line.call("1", "start_session", &arguments);
        started["structuredContent"]["cwd"].clone()
    };
    assert_eq!(cwd_of(json!({"cwd": folder})), json!(folder));
    let here = std::env::current_dir().unwrap();
    assert_eq!(cwd_of(json!({})), json!(here), "where linkspan was started");
    for wrong in ["relative", "/no/such/folder", ""] {
        let refused = line.call("2", "start_session", &json!({"cwd": wrong}));
        assert!(trouble(&refused).contains("absolute"), "{refused}");
    }
}

#[test]
fn sessions_use_the_first_root_of_the_client() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().canonicalize().unwrap();
    let line = start(&[], &[]);
    line.greet(&json!({"roots": {"listChanged": true}}));
    line.bridge.call("1", "start_session", &json!({}));
    let question = line.bridge.heard("roots/list");
    let id = question.id.unwrap();
    let uri = format!("file://{}", folder.display());
    let roots = json!({"roots": [{"uri": "file:///no/such/folder"}, {"uri": uri}]});
    line.bridge.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{roots}}}"#
    ));
    let started = result(&line.bridge.answer("1"));
    assert_eq!(started["structuredContent"]["cwd"], json!(folder));
}

#[test]
fn sessions_are_bounded() {
    let line = ready(&[], &[]);
    for _ in 0..64 {
        line.session();
    }
    let one_more = line.call("1", "start_session", &json!({}));
    assert!(trouble(&one_more).contains("close_session"), "{one_more}");
    line.call("2", "close_session", &json!({"sessionId": "s-7"}));
    line.session();
}

mod edge_cases;
mod owners;
mod rooted;
mod undeclared;

use std::time::Duration;

use super::*;
use crate::era::stage::{Stage, at, error, modern, result};

const ALL: &str = r#"{"elicitation":{},"sampling":{},"roots":{}}"#;
const SERVER: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}},"serverInfo":{"name":"s"}}"#;
const ASK: &str = r#"{"jsonrpc":"2.0","id":"user_name","method":"elicitation/create","params":{"message":"Who?","elicitationId":"e"}}"#;

fn fresh() -> Stage<ModernToLegacy> {
    let mut count = 0;
    Stage::new(ModernToLegacy::new(ModernToLegacyOptions {
        secret: Box::new(move || {
            count += 1;
            format!("secret{count}")
        }),
        ..ModernToLegacyOptions::new("home".to_owned(), String::new)
    }))
}

/// A stage with an initialized server, and its first call in flight.
fn ready(first: &str) -> (Stage<ModernToLegacy>, String) {
    let mut stage = fresh();
    let initialize = stage.client(first).told_one();
    let mut told = shake(&mut stage, &initialize, SERVER);
    assert_eq!(at(&told[0], &["method"]), r#""notifications/initialized""#);
    (stage, told.pop().unwrap())
}

/// Does the handshake of a server that asks nothing at its start; returns the messages to the server.
fn shake(stage: &mut Stage<ModernToLegacy>, initialize: &str, server: &str) -> Vec<String> {
    let mut told = stage.server(&result(initialize, server)).told();
    let ping = told.pop_if(|last| at(last, &["method"]) == r#""ping""#);
    if let Some(ping) = ping {
        told.extend(stage.server(&result(&ping, "{}")).told());
    }
    told
}

fn call(id: &str, more: &str) -> String {
    modern(id, "tools/call", &format!(r#""name":"t"{more}"#), ALL)
}

/// A parked call: the stage, the server's request, the client's state.
fn parked() -> (Stage<ModernToLegacy>, String, String) {
    let (mut stage, request) = ready(&call("1", ""));
    assert!(stage.server(ASK).heard().is_empty(), "there may be more");
    let answer = stage.after(Duration::from_millis(30)).heard_one();
    let state = at(&answer, &["result", "requestState"]);
    (stage, request, state)
}

#[test]
fn the_server_is_initialised_once_in_the_name_of_the_first_request() {
    let mut stage = fresh();
    let initialize = stage.client(&call("1", "")).told_one();
    assert_eq!(at(&initialize, &["method"]), r#""initialize""#);
    assert_eq!(at(&initialize, &["params", "capabilities"]), ALL);
    assert_eq!(
        at(&initialize, &["params", "protocolVersion"]),
        r#""2025-11-25""#
    );
    assert!(stage.client(&call("2", "")).told().is_empty(), "it waits");
    let told = shake(&mut stage, &initialize, SERVER);
    assert_eq!(told.len(), 3, "initialized, and both calls");
    assert!(!told[1].contains("io.modelcontextprotocol"));
    assert_eq!(at(&told[1], &["params", "_meta", "progressToken"]), "1");
}

#[test]
fn a_server_that_will_not_shake_hands_is_asked_again_next_time() {
    let mut stage = fresh();
    let initialize = stage.client(&call("1", "")).told_one();
    let heard = stage.server(&error(&initialize, -32000, "{}")).heard_one();
    assert_eq!(at(&heard, &["id"]), "1");
    let again = stage.client(&call("2", "")).told_one();
    assert_eq!(at(&again, &["method"]), r#""initialize""#);
    let heard = stage.after(Duration::from_secs(61)).heard_one();
    assert_eq!(at(&heard, &["error", "data", "kind"]), r#""timeout""#);
}

#[test]
fn results_are_stamped_and_discovery_is_answered_here() {
    let (mut stage, request) = ready(&modern("1", "tools/list", "", "{}"));
    let heard = stage
        .server(&result(&request, r#"{"tools":[]}"#))
        .heard_one();
    assert_eq!(at(&heard, &["result", "ttlMs"]), "0");
    assert_eq!(at(&heard, &["result", "resultType"]), r#""complete""#);
    let heard = stage
        .client(&modern("2", "server/discover", "", "{}"))
        .heard_one();
    assert_eq!(
        at(&heard, &["result", "supportedVersions"]),
        r#"["2026-07-28"]"#
    );
    assert!(stage.told().is_empty());
}

#[test]
fn methods_of_the_handshake_era_are_unknown() {
    let (mut stage, _) = ready(&call("1", ""));
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
    ] {
        let heard = stage.client(&modern("2", method, "", "{}")).heard_one();
        assert_eq!(at(&heard, &["error", "code"]), "-32601", "{method}");
    }
    assert!(stage.told().is_empty());
}

#[test]
fn a_question_ends_the_request_and_its_answer_goes_to_the_server() {
    let (mut stage, request, state) = parked();
    let retry = format!(
        r#","requestState":{state},"inputResponses":{{"user_name":{{"action":"accept"}}}}"#
    );
    let answer = stage.client(&call("2", &retry)).told_one();
    assert_eq!(
        answer,
        r#"{"jsonrpc":"2.0","id":"user_name","result":{"action":"accept"}}"#
    );
    let heard = stage
        .server(&result(&request, r#"{"content":[]}"#))
        .heard_one();
    assert_eq!(at(&heard, &["id"]), "2", "the retry is answered");
}

#[test]
fn the_key_is_the_servers_own_id_and_legacy_members_are_removed() {
    let (mut stage, _) = ready(&call("1", ""));
    let heard = stage
        .server(ASK)
        .after(Duration::from_millis(30))
        .heard_one();
    assert_eq!(
        at(&heard, &["result", "inputRequests"]),
        r#"{"user_name":{"method":"elicitation/create","params":{"message":"Who?"}}}"#
    );
    assert_eq!(at(&heard, &["result", "requestState"]), r#""home.secret1""#);
    assert!(stage.told().is_empty(), "the server waits");
}

#[test]
fn questions_of_one_breath_are_asked_together() {
    let (mut stage, _) = ready(&call("1", ""));
    stage.server(ASK).after(Duration::from_millis(10));
    let roots = r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#;
    let heard = stage
        .server(roots)
        .after(Duration::from_millis(25))
        .heard_one();
    assert_eq!(
        at(&heard, &["result", "inputRequests", "7"]),
        r#"{"method":"roots/list"}"#
    );
    assert!(heard.contains("user_name"));
}

#[test]
fn unanswered_questions_are_asked_again_under_a_new_state() {
    let (mut stage, _, state) = parked();
    let retry = format!(r#","requestState":{state},"inputResponses":{{"other":{{}}}}"#);
    let heard = stage.client(&call("2", &retry)).heard_one();
    assert_eq!(at(&heard, &["result", "resultType"]), r#""input_required""#);
    assert_ne!(at(&heard, &["result", "requestState"]), state);
}

#[test]
fn a_state_is_valid_once_for_one_request_and_unaltered() {
    let (mut stage, _, state) = parked();
    let with = |state: &str, more: &str| call("9", &format!(r#","requestState":{state}{more}"#));
    let code = |stage: &mut Stage<ModernToLegacy>, text: &str| {
        at(&stage.client(text).heard_one(), &["error", "code"])
    };
    assert_eq!(code(&mut stage, &with(r#""home.secret1x""#, "")), "-32602");
    let other = modern(
        "9",
        "tools/call",
        &format!(r#""name":"u","requestState":{state}"#),
        ALL,
    );
    assert_eq!(code(&mut stage, &other), "-32602", "of another tool");
    let bad = with(&state, r#","inputResponses":{"user_name":12}"#);
    assert_eq!(code(&mut stage, &bad), "-32602", "not an object");
    let good = with(&state, r#","inputResponses":{"user_name":{}}"#);
    assert_eq!(
        stage.client(&good).told().len(),
        1,
        "nothing was spoiled so far"
    );
    let again =
        with(&state, r#","inputResponses":{"user_name":{}}"#).replace(r#""id":9"#, r#""id":10"#);
    assert_eq!(code(&mut stage, &again), "-32602", "used");
    assert!(stage.told().is_empty(), "a call is never run twice");
}

#[test]
fn answers_in_advance_are_given_when_the_server_asks() {
    let in_advance = r#","inputResponses":{"user_name":{"action":"decline"},"more":{}}"#;
    let (mut stage, request) = ready(&call("1", in_advance));
    assert!(!request.contains("inputResponses"));
    let told = stage.server(ASK).told_one();
    assert_eq!(at(&told, &["result"]), r#"{"action":"decline"}"#);
}

#[test]
fn a_question_outside_a_call_is_refused() {
    let (mut stage, request) = ready(&modern("1", "tools/list", "", ALL));
    let told = stage.server(ASK).told_one();
    assert_eq!(at(&told, &["id"]), r#""user_name""#);
    assert!(told.contains("error"));
    stage.server(&result(&request, r#"{"tools":[]}"#));
    assert!(stage.heard_one().contains("tools"));
}

#[test]
fn a_question_of_two_candidates_waits_until_one_call_ends() {
    let (mut stage, first) = ready(&call("1", ""));
    stage.client(&call("2", "")).told();
    assert!(
        stage
            .server(ASK)
            .after(Duration::from_millis(50))
            .heard()
            .is_empty()
    );
    stage.server(&result(&first, r#"{"content":[]}"#));
    let heard = stage.after(Duration::from_millis(50)).heard();
    assert_eq!(at(&heard[0], &["id"]), "1");
    assert_eq!(at(&heard[1], &["id"]), "2", "so it was the other's");
}

#[test]
fn a_question_that_two_calls_can_have_asked_is_refused_after_a_while() {
    let (mut stage, _) = ready(&call("1", ""));
    stage.client(&call("2", "")).told();
    stage.server(ASK);
    let told = stage.after(Duration::from_secs(11)).told_one();
    assert!(told.contains("unknown which"), "{told}");
    assert!(stage.heard().is_empty());
}

#[test]
fn a_client_that_does_not_come_back_is_waited_for_in_vain_only_so_long() {
    let (mut stage, request, _) = parked();
    let told = stage.after(PARK).told();
    assert_eq!(
        at(&told[0], &["id"]),
        r#""user_name""#,
        "the question is answered"
    );
    assert_eq!(
        at(&told[1], &["params", "requestId"]),
        at(&request, &["id"])
    );
    assert_eq!(stage.machine.options.status.parked(), 0);
}

#[test]
fn an_answer_that_comes_while_the_call_is_parked_is_kept() {
    let (mut stage, request, state) = parked();
    let gave_up = result(&request, r#"{"content":[],"isError":true}"#);
    assert!(stage.server(&gave_up).heard().is_empty());
    let heard = stage
        .client(&call("2", &format!(r#","requestState":{state}"#)))
        .heard_one();
    assert_eq!(at(&heard, &["result", "isError"]), "true");
}

#[test]
fn progress_after_a_question_carries_the_token_of_the_retry() {
    let (mut stage, _, state) = parked();
    let progress = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":5}}"#;
    let more = progress.replace(r#""progress":5"#, r#""progress":6"#);
    assert!(
        stage.server(progress).server(&more).heard().is_empty(),
        "no call waits"
    );
    let retry = format!(r#","requestState":{state},"inputResponses":{{"user_name":{{}}}}"#);
    let heard = stage.client(&call(r#""again""#, &retry)).heard_one();
    assert_eq!(
        at(&heard, &["params", "progress"]),
        "6",
        "the newest is not lost"
    );
    let heard = stage.server(progress).heard_one();
    assert_eq!(at(&heard, &["params", "progressToken"]), r#""again""#);
}

#[test]
fn cancelling_reaches_the_server() {
    let (mut stage, request) = ready(&call("1", ""));
    let told = stage
        .client(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        .told_one();
    assert_eq!(at(&told, &["params", "requestId"]), at(&request, &["id"]));
    assert!(stage.server(&result(&request, "{}")).heard().is_empty());
}

#[test]
fn logs_reach_only_requests_that_name_a_level_and_from_that_level_on() {
    let (mut stage, _) = ready(&call("1", ""));
    let log = |level: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"{level}","data":1}}}}"#
        )
    };
    assert!(stage.server(&log("error")).heard().is_empty());
    let wants = call("2", "").replace(
        r#""progressToken":2"#,
        r#""io.modelcontextprotocol/logLevel":"warning""#,
    );
    let level = stage.client(&wants).told_one();
    assert_eq!(at(&level, &["params"]), r#"{"level":"warning"}"#);
    let sent = stage.server(&result(&level, "{}")).told_one();
    assert_eq!(at(&sent, &["method"]), r#""tools/call""#);
    assert!(stage.server(&log("info")).heard().is_empty());
    assert_eq!(stage.server(&log("error")).abouts(), [Some("2".to_owned())]);
}

#[test]
fn listeners_get_their_notifications_under_their_own_id() {
    let (mut stage, _) = ready(&call("1", ""));
    let filter = r#""notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["a://b"]}"#;
    let subscribe = stage
        .client(&modern("77", "subscriptions/listen", filter, "{}"))
        .told_one();
    assert_eq!(at(&subscribe, &["params"]), r#"{"uri":"a://b"}"#);
    assert!(stage.heard().is_empty(), "not before the server has agreed");
    let ack = stage.server(&result(&subscribe, "{}")).heard_one();
    assert_eq!(
        at(&ack, &["params", "notifications"]),
        r#"{"toolsListChanged":true,"resourceSubscriptions":["a://b"]}"#,
        "the server's prompts do not change"
    );
    for (method, params) in [
        ("tools/list_changed", "{}"),
        ("resources/updated", r#"{"uri":"a://b"}"#),
    ] {
        let news =
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#);
        let heard = stage.server(&news).heard_one();
        assert_eq!(
            at(
                &heard,
                &["params", "_meta", "io.modelcontextprotocol/subscriptionId"]
            ),
            "77"
        );
    }
    for other in ["prompts/list_changed", "resources/list_changed"] {
        let news = format!(r#"{{"jsonrpc":"2.0","method":"notifications/{other}"}}"#);
        assert!(stage.server(&news).heard().is_empty(), "{other}");
    }
    let told = stage
        .client(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#)
        .told_one();
    assert_eq!(at(&told, &["method"]), r#""resources/unsubscribe""#);
}

#[test]
fn a_page_to_visit_is_a_question_without_a_state() {
    let url = modern(
        "1",
        "tools/call",
        r#""name":"t""#,
        r#"{"elicitation":{"url":{}}}"#,
    );
    let (mut stage, request) = ready(&url);
    let data =
        r#"{"elicitations":[{"mode":"url","elicitationId":"e1","url":"https://x","message":"m"}]}"#;
    let heard = stage.server(&error(&request, -32042, data)).heard_one();
    assert_eq!(
        at(&heard, &["result", "inputRequests", "e1", "params"]),
        r#"{"mode":"url","url":"https://x","message":"m"}"#
    );
    assert_eq!(at(&heard, &["result", "requestState"]), "");
}

#[test]
fn a_ping_of_the_server_is_answered_here() {
    let (mut stage, _) = ready(&call("1", ""));
    let told = stage
        .server(r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#)
        .told_one();
    assert_eq!(told, r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
}

#[test]
fn roots_that_a_server_wants_at_its_start_are_no_part_of_a_call_that_ends_meanwhile() {
    let (mut stage, request) = ready(&call("1", ""));
    let roots = r#"{"jsonrpc":"2.0","id":"own","method":"roots/list"}"#;
    assert!(
        stage
            .server(roots)
            .after(Duration::from_millis(500))
            .heard()
            .is_empty()
    );
    stage.server(&result(&request, r#"{"content":[]}"#));
    assert_eq!(
        at(&stage.heard_one(), &["result", "resultType"]),
        r#""complete""#
    );
    let told = stage.told_one();
    assert!(told.contains(r#""id":"own","error""#), "{told}");
}

#[test]
fn roots_that_a_call_waits_for_are_asked_for() {
    let roots = r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#;
    let (mut stage, _) = ready(&call("1", ""));
    assert!(
        stage
            .server(roots)
            .after(Duration::from_millis(500))
            .heard()
            .is_empty()
    );
    stage
        .after(Duration::from_millis(600))
        .after(Duration::from_millis(30));
    assert!(
        stage.heard_one().contains("input_required"),
        "it does not end without them"
    );

    let (mut stage, _) = ready(&call("1", ""));
    let heard = stage
        .server(roots)
        .server(ASK)
        .after(Duration::from_millis(30))
        .heard_one();
    assert!(
        heard.contains("roots/list"),
        "what comes in one breath belongs together: {heard}"
    );

    let (mut stage, _) = ready(&call("1", ""));
    let heard = stage
        .after(Duration::from_secs(5))
        .server(roots)
        .after(Duration::from_millis(30))
        .heard_one();
    assert!(
        heard.contains("roots/list"),
        "long after the start it is the call's"
    );
}

#[test]
fn a_call_that_ends_leaves_no_question_open() {
    let (mut stage, request) = ready(&call("1", ""));
    stage
        .server(ASK)
        .server(&result(&request, r#"{"content":[]}"#));
    assert!(stage.told_one().contains("the call has ended"));
    assert!(
        stage
            .after(Duration::from_secs(1))
            .heard_one()
            .contains("complete")
    );
}

#[test]
fn a_tool_that_never_asked_may_have_asked_now() {
    let (mut stage, first) = ready(&call("1", ""));
    stage.server(&result(&first, r#"{"content":[]}"#)).heard();
    let quiet = stage.client(&call("2", "")).told_one();
    stage
        .client(&modern("3", "tools/call", r#""name":"u""#, ALL))
        .told();
    stage.server(ASK).after(Duration::from_millis(30));
    assert!(stage.heard().is_empty(), "it could be either");
    stage.server(&result(&quiet, r#"{"content":[]}"#)).heard();
    let heard = stage.after(Duration::from_millis(30)).heard_one();
    assert_eq!(at(&heard, &["id"]), "3");
}

#[test]
fn a_state_is_valid_only_for_the_principal_that_it_was_given_to() {
    let by = |principal: &str, text: &str| {
        let msg = Message::parse(text.to_owned().into()).unwrap();
        crate::era::signed(&msg, principal, false).text()
    };
    let (mut stage, request) = ready(&by("alice", &call("1", "")));
    assert!(!request.contains("alice"), "{request}");
    let heard = stage
        .server(ASK)
        .after(Duration::from_millis(30))
        .heard_one();
    let state = at(&heard, &["result", "requestState"]);
    let retry = call(
        "2",
        &format!(r#","requestState":{state},"inputResponses":{{"user_name":{{}}}}"#),
    );
    let heard = stage.client(&by("bob", &retry)).heard_one();
    assert_eq!(at(&heard, &["error", "code"]), "-32602");
    assert_eq!(stage.client(&by("alice", &retry)).told().len(), 1);
}

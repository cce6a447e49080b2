//! A server that asks for roots at its start, outside any call.

use super::*;

const ROOTS: &str = r#"{"jsonrpc":"2.0","id":"own","method":"roots/list"}"#;
const A: &str = r#"[{"uri":"file:///a"}]"#;

fn with(id: &str, roots: &str) -> String {
    let more = format!(
        r#","requestState":"linkspan/roots","inputResponses":{{"linkspan/roots":{{"roots":{roots}}}}}"#
    );
    call(id, &more)
}

/// A server that has shaken hands and now has a ping to answer; the first call waits.
fn beginning(mut stage: Stage<ModernToLegacy>, first: &str) -> (Stage<ModernToLegacy>, String) {
    let initialize = stage.client(first).told_one();
    let mut told = stage.server(&result(&initialize, SERVER)).told();
    let ping = told.pop().unwrap();
    assert_eq!(at(&ping, &["method"]), r#""ping""#, "{told:?}");
    assert_eq!(told.len(), 1, "the call waits: {told:?}");
    (stage, ping)
}

fn pooled(roots: Option<&str>) -> Stage<ModernToLegacy> {
    let mut stage = fresh();
    stage.machine.options.alone = false;
    stage.machine.options.roots = roots.map(str::to_owned);
    stage
}

#[test]
fn the_only_client_is_asked_first_and_the_server_gets_the_roots_before_the_call() {
    let (mut stage, ping) = beginning(fresh(), &call("1", ""));
    stage.server(ROOTS).server(&result(&ping, "{}"));
    let asked = stage.after(Duration::from_secs(1)).heard_one();
    assert!(stage.told().is_empty(), "nothing runs without roots");
    assert_eq!(
        at(&asked, &["result", "inputRequests"]),
        r#"{"linkspan/roots":{"method":"roots/list"}}"#
    );
    let answer = stage.client(&with("2", A)).told_one();
    assert_eq!(
        answer,
        format!(r#"{{"jsonrpc":"2.0","id":"own","result":{{"roots":{A}}}}}"#)
    );
    let sent = stage.after(Duration::from_secs(1)).told_one();
    assert_eq!(at(&sent, &["method"]), r#""tools/call""#);
    assert!(!sent.contains("linkspan/"), "{sent}");
    stage
        .server(&result(&sent, r#"{"content":[]}"#))
        .heard_one();
    let next = stage.client(&call("3", "")).told_one();
    assert_eq!(at(&next, &["method"]), r#""tools/call""#, "once is enough");
}

#[test]
fn a_server_whose_question_timed_out_is_notified_of_new_roots() {
    let (mut stage, ping) = beginning(fresh(), &modern("1", "tools/list", "", ALL));
    stage.server(ROOTS).server(&result(&ping, "{}"));
    stage.after(Duration::from_secs(1)).told_one();
    let refused = stage.after(Duration::from_secs(60)).told_one();
    assert!(refused.contains(r#""id":"own","error""#), "{refused}");
    stage.client(&call("2", "")).heard();
    let told = stage.client(&with("3", A)).told_one();
    assert!(told.contains("notifications/roots/list_changed"), "{told}");
    let told = stage.server(ROOTS).told_one();
    assert_eq!(at(&told, &["result", "roots"]), A);
    stage.after(Duration::from_secs(1)).told_one();
}

/// A call of a client without capabilities.
fn bare_call(id: &str) -> String {
    modern(id, "tools/call", r#""name":"t""#, "{}")
}

#[test]
fn a_client_without_roots_is_not_asked_for_them() {
    let (mut stage, ping) = beginning(fresh(), &bare_call("1"));
    let told = stage.server(ROOTS).told_one();
    assert_eq!(at(&told, &["error", "code"]), "-32601");
    assert!(stage.heard().is_empty(), "it is the server's own question");
    let sent = stage.server(&result(&ping, "{}")).told_one();
    assert!(sent.contains("tools/call"), "{sent}");
    stage.after(Duration::from_secs(5)).server(ROOTS);
    assert_eq!(at(&stage.heard_one(), &["error", "code"]), "-32021");
}

#[test]
fn a_call_that_asks_for_undeclared_roots_right_after_the_start_fails() {
    let (mut stage, ping) = beginning(fresh(), &bare_call("1"));
    stage.server(&result(&ping, "{}")).told_one();
    stage.server(ROOTS);
    assert_eq!(at(&stage.heard_one(), &["error", "code"]), "-32021");
    assert_eq!(at(&stage.told_one(), &["error", "code"]), "-32601");
}

#[test]
fn a_question_is_assigned_even_if_the_server_answers_calls_before_pings() {
    let mut stage = fresh();
    let initialize = stage.client(&bare_call("1")).told_one();
    let told = stage.server(&result(&initialize, SERVER)).told();
    // The server handles messages concurrently: a call asks as soon as it arrives.
    let asks = |stage: &mut Stage<ModernToLegacy>, told: &[String]| {
        if told.iter().any(|msg| msg.contains("tools/call")) {
            stage.server(ROOTS);
        }
    };
    asks(&mut stage, &told);
    let ping = told.iter().find(|msg| msg.contains(r#""ping""#)).unwrap();
    let told = stage.server(&result(ping, "{}")).told();
    asks(&mut stage, &told);
    assert_eq!(at(&stage.heard_one(), &["error", "code"]), "-32021");
}

#[test]
fn a_list_for_a_client_without_roots_does_not_wait_for_the_ping() {
    let mut stage = fresh();
    let list = modern("1", "tools/list", "", "{}");
    let initialize = stage.client(&list).told_one();
    stage.client(&bare_call("2"));
    let told = stage.server(&result(&initialize, SERVER)).told();
    let methods: Vec<String> = told.iter().map(|msg| at(msg, &["method"])).collect();
    let expected = ["notifications/initialized", "ping", "tools/list"];
    assert_eq!(methods, expected.map(|method| format!("{method:?}")));
    let next = modern("3", "tools/list", "", "{}");
    assert!(stage.client(&next).told_one().contains("tools/list"));
    let sent = stage.server(&result(&told[1], "{}")).told_one();
    assert!(sent.contains("tools/call"), "{sent}");
}

#[test]
fn a_question_before_the_late_answer_to_the_ping_fails_no_call_of_a_client_without_roots() {
    let (mut stage, _) = beginning(fresh(), &bare_call("1"));
    let sent = stage.after(Duration::from_secs(2)).told_one();
    assert!(sent.contains("tools/call"), "{sent}");
    let told = stage.server(ROOTS).told_one();
    assert_eq!(at(&told, &["error", "code"]), "-32601");
    assert!(
        stage.heard().is_empty(),
        "the server may only be slow to begin"
    );
}

#[test]
fn a_server_of_several_clients_gets_no_roots_unless_it_was_started_for_them() {
    let (mut stage, ping) = beginning(pooled(None), &call("1", ""));
    let told = stage.server(ROOTS).told_one();
    assert!(told.contains(r#""id":"own","error""#), "{told}");
    stage.server(&result(&ping, "{}"));
    let asked = stage.after(Duration::from_secs(1)).heard_one();
    assert!(asked.contains("linkspan/roots"), "{asked}");
    assert!(stage.told().is_empty(), "the call has not run");
    let list = stage.client(&modern("2", "tools/list", "", ALL)).told_one();
    assert!(list.contains("tools/list"), "a list needs no roots");
}

#[test]
fn a_server_that_was_started_for_roots_gets_them_whenever_it_asks() {
    let (mut stage, ping) = beginning(pooled(Some(A)), &with("1", A));
    let told = stage.server(ROOTS).told_one();
    assert_eq!(at(&told, &["result", "roots"]), A);
    stage.server(&result(&ping, "{}"));
    let sent = stage.after(Duration::from_secs(1)).told_one();
    assert!(sent.contains("tools/call"), "{sent}");
    let told = stage.server(ROOTS).told_one();
    assert_eq!(at(&told, &["result", "roots"]), A);
    assert!(stage.heard().is_empty(), "its clients have said them");
}

#[test]
fn a_server_that_never_answers_a_ping_is_used_all_the_same() {
    let (mut stage, _) = beginning(fresh(), &call("1", ""));
    let sent = stage.after(Duration::from_secs(2)).told_one();
    assert!(sent.contains("tools/call"), "{sent}");
}

#[test]
fn a_server_that_got_roots_during_a_call_is_not_shared() {
    let (mut stage, ping) = beginning(pooled(None), &call("1", ""));
    stage.server(&result(&ping, "{}")).told_one();
    let heard = stage
        .after(Duration::from_secs(5))
        .server(ROOTS)
        .after(Duration::from_millis(30))
        .heard_one();
    let state = at(&heard, &["result", "requestState"]);
    assert!(!stage.machine.options.status.knows_roots());
    let retry = format!(r#","requestState":{state},"inputResponses":{{"own":{{"roots":{A}}}}}"#);
    stage.client(&call("2", &retry)).told_one();
    assert!(stage.machine.options.status.knows_roots());
}

#[test]
fn a_cancelled_call_that_waits_for_the_server_to_begin_does_not_run() {
    let (mut stage, ping) = beginning(fresh(), &call("1", ""));
    stage
        .client(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    assert!(stage.server(&result(&ping, "{}")).told().is_empty());
}

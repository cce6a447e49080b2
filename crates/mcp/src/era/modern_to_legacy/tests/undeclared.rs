//! A server asks for something that the client has not declared.

use super::*;

fn with_roots(id: &str, more: &str) -> String {
    let params = format!(r#""name":"t"{more}"#);
    modern(id, "tools/call", &params, r#"{"roots":{}}"#)
}

const ROOTS: &str = r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#;

#[test]
fn a_question_beyond_the_declared_capabilities_ends_the_call_with_the_error_for_it() {
    let (mut stage, request) = ready(&with_roots("1", ""));
    let told = stage.server(ASK).told_one();
    assert_eq!(at(&told, &["id"]), r#""user_name""#);
    assert_eq!(at(&told, &["error", "code"]), "-32601");
    let heard = stage.heard_one();
    assert_eq!(at(&heard, &["id"]), "1");
    assert_eq!(at(&heard, &["error", "code"]), "-32021");
    assert_eq!(
        at(&heard, &["error", "data", "requiredCapabilities"]),
        r#"{"elicitation":{}}"#
    );
    assert_eq!(stage.machine.options.status.unattended(), 1);
    let late = result(&request, r#"{"content":[],"isError":true}"#);
    assert!(stage.server(&late).heard().is_empty(), "it was answered");
    assert_eq!(stage.machine.options.status.unattended(), 0);
}

#[test]
fn further_questions_of_a_failed_call_are_answered() {
    let (mut stage, _) = ready(&with_roots("1", ""));
    stage.after(Duration::from_secs(5)).server(ROOTS);
    assert!(stage.told().is_empty(), "that may be asked");
    let told = stage.server(ASK).told();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(at(&stage.heard_one(), &["error", "code"]), "-32021");
    let told = stage.server(ROOTS).told_one();
    assert!(told.contains("error"), "{told}");
    let nothing = stage.after(Duration::from_secs(1)).heard();
    assert!(nothing.is_empty(), "{nothing:?}");
}

#[test]
fn a_parked_call_that_asks_for_too_much_ends_when_its_client_comes_back() {
    let (mut stage, _) = ready(&with_roots("1", ""));
    stage.after(Duration::from_secs(5)).server(ROOTS);
    let heard = stage.after(Duration::from_millis(30)).heard_one();
    let state = at(&heard, &["result", "requestState"]);
    let told = stage.server(ASK).told();
    assert_eq!(at(&told[0], &["error", "code"]), "-32601");
    assert_eq!(at(&told[1], &["id"]), r#""r""#, "it waits for nothing more");
    let retry = format!(r#","requestState":{state},"inputResponses":{{"r":{{"roots":[]}}}}"#);
    let heard = stage.client(&with_roots("2", &retry)).heard_one();
    assert_eq!(at(&heard, &["id"]), "2");
    assert_eq!(at(&heard, &["error", "code"]), "-32021");
}

#[test]
fn a_retry_that_declares_less_fails_with_the_missing_capability() {
    let (mut stage, _, state) = parked();
    let retry = format!(r#","requestState":{state}"#);
    let heard = stage.client(&with_roots("2", &retry)).heard_one();
    assert_eq!(at(&heard, &["error", "code"]), "-32021", "{heard}");
}

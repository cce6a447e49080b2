//! Which call a question or a log message belongs to, where several clients use one server.

use super::*;

const ROOTS: &str = r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#;

fn by(principal: &str, text: &str) -> String {
    let msg = Message::parse(text.to_owned().into()).unwrap();
    crate::era::signed(&msg, principal, false).text()
}

fn ask(id: &str) -> String {
    ASK.replace("user_name", id)
}

fn cancel(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
    )
}

fn logging(principal: &str, id: &str) -> String {
    let call = call(id, "").replace(
        r#""progressToken""#,
        r#""io.modelcontextprotocol/logLevel":"debug","progressToken""#,
    );
    by(principal, &call)
}

const LOG: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"secret"}}"#;

/// A server that several clients use, with its first call under way.
fn shared(first: &str) -> (Stage<ModernToLegacy>, String) {
    let mut stage = fresh();
    stage.machine.options.alone = false;
    let initialize = stage.client(first).told_one();
    let mut told = shake(&mut stage, &initialize, SERVER);
    (stage, told.pop().unwrap())
}

/// One client's call is parked on a question, and a call of another client runs.
fn parked_beside_running() -> (Stage<ModernToLegacy>, String, String) {
    let (mut stage, _) = shared(&by("alice", &call("1", "")));
    let answer = stage
        .server(ASK)
        .after(Duration::from_millis(30))
        .heard_one();
    let state = at(&answer, &["result", "requestState"]);
    let running = stage.client(&by("bob", &call("2", ""))).told_one();
    (stage, running, state)
}

#[test]
fn a_second_question_of_a_parked_call_is_not_put_to_the_client_of_a_running_one() {
    let (mut stage, running, state) = parked_beside_running();
    stage.server(&ask("second")).after(Duration::from_secs(1));
    assert!(stage.heard().is_empty(), "either call can have asked");
    assert!(stage.told().is_empty(), "it is held");
    let heard = stage
        .server(&result(&running, r#"{"content":[]}"#))
        .after(Duration::from_secs(1))
        .heard_one();
    assert_eq!(at(&heard, &["result", "resultType"]), r#""complete""#);
    // The call that ended had not asked, so the question belongs to the parked call.
    let retry = format!(r#","requestState":{state},"inputResponses":{{"user_name":{{}}}}"#);
    let heard = stage.client(&by("alice", &call("3", &retry))).heard_one();
    assert!(
        heard.contains("second") && at(&heard, &["id"]) == "3",
        "{heard}"
    );
}

#[test]
fn a_question_of_a_parked_or_a_running_call_is_refused_after_a_while() {
    let (mut stage, _, _) = parked_beside_running();
    let told = stage
        .server(&ask("second"))
        .after(Duration::from_secs(11))
        .told_one();
    assert_eq!(at(&told, &["id"]), r#""second""#);
    assert!(told.contains("unknown which"), "{told}");
    assert!(stage.heard().is_empty());
}

#[test]
fn a_question_that_the_list_of_another_client_can_have_caused_waits_for_its_end() {
    let (mut stage, _) = shared(&by("alice", &call("1", "")));
    let list = stage
        .client(&by("bob", &modern("2", "resources/list", "", ALL)))
        .told_one();
    stage.server(ASK).after(Duration::from_secs(1));
    assert!(stage.heard().is_empty(), "a list can ask, too");
    stage
        .server(&result(&list, r#"{"resources":[]}"#))
        .heard_one();
    let heard = stage.after(Duration::from_millis(30)).heard_one();
    assert_eq!(at(&heard, &["id"]), "1", "the list has ended without it");

    let (mut stage, only) = shared(&by("bob", &modern("1", "resources/list", "", ALL)));
    assert!(
        stage
            .server(ASK)
            .told_one()
            .contains("no open call can have asked this")
    );
    stage
        .server(&result(&only, r#"{"resources":[]}"#))
        .heard_one();
}

#[test]
fn a_call_that_began_after_a_question_has_not_asked_it() {
    let (mut stage, first) = shared(&by("alice", &call("1", "")));
    let second = stage.client(&by("alice", &call("2", ""))).told_one();
    stage.server(ASK);
    stage.client(&by("bob", &call("3", ""))).told();
    // Both candidates have ended.
    let both = |answer: &str| result(answer, r#"{"content":[]}"#);
    stage.client(&cancel("1")).told();
    stage.server(&both(&first)).server(&both(&second));
    let heard = stage.after(Duration::from_secs(1)).heard();
    assert!(!heard.iter().any(|h| h.contains("Who?")), "{heard:?}");
}

#[test]
fn a_question_of_a_cancelled_call_is_not_put_to_another_client() {
    let (mut stage, _) = shared(&by("alice", &call("1", "")));
    stage.client(&by("bob", &call("2", ""))).told();
    stage.client(&cancel("1")).told();
    let told = stage.server(ASK).after(Duration::from_secs(11)).told_one();
    assert!(told.contains("unknown which"), "{told}");
    assert!(stage.heard().is_empty());
}

#[test]
fn a_question_of_a_call_that_was_given_up_is_not_put_to_another_client() {
    let (mut stage, first) = shared(&by("alice", &call("1", "")));
    // The session's answer in place of the server, which was sent a cancellation and is still running.
    let late = error(&first, -32000, r#"{"kind":"timeout"}"#);
    stage.server(&late).heard_one();
    stage.client(&by("bob", &call("2", ""))).told();
    assert!(stage.server(ASK).told_one().contains("unknown which"));
    stage.client(&logging("bob", "3")).told();
    stage.server(LOG);
    assert!(stage.after(Duration::from_secs(1)).heard().is_empty());
}

#[test]
fn a_cancelled_call_is_forgotten_in_time() {
    let (mut stage, _) = shared(&by("alice", &call("1", "")));
    stage.client(&cancel("1")).told();
    assert_eq!(stage.machine.options.status.unattended(), 1);
    stage.after(Duration::from_secs(11));
    assert_eq!(stage.machine.options.status.unattended(), 0);
    stage.client(&by("bob", &call("2", ""))).told();
    let heard = stage
        .server(ASK)
        .after(Duration::from_millis(30))
        .heard_one();
    assert_eq!(at(&heard, &["id"]), "2");
}

#[test]
fn a_client_that_has_its_server_to_itself_may_call_again_after_cancelling() {
    let (mut stage, _) = ready(&call("1", ""));
    stage.client(&cancel("1")).told();
    stage.client(&call("2", "")).told();
    let heard = stage
        .server(ASK)
        .after(Duration::from_millis(30))
        .heard_one();
    assert_eq!(at(&heard, &["id"]), "2");
}

#[test]
fn a_question_on_the_stream_of_a_call_that_has_ended_is_refused() {
    let (mut stage, _) = shared(&by("alice", &call("1", "")));
    let told = stage.late(ASK).told_one();
    assert!(told.contains("error"), "{told}");
    assert!(stage.after(Duration::from_secs(1)).heard().is_empty());
    stage.late(LOG);
    assert!(stage.heard().is_empty());
}

#[test]
fn a_log_message_goes_to_no_principal_while_several_could_be_meant() {
    let (mut stage, level) = shared(&logging("alice", "1"));
    let first = stage.server(&result(&level, "{}")).told_one();
    assert_eq!(stage.server(LOG).abouts(), [Some("1".to_owned())]);
    // The second call wants no logs, but the message may belong to it.
    let second = stage.client(&by("bob", &call("2", ""))).told_one();
    assert!(stage.server(LOG).heard().is_empty());
    stage.server(&result(&second, "{}")).heard();
    assert_eq!(stage.server(LOG).abouts(), [Some("1".to_owned())]);
    stage.client(&logging("bob", "3")).told();
    assert!(stage.server(LOG).heard().is_empty());
    stage.server(&result(&first, "{}")).heard();
    assert_eq!(stage.server(LOG).abouts(), [Some("3".to_owned())]);
}

#[test]
fn a_log_message_of_a_parked_or_cancelled_call_goes_to_no_other_principal() {
    let (mut stage, _) = shared(&by("alice", &call("1", "")));
    stage.server(ASK).after(Duration::from_millis(30)).heard();
    let level = stage.client(&logging("bob", "2")).told_one();
    stage.server(&result(&level, "{}")).told();
    assert!(stage.server(LOG).heard().is_empty(), "of the parked call?");

    let (mut stage, _) = shared(&by("alice", &call("1", "")));
    let level = stage.client(&logging("bob", "2")).told_one();
    stage.server(&result(&level, "{}")).told();
    stage.client(&cancel("1")).told();
    assert!(
        stage.server(LOG).heard().is_empty(),
        "of the cancelled call?"
    );
}

#[test]
fn the_level_of_one_client_is_not_that_of_another_that_named_none() {
    let none = Message::parse(call("1", "").into()).unwrap();
    let none = crate::era::signed(&none, "alice", true).text();
    let (mut stage, first) = shared(&none);
    stage.server(&result(&first, r#"{"content":[]}"#));
    let level = stage.client(&logging("bob", "2")).told_one();
    assert_eq!(at(&level, &["params", "level"]), r#""debug""#);
    let second = stage.server(&result(&level, "{}")).told_one();
    stage.server(&result(&second, r#"{"content":[]}"#)).heard();
    stage.client(&none.replace(r#""id":1"#, r#""id":3"#)).told();
    let debug = LOG.replace("info", "debug");
    assert!(stage.server(&debug).heard().is_empty(), "bob named it");
    assert_eq!(stage.server(LOG).heard(), [LOG]);
}

#[test]
fn log_messages_of_one_principal_go_to_its_newest_call() {
    let (mut stage, level) = shared(&logging("alice", "1"));
    stage.server(&result(&level, "{}")).told();
    stage.client(&logging("alice", "2")).told();
    assert_eq!(stage.server(LOG).abouts(), [Some("2".to_owned())]);
    assert!(stage.server(ROOTS).heard().is_empty());
}

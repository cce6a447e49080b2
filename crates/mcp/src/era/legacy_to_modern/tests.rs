mod edge_cases;

use super::*;
use crate::era::stage::{Stage, at, error, legacy, result};

const INITIALIZE: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{},"roots":{}},"clientInfo":{"name":"c","version":"1"}}"#;
const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}},"instructions":"i","ttlMs":5,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"2"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn ready() -> Stage<LegacyToModern> {
    let mut stage = Stage::new(LegacyToModern::new());
    let discover = stage
        .client(&legacy("0", "initialize", INITIALIZE))
        .told_one();
    stage.server(&result(&discover, DISCOVERED)).heard();
    stage
}

fn call(stage: &mut Stage<LegacyToModern>, id: &str) -> String {
    stage
        .client(&legacy(id, "tools/call", r#"{"name":"t"}"#))
        .told_one()
}

#[test]
fn the_handshake_is_answered_from_server_discover() {
    let mut stage = Stage::new(LegacyToModern::new());
    let discover = stage
        .client(&legacy(r#""i""#, "initialize", INITIALIZE))
        .told_one();
    assert_eq!(at(&discover, &["method"]), r#""server/discover""#);
    let heard = stage.server(&result(&discover, DISCOVERED)).heard_one();
    assert_eq!(
        at(&heard, &["result"]),
        r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}},"serverInfo":{"name":"s","version":"2"},"instructions":"i"}"#
    );
}

#[test]
fn requests_go_in_an_envelope_and_results_come_out_of_theirs() {
    let mut stage = ready();
    let sent = call(&mut stage, r#""a""#);
    let meta = at(&sent, &["params", "_meta"]);
    assert_eq!(
        meta,
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"roots":{}},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/logLevel":"info"}"#
    );
    let answer = r#"{"content":[],"resultType":"complete","structuredContent":[1],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}}"#;
    let heard = stage.server(&result(&sent, answer)).heard_one();
    assert_eq!(
        heard,
        r#"{"jsonrpc":"2.0","id":"a","result":{"content":[],"structuredContent":{"result":[1]}}}"#
    );
}

#[test]
fn ping_and_the_log_level_stay_here() {
    let mut stage = ready();
    assert_eq!(
        at(
            &stage.client(&legacy("1", "ping", "{}")).heard_one(),
            &["result"]
        ),
        "{}"
    );
    let level = legacy("2", "logging/setLevel", r#"{"level":"debug"}"#);
    assert_eq!(at(&stage.client(&level).heard_one(), &["result"]), "{}");
    assert!(stage.told().is_empty());
    let sent = call(&mut stage, "3");
    assert_eq!(
        at(
            &sent,
            &["params", "_meta", "io.modelcontextprotocol/logLevel"]
        ),
        r#""debug""#
    );
    let bad = legacy("4", "logging/setLevel", r#"{"level":"loud"}"#);
    assert_eq!(
        at(&stage.client(&bad).heard_one(), &["error", "code"]),
        "-32602"
    );
}

#[test]
fn a_result_that_needs_input_becomes_questions_and_the_call_is_sent_again() {
    let mut stage = ready();
    let sent = call(&mut stage, "1");
    let needs = r#"{"resultType":"input_required","inputRequests":{"name":{"method":"elicitation/create","params":{"message":"Who?"}},"r":{"method":"roots/list"}},"requestState":"s\"1"}"#;
    stage.server(&result(&sent, needs));
    let asked = stage.heard();
    assert_eq!(
        asked[0],
        r#"{"jsonrpc":"2.0","id":"name","method":"elicitation/create","params":{"message":"Who?"}}"#
    );
    stage.client(&result(&asked[1], r#"{"roots":[]}"#));
    assert!(stage.told().is_empty(), "one answer is missing");
    let again = stage
        .client(&result(&asked[0], r#"{"action":"accept"}"#))
        .told_one();
    assert_eq!(
        at(&again, &["params", "inputResponses"]),
        r#"{"r":{"roots":[]},"name":{"action":"accept"}}"#
    );
    assert_eq!(
        at(&again, &["params", "requestState"]),
        r#""s\"1""#,
        "byte for byte"
    );
    assert_eq!(at(&again, &["params", "name"]), r#""t""#);
    assert_ne!(at(&again, &["id"]), at(&sent, &["id"]));
    let heard = stage
        .server(&result(&again, r#"{"content":[]}"#))
        .heard_one();
    assert_eq!(at(&heard, &["id"]), "1");
}

#[test]
fn a_question_belongs_to_the_call_that_asked_it() {
    let mut stage = ready();
    let sent = call(&mut stage, "41");
    let needs = r#"{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}}"#;
    assert_eq!(
        stage.server(&result(&sent, needs)).abouts(),
        [Some("41".to_owned())]
    );
}

#[test]
fn equal_keys_of_two_calls_are_two_questions() {
    let mut stage = ready();
    let needs = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}"#;
    let sent = [call(&mut stage, "1"), call(&mut stage, "2")];
    let asked = sent.map(|sent| stage.server(&result(&sent, needs)).heard_one());
    assert_ne!(at(&asked[0], &["id"]), at(&asked[1], &["id"]));
    let again = stage
        .client(&result(&asked[1], r#"{"roots":[2]}"#))
        .told_one();
    assert_eq!(
        at(&again, &["params", "inputResponses"]),
        r#"{"k":{"roots":[2]}}"#
    );
}

#[test]
fn a_state_without_questions_is_returned_at_once() {
    let mut stage = ready();
    let sent = call(&mut stage, "1");
    let wait = r#"{"resultType":"input_required","requestState":"later"}"#;
    let again = stage.server(&result(&sent, wait)).told_one();
    assert_eq!(at(&again, &["params", "requestState"]), r#""later""#);
    assert_eq!(at(&again, &["params", "inputResponses"]), "");
}

#[test]
fn rounds_are_limited_and_undeclared_questions_are_refused() {
    let mut stage = ready();
    let mut sent = call(&mut stage, "1");
    let wait = r#"{"resultType":"input_required","requestState":"later"}"#;
    for _ in 0..MAX_ROUNDS {
        sent = stage.server(&result(&sent, wait)).told_one();
    }
    let heard = stage.server(&result(&sent, wait)).heard_one();
    assert!(at(&heard, &["error", "message"]).contains("16 times"));

    let sent = call(&mut stage, "2");
    let sampling = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"sampling/createMessage","params":{}}}}"#;
    let heard = stage.server(&result(&sent, sampling)).heard_one();
    assert_eq!(at(&heard, &["error", "code"]), "-32021");
}

#[test]
fn a_client_that_refuses_or_forgets_a_question_has_its_call_answered() {
    let mut stage = ready();
    let needs = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}"#;
    let sent = call(&mut stage, "1");
    let asked = stage.server(&result(&sent, needs)).heard_one();
    let heard = stage.client(&error(&asked, -32603, "{}")).heard_one();
    assert!(at(&heard, &["error", "message"]).contains("could not answer"));
    let sent = call(&mut stage, "2");
    stage.server(&result(&sent, needs)).heard();
    let heard = stage.after(PATIENCE).heard();
    assert_eq!(at(&heard[0], &["method"]), r#""notifications/cancelled""#);
    assert_eq!(at(&heard[1], &["id"]), "2");
}

#[test]
fn one_subscription_serves_all_notifications_of_a_session() {
    let mut stage = ready();
    let listen = stage.client(INITIALIZED).told_one();
    assert_eq!(
        at(&listen, &["params", "notifications"]),
        r#"{"toolsListChanged":true}"#
    );
    let from = |listen: &str, method: &str, more: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{{more}"_meta":{{"io.modelcontextprotocol/subscriptionId":{}}}}}}}"#,
            at(listen, &["id"])
        )
    };
    stage.server(&from(
        &listen,
        "subscriptions/acknowledged",
        r#""notifications":{},"#,
    ));
    assert!(stage.heard().is_empty());
    let heard = stage
        .server(&from(&listen, "tools/list_changed", ""))
        .heard_one();
    assert_eq!(
        heard,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#
    );

    // A new filter needs a new subscription; the old one is kept until that is acknowledged.
    let wider = stage
        .client(&legacy("5", "resources/subscribe", r#"{"uri":"a://b"}"#))
        .told_one();
    assert!(stage.heard().is_empty(), "not before the server has agreed");
    assert_eq!(
        stage
            .server(&from(&listen, "tools/list_changed", ""))
            .heard()
            .len(),
        1
    );
    let honoured = r#""notifications":{"resourceSubscriptions":["a://b"]},"#;
    stage.server(&from(&wider, "subscriptions/acknowledged", honoured));
    assert_eq!(
        at(&stage.told_one(), &["params", "requestId"]),
        at(&listen, &["id"])
    );
    assert_eq!(at(&stage.heard_one(), &["id"]), "5");
    let updated = from(&wider, "resources/updated", r#""uri":"a://b","#);
    assert_eq!(
        at(&stage.server(&updated).heard_one(), &["params"]),
        r#"{"uri":"a://b"}"#
    );
}

#[test]
fn a_resource_that_the_server_does_not_report_on_is_refused() {
    let mut stage = ready();
    let listen = stage
        .client(&legacy("5", "resources/subscribe", r#"{"uri":"a://b"}"#))
        .told_one();
    let ack = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"notifications":{{}},"_meta":{{"io.modelcontextprotocol/subscriptionId":{}}}}}}}"#,
        at(&listen, &["id"])
    );
    let heard = stage.server(&ack).heard_one();
    assert!(at(&heard, &["error", "message"]).contains("a://b"));
}

#[test]
fn cancelling_reaches_the_server_or_the_client_that_is_waited_for() {
    let mut stage = ready();
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let sent = call(&mut stage, "1");
    let told = stage.client(cancel).told_one();
    assert_eq!(at(&told, &["params", "requestId"]), at(&sent, &["id"]));

    let sent = call(&mut stage, "1");
    let needs = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}"#;
    stage.server(&result(&sent, needs)).heard();
    let heard = stage.client(cancel).heard_one();
    assert_eq!(at(&heard, &["params", "requestId"]), r#""k""#);
    assert!(stage.told().is_empty(), "the server waits for nothing");
}

#[test]
fn a_resource_that_is_not_there_has_the_old_code() {
    let mut stage = ready();
    let sent = stage
        .client(&legacy("1", "resources/read", r#"{"uri":"a://b"}"#))
        .told_one();
    let heard = stage
        .server(&error(&sent, -32602, r#"{"uri":"a://b"}"#))
        .heard_one();
    assert_eq!(at(&heard, &["error", "code"]), "-32002");
}

#[test]
fn a_revision_that_is_refused_and_named_in_one_breath_is_tried_once_more() {
    let supported = r#"{"supported":["2026-07-28"],"requested":"2026-07-28"}"#;
    let mut stage = Stage::new(LegacyToModern::new());
    let discover = stage
        .client(&legacy("0", "initialize", INITIALIZE))
        .told_one();
    let again = stage
        .server(&error(&discover, -32022, supported))
        .told_one();
    assert_eq!(at(&again, &["method"]), r#""server/discover""#);
    let heard = stage.server(&error(&again, -32022, supported)).heard_one();
    assert_eq!(at(&heard, &["error", "code"]), "-32022");

    let mut stage = ready();
    let sent = call(&mut stage, "1");
    let again = stage.server(&error(&sent, -32022, supported)).told_one();
    assert_eq!(at(&again, &["params", "name"]), r#""t""#);
    let heard = stage.server(&error(&again, -32022, supported)).heard_one();
    assert_eq!(at(&heard, &["id"]), "1");
}

//! Messages are forwarded without loss, rounding or reformatting.

use linkspan_testkit::Server;
use serde_json::json;

use crate::setup::ready;

/// Members that typed or floating proxies lose.
const ODD: &str = r#"{"z":1,"a":{"unknown":[null,true]},"n":12345678901234567890,"f":0.10,"e":1e400,"m":-0,"E":1E+2,"twice":1,"twice":2,"esc":"\u00e4\/\u2028\u0000 \ud83d\udea2","raw":"ä🚢"}"#;

#[test]
fn odd_values_in_a_result_arrive_as_they_were_sent() {
    for server in [Server::legacy(), Server::legacy().json()] {
        let server = server.start();
        let bridge = ready(&server);
        let answer = bridge.ask("1", "raw", &json!({"text": ODD}));
        assert_eq!(
            answer.text,
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{ODD}}}"#)
        );
    }
}

#[test]
fn odd_values_in_arguments_arrive_as_they_were_sent() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    let params =
        format!(r#"{{"name":"echo","arguments":{ODD}, "_meta":{{"k":0.10}},"future":[]}}"#);
    bridge.send(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params},"extra":{ODD}}}"#
    ));
    let answer = bridge.answer("1");
    assert_eq!(
        answer.at(&["result", "structuredContent"]).as_deref(),
        Some(ODD)
    );
    let seen = server.calls("echo").remove(0);
    let seen = seen.message.as_ref().expect("it was found by its tool");
    assert_eq!(seen.params.as_deref(), Some(params.as_str()));
    assert_eq!(seen.at(&["extra"]).as_deref(), Some(ODD));
}

#[test]
fn unknown_members_and_order_of_an_envelope_are_kept() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    let envelope = r#"{"future":{"b":1,"a":2} ,"result" : {"content":[{"type":"hologram","depth":0.10}],"_meta":{"x/y":[]}},"id":$ID,"jsonrpc":"2.0"}"#;
    let answer = bridge.ask("\"me\"", "raw", &json!({"envelope": envelope}));
    assert_eq!(answer.text, envelope.replace("$ID", "\"me\""));
}

#[test]
fn an_error_keeps_its_code_message_and_data() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    let error = r#"{"code":-32042,"message":"go \u00e4 there","data":{"elicitations":[{"url":"https://x"}],"n":0.10},"more":1}"#;
    let answer = bridge.ask("1", "fail", &json!({"error": error}));
    assert_eq!(answer.error.as_deref(), Some(error));
}

#[test]
fn unknown_methods_are_forwarded() {
    let server = Server::legacy().start();
    let bridge = ready(&server);
    bridge.request("1", "vendor/from-the-future", &json!({"x": [1]}));
    assert_eq!(
        bridge.answer("1").at(&["result", "heard"]).as_deref(),
        Some(r#"{"x":[1]}"#)
    );
    bridge.request("2", "unknown/method", &json!({}));
    assert_eq!(
        bridge.answer("2").error.as_deref(),
        Some(r#"{"code":-32601,"message":"Method not found"}"#)
    );
}

#[test]
fn a_pretty_printed_body_becomes_one_line() {
    let server = Server::legacy().json().start();
    let bridge = ready(&server);
    let envelope = "{\r\n  \"jsonrpc\": \"2.0\",\n  \"id\": $ID,\r\n  \"result\": {\n    \"text\": \"a\\nb\"\n  }\n}\n";
    bridge.call("1", "raw", &json!({"envelope": envelope}));
    let line = bridge.line();
    assert_eq!(
        line.trim_end(),
        "{  \"jsonrpc\": \"2.0\",  \"id\": 1,  \"result\": {    \"text\": \"a\\nb\"  }}"
    );
}

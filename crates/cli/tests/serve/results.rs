//! The results of tool calls.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::served::text;

fn result(body: &str) -> Value {
    Folder::with("it", body).serve().tool("it", &json!({}))
}

fn declared(schema: &str, body: &str) -> Value {
    let folder = Folder::new();
    folder.sh_with("it", &format!("outputSchema: {schema}"), body);
    folder.serve().tool("it", &json!({}))
}

#[test]
fn text_is_text() {
    let result = result("printf 'one\\ntwo ⛴ \"three\"\\t\\001'");
    assert_eq!(
        result["content"],
        json!([{"type": "text", "text": "one\ntwo ⛴ \"three\"\t\u{1}"}])
    );
    assert!(result.get("structuredContent").is_none(), "{result}");
    assert_ne!(result["isError"], true);
}

#[test]
fn one_trailing_newline_is_removed() {
    assert_eq!(text(&result("printf 'a\\n'")), "a");
    assert_eq!(text(&result("printf 'a\\n\\n'")), "a\n");
    assert_eq!(text(&result("printf 'a'")), "a");
}

#[test]
fn empty_output_is_a_valid_result() {
    let result = result("true");
    assert_ne!(result["isError"], true);
    assert!(result["content"].is_array(), "{result}");
}

#[test]
fn an_object_is_structured_content_and_text() {
    let result = result(r#"printf '{"tide": 2.50,\n "big":18446744073709551616}\n'"#);
    let printed = "{\"tide\": 2.50,\n \"big\":18446744073709551616}";
    assert_eq!(text(&result), printed);
    assert_eq!(result["structuredContent"]["tide"], 2.5);
}

#[test]
fn numbers_of_structured_content_keep_their_spelling() {
    let folder = Folder::with("it", r#"echo '{"big":18446744073709551616,"one":1.0}'"#);
    let server = folder.serve();
    let id = server.begin("it", &json!({}));
    let answer = server.answer(&id);
    let at = |name| answer.at(&["result", "structuredContent", name]);
    assert_eq!(at("big").as_deref(), Some("18446744073709551616"));
    assert_eq!(at("one").as_deref(), Some("1.0"));
}

#[test]
fn a_complete_result_is_passed_through() {
    let result = result(
        r#"echo '{"content":[{"type":"text","text":"a"},{"type":"resource_link","uri":"test://x","name":"x"}],"_meta":{"vendor/y":1}}'"#,
    );
    assert_eq!(result["content"][1]["uri"], "test://x");
    assert_eq!(result["_meta"]["vendor/y"], 1);
    assert!(result.get("structuredContent").is_none(), "{result}");
}

#[test]
fn images_and_audio_are_detected_by_their_first_bytes() {
    for (bytes, kind, mime) in [
        ("\\211PNG\\r\\n\\032\\nrest", "image", "image/png"),
        ("\\377\\330\\377\\340rest", "image", "image/jpeg"),
        ("GIF89arest", "image", "image/gif"),
        ("RIFF\\004\\000\\000\\000WEBPrest", "image", "image/webp"),
        ("RIFF\\004\\000\\000\\000WAVErest", "audio", "audio/wav"),
        ("OggS\\000\\002rest", "audio", "audio/ogg"),
    ] {
        let result = result(&format!("printf '{bytes}'"));
        let part = &result["content"][0];
        assert_eq!(
            (&part["type"], &part["mimeType"]),
            (&json!(kind), &json!(mime))
        );
        let data = part["data"].as_str().expect("base64");
        let data = linkspan_testkit::decode_base64(data).expect("base64");
        assert!(data.ends_with(b"rest"), "{result}");
    }
}

#[test]
fn invalid_utf_8_is_an_error_with_its_offset() {
    let result = result("printf 'abc\\377\\376def'");
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains('3'), "the offset: {result}");
}

#[test]
fn what_fits_the_output_schema_is_structured_and_text() {
    let result = declared(
        "{type: object, properties: {n: {type: integer}}, required: [n]}",
        r#"echo '{"n": 7}'"#,
    );
    assert_eq!(result["structuredContent"], json!({"n": 7}));
    assert_eq!(text(&result), r#"{"n": 7}"#);
    assert_ne!(result["isError"], true);
}

#[test]
fn output_that_violates_its_schema_is_an_error() {
    for printed in [r#"{"n":"seven"}"#, "{}", "seven", "[7]", "", r#"{"n":7"#] {
        let result = declared(
            "{type: object, properties: {n: {type: integer}}, required: [n]}",
            &format!("printf '%s' '{printed}'"),
        );
        assert_eq!(result["isError"], true, "{printed}: {result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
    }
}

#[test]
fn a_failure_is_an_error_result() {
    let result = result("echo partial; echo 'no such ship' >&2; echo more >&2; exit 3");
    assert_eq!(result["isError"], true);
    let said = text(&result);
    assert!(said.starts_with("Tool failed: no such ship"), "{said}");
    assert!(said.contains("partial"), "{said}");
    assert_eq!(result["_meta"]["exitCode"], 3);
    let log = result["_meta"]["stderr"].as_str().expect("what it said");
    assert!(
        log.contains("no such ship") && log.contains("more"),
        "{log}"
    );
}

#[test]
fn a_silent_failure_reports_the_exit_code() {
    let result = result("exit 5");
    assert!(text(&result).contains("exit code 5"), "{result}");
    assert_eq!(result["_meta"]["exitCode"], 5);
}

#[test]
fn a_tool_ended_by_a_signal_has_failed() {
    let result = result("kill -SEGV $$");
    assert_eq!(result["isError"], true);
    assert!(text(&result).starts_with("Tool failed: "), "{result}");
}

#[test]
fn the_end_of_a_long_stderr_is_reported() {
    let result = result(
        "i=0; while [ $i -lt 3000 ]; do echo \"line $i of it\" >&2; i=$((i+1)); done; exit 1",
    );
    let log = result["_meta"]["stderr"].as_str().expect("what it said");
    assert!(log.contains("line 2999 of it"), "the end is there");
    assert!(!log.contains("line 0 of it"), "the beginning is not");
    assert!(log.len() < 16 << 10, "{}", log.len());
}

#[test]
fn stderr_of_a_successful_tool_is_not_in_its_result() {
    let result = result("echo warning >&2; echo fine");
    assert_eq!(text(&result), "fine");
    assert_ne!(result["isError"], true);
}

#[test]
fn a_script_that_cannot_run_is_an_error_result() {
    let folder = Folder::new();
    folder.script("tools/lost.sh", "#!/no/such/interpreter\n");
    let server = folder.serve();
    let result = server.failure("lost", &json!({}));
    assert!(text(&result).starts_with("Tool failed: "), "{result}");
}

#[test]
fn a_missing_program_is_an_error_result() {
    let folder = Folder::new();
    folder.write("tools/lost.tool.yaml", "exec: [no-such-program-at-all]\n");
    let server = folder.serve();
    let said = text(&server.failure("lost", &json!({})));
    assert!(said.contains("no-such-program-at-all"), "{said}");
}

#[test]
fn results_have_only_members_of_mcp() {
    let folder = Folder::with("it", "echo fine");
    folder.write("prompts/p.md", "---\ndescription: A prompt\n---\nHello.\n");
    let server = folder.serve();
    let only = |value: &Value, known: &[&str]| {
        for (name, value) in value.as_object().expect("an object") {
            assert!(known.contains(&name.as_str()), "{name}");
            assert!(!value.is_null(), "{name} is null");
        }
    };
    let shown = server.listed("it");
    only(
        &shown,
        &[
            "name",
            "title",
            "description",
            "inputSchema",
            "annotations",
            "_meta",
        ],
    );
    only(
        &server.tool("it", &json!({})),
        &["content", "isError", "_meta"],
    );
    let prompts = server.result("prompts/list", &json!({}));
    only(
        &prompts["prompts"][0],
        &["name", "title", "description", "arguments"],
    );
    let prompt = server.result("prompts/get", &json!({"name": "p"}));
    only(&prompt, &["description", "messages"]);
    for message in prompt["messages"].as_array().expect("messages") {
        only(message, &["role", "content"]);
    }
}

#[test]
fn a_tool_can_return_a_protocol_error() {
    let folder = Folder::with(
        "it",
        r#"echo '{"method":"error","params":{"code":-32042,"message":"sign in","data":{"a":1}}}' >&3; exit 1"#,
    );
    let server = folder.serve();
    let error = server.error("tools/call", &json!({"name": "it"}));
    assert_eq!(
        error,
        json!({"code": -32042, "message": "sign in", "data": {"a": 1}})
    );
}

#[test]
fn carriage_returns_and_a_byte_order_mark_are_not_passed_on() {
    let folder = Folder::with("dos", r"printf '\357\273\277a\r\nb\r\n'");
    folder.sh("json", r#"printf '\357\273\277{\r\n"a": 1}\r\n'"#);
    folder.sh("fails", r"printf 'a\r\n'; exit 3");
    let server = folder.serve();
    assert_eq!(server.text("dos", &json!({})), "a\nb");
    assert_eq!(
        server.tool("json", &json!({}))["structuredContent"],
        json!({"a": 1})
    );
    assert!(
        !server
            .failure("fails", &json!({}))
            .to_string()
            .contains("\\r")
    );
}

#[test]
fn exit_code_124_alone_is_no_timeout() {
    let folder = Folder::with("tool", "exit 124");
    let server = folder.serve();
    let failure = server.failure("tool", &json!({}));
    assert_eq!(failure["_meta"]["exitCode"], 124);
    assert!(failure["_meta"].get("timedOut").is_none(), "{failure}");
}

#[test]
fn a_busy_script_is_retried() {
    let folder = Folder::with("plain", "echo plain");
    folder.sh_with("limited", "limits: {openFiles: 100}", "echo limited");
    let server = folder.serve();
    for name in ["plain", "limited"] {
        let path = folder.path(&format!("tools/{name}.sh"));
        let open = std::fs::OpenOptions::new().append(true).open(path);
        let open = open.expect("it is ours");
        let call = server.begin(name, &json!({}));
        // Attempts to start the script are not observable, so there is no condition to wait for. If the first
        // attempt happens later than this, the test covers less and passes.
        server.ping();
        std::thread::sleep(std::time::Duration::from_millis(50));
        drop(open);
        let result = server.answer(&call).json()["result"].take();
        assert_eq!(crate::served::text(&result), name, "{result}");
    }
}

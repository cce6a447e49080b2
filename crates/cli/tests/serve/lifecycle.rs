//! The handshake, the end, and invalid messages in between.

use linkspan_testkit::{Message, Signal};
use serde_json::{Value, json};

use crate::folder::{Folder, LATEST};

const HELLO: &str = "echo hello";

#[test]
fn every_revision_with_a_handshake_is_spoken() {
    let folder = Folder::with("hello", HELLO);
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", LATEST] {
        let server = folder.untouched();
        let welcome = server.initialize(version).json();
        assert_eq!(welcome["result"]["protocolVersion"], version);
        assert_eq!(server.text("hello", &json!({})), "hello");
    }
}

#[test]
fn an_unknown_revision_gets_a_counter_offer() {
    let folder = Folder::with("hello", HELLO);
    for version in ["2099-01-01", "1999-12-31", "nonsense"] {
        let server = folder.untouched();
        let welcome = server.initialize(version).json();
        assert_eq!(welcome["result"]["protocolVersion"], LATEST);
        assert_eq!(server.text("hello", &json!({})), "hello");
    }
}

#[test]
fn a_client_without_a_handshake_is_served_as_well() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.untouched();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = server.result("server/discover", &json!({"_meta": meta}));
    assert_eq!(found["supportedVersions"], json!(["2026-07-28"]));
    let call = json!({"name": "hello", "arguments": {}, "_meta": meta});
    let result = server.result("tools/call", &call);
    assert_eq!(result["resultType"], "complete");
    assert_eq!(crate::served::text(&result), "hello");
}

#[test]
fn initialize_returns_the_capabilities() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.untouched();
    let welcome = server.initialize(LATEST).json();
    let capabilities = &welcome["result"]["capabilities"];
    assert_eq!(capabilities["tools"], json!({"listChanged": true}));
    assert_eq!(capabilities["prompts"], json!({"listChanged": true}));
    assert_eq!(
        capabilities["resources"],
        json!({"subscribe": true, "listChanged": true})
    );
    assert_eq!(capabilities["logging"], json!({}));
    // mcp-bash's specification says `completion`; MCP does not.
    assert_eq!(capabilities["completions"], json!({}));
    assert!(capabilities.get("completion").is_none(), "{capabilities}");
}

#[test]
fn older_revisions_get_only_members_they_know() {
    let folder = Folder::with("hello", HELLO);
    folder.sh_with(
        "sum",
        "title: Sum\noutputSchema: {type: object}\nannotations: {readOnlyHint: true}",
        r#"echo '{"sum":3}'"#,
    );
    let server = folder.untouched();
    let welcome = server.initialize("2024-11-05").json();
    let capabilities = &welcome["result"]["capabilities"];
    assert!(capabilities.get("completions").is_none(), "{capabilities}");
    let tool = server.listed("sum");
    for new in ["title", "outputSchema", "annotations"] {
        assert!(tool.get(new).is_none(), "{new} in {tool}");
    }
    let result = server.tool("sum", &json!({}));
    assert!(result.get("structuredContent").is_none(), "{result}");
    assert_eq!(crate::served::text(&result), r#"{"sum":3}"#);
}

#[test]
fn server_info_comes_from_the_server_file() {
    let folder = Folder::with("hello", HELLO);
    folder.write(
        "server.yaml",
        "name: harbour\nversion: 2.1.0\ntitle: The harbour\ninstructions: Mind the gap.\n",
    );
    let server = folder.untouched();
    let result = server.initialize(LATEST).json()["result"].take();
    assert_eq!(result["serverInfo"]["name"], "harbour");
    assert_eq!(result["serverInfo"]["version"], "2.1.0");
    assert_eq!(result["serverInfo"]["title"], "The harbour");
    assert_eq!(result["instructions"], "Mind the gap.");
}

#[test]
fn the_default_server_name_is_that_of_the_folder() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.untouched();
    let result = server.initialize(LATEST).json()["result"].take();
    assert_eq!(result["serverInfo"]["name"], "folder");
    assert!(result["serverInfo"]["version"].is_string(), "{result}");
    assert!(result.get("instructions").is_none(), "{result}");
}

#[test]
fn an_empty_folder_is_a_server_without_entries() {
    let folder = Folder::new();
    let server = folder.serve();
    assert_eq!(
        server.result("tools/list", &json!({})),
        json!({"tools": []})
    );
    let empty = json!({"resources": []});
    assert_eq!(server.result("resources/list", &json!({})), empty);
    assert_eq!(
        server.result("prompts/list", &json!({})),
        json!({"prompts": []})
    );
    let templates = server.result("resources/templates/list", &json!({}));
    assert_eq!(templates, json!({"resourceTemplates": []}));
}

#[test]
fn the_server_sends_no_message_without_a_request() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.serve();
    server.ping();
    server.tools();
    server.ping();
    assert_eq!(server.unread(), Vec::<String>::new());
}

#[test]
fn requests_before_the_handshake_are_refused() {
    let folder = Folder::with("hello", "echo ran > ran.txt; echo hello");
    let server = folder.untouched();
    server.request("1", "ping", &json!({}));
    assert_eq!(server.answer("1").json()["result"], json!({}));
    server.call("2", "hello", &json!({}));
    assert!(server.answer("2").error.is_some());
    server.initialize(LATEST);
    assert_eq!(server.text("hello", &json!({})), "hello");
}

#[test]
fn a_second_handshake_is_refused() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.serve();
    let client = json!({"name": "again", "version": "1"});
    let params = json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": client});
    assert_eq!(server.error("initialize", &params)["code"], -32600);
    assert_eq!(server.text("hello", &json!({})), "hello");
}

#[test]
fn an_unknown_method_is_not_found() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.serve();
    for method in ["no/such", "tools/delete", "shut/down"] {
        assert_eq!(server.error(method, &json!({}))["code"], -32601, "{method}");
    }
    server.ping();
}

#[test]
fn an_invalid_message_is_refused_and_the_session_continues() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.serve();
    for (line, code) in [
        ("{ no json", -32700),
        ("17", -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, -32600),
        // Only one revision has batches.
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
    ] {
        server.send(line);
        assert_eq!(server.answer("null").code(), Some(code), "{line}");
    }
    server.send(r#"{"jsonrpc":"2.0","id":9}"#);
    let refused = server.find("a refusal", Message::is_response);
    assert_eq!(refused.code(), Some(-32600), "no method: {}", refused.text);
    server.ping();
}

#[test]
fn a_request_with_a_null_id_is_refused() {
    let folder = Folder::with("hello", "echo ran > ran.txt");
    let server = folder.serve();
    server.send(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#);
    assert_eq!(server.answer("null").code(), Some(-32600));
    server.ping();
}

#[test]
fn a_batch_is_answered_in_2025_03_26() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.untouched();
    server.initialize("2025-03-26");
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hello"}}"#;
    server.send(&format!(
        r#"[{{"jsonrpc":"2.0","id":1,"method":"ping"}},{call}]"#
    ));
    let answers: Value = serde_json::from_str(&server.line()).expect("it is JSON");
    let mut ids: Vec<_> = answers.as_array().expect("an array").iter().collect();
    ids.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!(ids[0]["result"], json!({}));
    assert_eq!(ids[1]["result"]["content"][0]["text"], "hello");
}

#[test]
fn lines_may_have_a_byte_order_mark_and_crlf() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.untouched();
    server.send_bytes("\u{feff}".as_bytes());
    server.initialize(LATEST);
    server.send_bytes(b"  {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}  \r\n\r\n");
    assert_eq!(server.answer("1").json()["result"], json!({}));
}

#[test]
fn answers_have_the_original_spelling_of_ids() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.serve();
    let long = format!("\"{}\"", "i".repeat(1000));
    let ids = [
        "1",
        "\"1\"",
        "-7",
        "\"\"",
        "\"../../etc\"",
        "\"a b\\n\"",
        &long,
    ];
    for id in ids {
        server.call(id, "hello", &json!({}));
    }
    for id in ids {
        assert!(server.answer(id).result.is_some(), "{id}");
    }
}

#[test]
fn the_end_of_its_input_lets_running_calls_finish() {
    let script = "echo begun > begun.txt; until [ -e go.txt ]; do sleep 0.02; done; echo done";
    let folder = Folder::with("slow", script);
    let mut server = folder.launch(&[]).start();
    server.initialize(LATEST);
    server.call("1", "slow", &json!({}));
    folder.wait_for("begun.txt");
    server.close_stdin();
    folder.write("go.txt", "");
    let answer = server.answer("1").json();
    assert_eq!(answer["result"]["content"][0]["text"], "done");
    assert_eq!(server.exit_code(), Some(0));
    folder.wait_until_quiet();
    folder.wait_until_clean();
}

#[test]
fn end_of_input_ends_running_tools_after_a_while() {
    let folder = Folder::with("slow", "echo begun > begun.txt; sleep 600");
    let mut server = folder.launch(&["--drain", "1"]).start();
    server.initialize(LATEST);
    server.call("1", "slow", &json!({}));
    folder.wait_for("begun.txt");
    server.close_stdin();
    assert_eq!(server.exit_code(), Some(0));
    folder.wait_until_quiet();
    folder.wait_until_clean();
}

#[test]
fn a_signal_ends_the_server_and_every_tool() {
    for (signal, code) in [(Signal::Terminate, 143), (Signal::Interrupt, 130)] {
        let folder = Folder::with(
            "slow",
            "trap '' TERM INT; sleep 600 & echo begun > begun.txt; wait",
        );
        let server = folder.serve();
        server.begin("slow", &json!({}));
        folder.wait_for("begun.txt");
        assert!(!folder.processes().is_empty());
        server.end_with(signal, code);
    }
}

#[test]
fn tools_end_when_the_server_is_killed() {
    let folder = Folder::with("slow", "echo begun > begun.txt; exec sleep 600");
    let server = folder.launch(&[]).start();
    server.initialize(LATEST);
    server.call("1", "slow", &json!({}));
    folder.wait_for("begun.txt");
    // Dropping the server sends KILL, which no process can catch.
    drop(server);
    folder.wait_until_quiet();
}

#[test]
fn empty_input_ends_the_server_with_success() {
    let folder = Folder::with("hello", HELLO);
    folder.untouched().end();
    folder.serve().end();
}

#[test]
fn a_missing_folder_is_an_error_with_a_hint() {
    let folder = Folder::new();
    std::fs::remove_dir_all(folder.root()).expect("it is ours");
    let mut server = folder.launch(&[]).start();
    assert_ne!(server.exit_code(), Some(0));
    let log = server.stderr();
    assert!(log.contains("error: ") && log.contains("hint: "), "{log}");
}

#[test]
fn minimal_mode_offers_the_handshake_ping_and_logging_only() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.serve_with(&["--minimal"]);
    server.ping();
    server.result("logging/setLevel", &json!({"level": "debug"}));
    for method in ["tools/list", "resources/list", "prompts/list"] {
        assert_eq!(server.error(method, &json!({}))["code"], -32601, "{method}");
    }
}

#[test]
fn shutdown_is_answered_and_exit_ends_the_server() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.serve();
    let early = server.error("exit", &json!({}));
    assert_eq!(early["code"], -32005);
    // A notification `exit` has no effect before `shutdown`.
    server.notify("exit", &json!({}));
    assert_eq!(server.result("shutdown", &json!({})), json!({}));
    let late = server.error("tools/list", &json!({}));
    assert_eq!(late["code"], -32003);
    server.notify("exit", &json!({}));
    // Stdin is still open.
    server.find_exit(0);
}

#[test]
fn after_shutdown_the_server_ends_without_exit() {
    let folder = Folder::with("hello", HELLO);
    let server = folder.serve();
    assert_eq!(server.result("shutdown", &json!({})), json!({}));
    server.find_exit(0);
}

#[test]
fn a_client_over_http_cannot_end_the_server() {
    let folder = Folder::with("hello", HELLO);
    let web = folder.web();
    let session = web.client().session(LATEST);
    let refused = session.request("1", "shutdown", &json!({})).answer().json();
    assert_eq!(refused["error"]["code"], -32601);
    let answer = session.tool("2", "hello", &json!({})).json();
    assert_eq!(crate::served::text(&answer["result"]), "hello");
}

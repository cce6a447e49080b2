//! Coming and going.

use linkspan_testkit::wait_for;
use serde_json::json;

use crate::setup::{Project, method};

#[test]
fn a_minimal_initialize_is_accepted_and_lists_are_announced() {
    let project = Project::new();
    let mut server = project.start();
    let hello = server.ask("initialize", json!({}));
    assert_eq!(hello["protocolVersion"], "2025-11-25");
    assert_eq!(
        hello["serverInfo"],
        json!({"name": "my-project", "version": "0.0.0", "title": "My Project"})
    );
    assert_eq!(hello["capabilities"]["tools"], json!({"listChanged": true}));
    server.tell("notifications/initialized", json!({}));
    let mut lists: Vec<String> = (0..3).map(|_| method(&server.next()).to_owned()).collect();
    lists.sort();
    assert_eq!(
        lists,
        [
            "notifications/prompts/list_changed",
            "notifications/resources/list_changed",
            "notifications/tools/list_changed"
        ]
    );
    assert_eq!(server.ask("ping", json!({})), json!({}));
}

#[test]
fn older_revisions_get_no_list_notifications() {
    let project = Project::new();
    for version in ["2024-11-05", "2025-03-26"] {
        let mut server = project.start();
        let hello = server.ask("initialize", json!({"protocolVersion": version}));
        assert_eq!(hello["protocolVersion"], version);
        assert_eq!(hello["capabilities"]["tools"], json!({}));
        server.tell("notifications/initialized", json!({}));
        server.ask("tools/list", json!({}));
        assert!(server.notes.is_empty(), "{:?}", server.notes);
    }
}

#[test]
fn server_info_comes_from_the_metadata() {
    let about = r#"{"name":"n","title":"T","version":"3.1","description":"D","websiteUrl":"https://x.example"}"#;
    let project = Project::new()
        .file("server.d/server.meta.json", about)
        .file("server.d/server.instructions.md", "Be kind.\n");
    let hello = project.start().ask("initialize", json!({}));
    let info = &hello["serverInfo"];
    assert_eq!(
        (&info["name"], &info["version"]),
        (&json!("n"), &json!("3.1"))
    );
    assert_eq!(info["websiteUrl"], "https://x.example");
    assert!(
        hello["instructions"]
            .as_str()
            .unwrap()
            .starts_with("Be kind.")
    );
}

#[test]
fn requests_before_the_handshake_and_a_second_handshake_fail() {
    let project = Project::new();
    let mut server = project.start();
    let not_yet = (-32000, "Server not initialized".to_owned());
    assert_eq!(server.fails("tools/list", json!({})), not_yet);
    // A client may first probe for a newer revision.
    let probe = json!({"protocolVersion": "2026-07-28"});
    assert_eq!(server.fails("server/discover", probe).0, -32601);
    server.ask("initialize", json!({}));
    assert_eq!(server.fails("tools/list", json!({})), not_yet);
    let (code, _) = server.fails("initialize", json!({}));
    assert_eq!(code, -32600);
    server.tell("notifications/initialized", json!({}));
    server.ask("tools/list", json!({}));
}

#[test]
fn a_pipelined_session_is_answered() {
    let project = Project::new().tool("echo", "echo hi", json!({}));
    let mut server = project.start();
    server.line(concat!(
        r#"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"echo"}}"#,
    ));
    let (said, code) = server.end();
    assert_eq!(code, 0);
    let answers: Vec<&str> = said.iter().filter_map(|s| s["id"].as_str()).collect();
    assert_eq!(answers, ["a", "b"]);
    assert_eq!(said[said.len() - 1]["result"]["content"][0]["text"], "hi\n");
}

#[test]
fn invalid_requests_get_an_error() {
    let project = Project::new();
    let mut server = project.serve();
    server.line("{nonsense");
    let said = server.next();
    assert_eq!(said["error"]["code"], -32700);
    assert!(said.get("id").is_none());
    server.line("[]");
    assert_eq!(server.next()["error"]["code"], -32600);
    server.line("{}");
    assert_eq!(server.next()["error"]["code"], -32600);
    for (method, code) in [("nothing", -32601), ("tools/nothing", -32601)] {
        assert_eq!(server.fails(method, json!({})).0, code);
    }
    assert_eq!(server.ask("ping", json!({})), json!({}));
}

#[test]
fn batches_are_split_if_the_operator_allows_it() {
    let project = Project::new().env("MCPBASH_COMPAT_BATCHES", "true");
    let mut server = project.serve();
    server.send(json!([
        {"jsonrpc": "2.0", "id": "x", "method": "ping"},
        {"jsonrpc": "2.0", "id": "y", "method": "tools/list"},
    ]));
    let mut ids = [server.next()["id"].clone(), server.next()["id"].clone()];
    ids.sort_by_key(|id| id.to_string());
    assert_eq!(ids, [json!("x"), json!("y")]);
}

#[test]
fn shutdown_and_exit_end_the_server() {
    let project = Project::new();
    let mut server = project.serve();
    assert_eq!(
        server.fails("exit", json!({})),
        (-32005, "Shutdown not requested".to_owned())
    );
    server.ask("shutdown", json!({}));
    assert_eq!(
        server.fails("tools/list", json!({})),
        (-32003, "Server shutting down".to_owned())
    );
    server.ask("exit", json!({}));
    assert_eq!(server.wait().1, 0);
}

#[test]
fn shutdown_without_exit_ends_the_server() {
    let project = Project::new().env("MCPBASH_SHUTDOWN_TIMEOUT", "1");
    let mut server = project.serve();
    server.ask("shutdown", json!({}));
    assert_eq!(server.wait().1, 0);
    assert_eq!(project.serve().end().1, 0);
}

#[test]
fn a_running_call_is_answered_after_end_of_input() {
    let script =
        r#"cd "$MCPBASH_PROJECT_ROOT"; : >begun; until [ -e go ]; do sleep 0.05; done; echo done"#;
    let project = Project::new().tool("slow", script, json!({}));
    let mut server = project.serve();
    server.request("tools/call", json!({"name": "slow"}));
    wait_for("the tool", || project.path("begun").exists());
    server.close_stdin();
    project.write("go", "");
    let (said, code) = server.wait();
    assert_eq!(said[0]["result"]["content"][0]["text"], "done\n");
    assert_eq!(code, 0);
}

#[test]
fn capabilities_depend_on_the_revision() {
    let project = Project::new();
    let offered = |version: &str| {
        let mut server = project.start();
        let hello = server.ask("initialize", json!({"protocolVersion": version}));
        hello["capabilities"].clone()
    };
    let new = offered("2025-11-25");
    assert_eq!(new["completions"], json!({}));
    assert_eq!(
        new["resources"],
        json!({"subscribe": true, "listChanged": true})
    );
    assert_eq!(offered("2025-03-26")["completions"], json!({}));
    assert_eq!(offered("2024-11-05").get("completions"), None);
}

#[test]
fn an_idle_server_exits_if_the_operator_configures_it() {
    let project = Project::new().env("MCPBASH_IDLE_TIMEOUT", "3");
    let server = project.serve();
    // Its stdin stays open.
    let (_, code) = server.wait();
    assert_eq!(code, 0);
}

#[test]
fn a_running_call_prevents_the_idle_exit() {
    let project = Project::new()
        .tool("slow", "sleep 5; printf done", json!({}))
        .env("MCPBASH_IDLE_TIMEOUT", "3");
    let mut server = project.serve();
    assert_eq!(server.text("slow", json!({})), "done");
    assert_eq!(server.wait().1, 0);
}

#[test]
fn a_server_whose_parent_has_ended_ends() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let project = Project::new();
    let go = project.path("go");
    // Stdin and stdout of the server stay open when the shell ends.
    let script =
        r#"exec 3<&0; "$1" serve "$2" <&3 & echo $!; until [ -e "$3" ]; do sleep 0.05; done"#;
    let mut shell = Command::new("bash")
        .args(["-c", script, "bash", env!("CARGO_BIN_EXE_linkspan")])
        .args([&project.path(""), &go])
        .env("MCPBASH_ORPHAN_CHECK_INTERVAL", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell starts");
    let mut stdin = shell.stdin.take().expect("it is piped");
    let stdout = shell.stdout.take().expect("it is piped");
    let mut lines = BufReader::new(stdout)
        .lines()
        .map(|line| line.expect("UTF-8"));
    let pid: u32 = lines.next().expect("a line").parse().expect("a number");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}});
    writeln!(stdin, "{hello}").expect("it listens");
    assert!(lines.next().expect("a line").contains("serverInfo"));
    project.write("go", "");
    shell.wait().expect("it ends");
    // Only the server still holds the other end of its stdout.
    let (ended, end) = std::sync::mpsc::sync_channel(1);
    std::thread::spawn(move || ended.send(lines.count()));
    if end.recv_timeout(Duration::from_secs(60)).is_err() {
        let _ = Command::new("kill").arg(pid.to_string()).status();
        panic!("it stays without a parent");
    }
    drop(stdin);
}

//! `linkspan bcp mcp`: the files that a client may use, the requests for its roots, and the end of calls.

use std::path::Path;

use linkspan_testkit::{Bridge, Message};
use serde_json::{Value, json};

use crate::server::{LATEST, Scratch, assert_error, assert_reached, launch, modern, ready};

fn read(server: &Bridge, id: &str, path: impl AsRef<Path>) {
    server.call(id, "read_bcp_file", &json!({"path": path.as_ref()}));
}

fn offer(folder: &Path) -> Value {
    let path = folder
        .to_str()
        .expect("the path is UTF-8")
        .replace(' ', "%20");
    json!({"roots": [{"uri": format!("file://{path}"), "name": "offered"}]})
}

fn respond(server: &Bridge, question: &Message, result: &Value) {
    let id = question.id.as_deref().expect("a question has an id");
    server.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
    ));
}

/// The handshake of a client without capabilities.
fn initialize_plain(server: &Bridge) {
    let client = json!({"name": "plain", "version": "1"});
    let params = json!({"protocolVersion": LATEST, "capabilities": {}, "clientInfo": client});
    server.request("0", "initialize", &params);
    server.answer("0");
}

#[test]
fn wrong_arguments_are_error_results_for_the_model() {
    let scratch = Scratch::new("arguments");
    let text = scratch.write("notes.txt", "text");
    let path = scratch.write("a.bcp", "no BCP");
    std::fs::create_dir(scratch.path("folder.bcp")).expect("a folder");
    let server = ready(&scratch.path(""));
    for (arguments, word) in [
        (json!({}), "`path` is missing"),
        (json!({"path": scratch.path("b.bcp")}), "does not exist"),
        (json!({"path": text}), "does not end in .bcp"),
        (json!({"path": scratch.path("folder.bcp")}), "is a folder"),
        (
            json!({"path": path, "mode": "html"}),
            "xml, markdown or minimal",
        ),
        (json!({"path": path, "budget": -1}), "`budget`"),
        (json!({"path": path, "budget": 1.5}), "`budget`"),
        (json!({"path": path, "budget": "many"}), "`budget`"),
    ] {
        assert_error(&server.ask("1", "read_bcp_file", &arguments), word);
    }
    let fine = json!({"path": path, "budget": 500.0, "mode": "minimal", "extra": [1]});
    assert_reached(&server.ask("2", "read_bcp_file", &fine));
    assert_reached(&server.ask("3", "inspect_bcp_file", &json!({"path": path})));
}

#[test]
fn the_default_root_is_the_current_folder() {
    let scratch = Scratch::new("here");
    scratch.write("a.bcp", "no BCP");
    let server = launch::<&str>([]).within(scratch.path("")).start();
    initialize_plain(&server);
    read(&server, "1", "a.bcp");
    assert_reached(&server.answer("1"));
    read(&server, "2", scratch.path("a.bcp"));
    assert_reached(&server.answer("2"));
}

#[test]
fn a_path_outside_the_roots_is_refused() {
    let scratch = Scratch::new("outside");
    scratch.write("in/a.bcp", "no BCP");
    let outside = scratch.write("out/b.bcp", "no BCP");
    let server = launch([Path::new("--root"), &scratch.path("in")]).start();
    initialize_plain(&server);
    for path in [Path::new("../out/b.bcp"), &outside] {
        read(&server, "1", path);
        let answer = server.answer("1");
        assert_error(&answer, "outside the folders");
        assert_error(&answer, "--root DIR");
        assert_error(&answer, scratch.path("in").to_str().expect("UTF-8"));
    }
    let encode = json!({"manifest_path": "a.bcp", "output_path": "../out/new.bcp"});
    assert_error(
        &server.ask("2", "encode_bcp_file", &encode),
        "outside the folders",
    );
    let encode = json!({"manifest_path": outside, "output_path": "new.bcp"});
    assert_error(
        &server.ask("3", "encode_bcp_file", &encode),
        "outside the folders",
    );
    assert!(!scratch.path("out/new.bcp").exists());
}

#[cfg(unix)]
#[test]
fn links_to_files_outside_are_refused() {
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new("links");
    scratch.write("in/m.json", "{}");
    let outside = scratch.write("out/b.bcp", "no BCP");
    symlink(&outside, scratch.path("in/link.bcp")).expect("a link");
    symlink(scratch.path("out"), scratch.path("in/folder")).expect("a link");
    let server = launch([Path::new("--root"), &scratch.path("in")]).start();
    initialize_plain(&server);
    for path in ["link.bcp", "folder/b.bcp", "folder/none.bcp"] {
        read(&server, "1", path);
        assert_error(&server.answer("1"), "outside the folders");
        let encode = json!({"manifest_path": "m.json", "output_path": path});
        let why = match path {
            // Files are not written through a link, whatever its target.
            "link.bcp" => "is a link",
            _ => "outside the folders",
        };
        assert_error(&server.ask("2", "encode_bcp_file", &encode), why);
    }
    let kept = std::fs::read_to_string(&outside).expect("it is still there");
    assert_eq!(kept, "no BCP");
}

#[test]
fn the_clients_roots_open_a_folder() {
    let scratch = Scratch::new("offered folder");
    std::fs::create_dir_all(scratch.path("in")).expect("a folder");
    let path = scratch.write("out/b.bcp", "no BCP");
    let server = ready(&scratch.path("in"));
    read(&server, "1", &path);
    let question = server.heard("roots/list");
    respond(&server, &question, &offer(&scratch.path("out")));
    assert_reached(&server.answer("1"));

    // The roots are cached until the client notifies a change.
    read(&server, "2", &path);
    assert_reached(&server.answer("2"));
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#);
    read(&server, "3", &path);
    let question = server.heard("roots/list");
    respond(&server, &question, &json!({"roots": []}));
    assert_error(&server.answer("3"), "outside the folders");
}

#[test]
fn a_client_without_a_handshake_may_offer_folders_too() {
    let scratch = Scratch::new("modern-roots");
    std::fs::create_dir_all(scratch.path("in")).expect("a folder");
    let path = scratch.write("out/b.bcp", "no BCP");
    let server = launch([Path::new("--root"), &scratch.path("in")]).start();
    let call = json!({"name": "read_bcp_file", "arguments": {"path": path}});
    server.request("1", "tools/call", &modern(call.clone()));
    let asked = server.answer("1").json()["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let questions = asked["inputRequests"].as_object().expect("questions");
    let (key, question) = questions.iter().next().expect("one of them");
    assert_eq!(question["method"], "roots/list");
    let mut again = call;
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({key.as_str(): offer(&scratch.path("out"))});
    server.request("2", "tools/call", &modern(again));
    assert_reached(&server.answer("2"));
}

#[test]
fn calls_that_wait_for_roots_block_no_others() {
    let scratch = Scratch::new("many");
    let path = scratch.write("in/a.bcp", "no BCP");
    let server = ready(&scratch.path("in"));
    let waiting: Vec<_> = (1..=40).map(|id| id.to_string()).collect();
    for id in &waiting {
        read(&server, id, scratch.path("out/b.bcp"));
    }
    let asked = waiting.iter().map(|_| server.heard("roots/list"));
    let questions: Vec<_> = asked.collect();
    read(&server, "100", &path);
    assert_reached(&server.answer("100"));
    for question in &questions {
        respond(&server, question, &json!({"roots": []}));
    }
    for id in &waiting {
        assert_error(&server.answer(id), "outside the folders");
    }
}

#[test]
fn a_call_that_is_cancelled_is_not_answered() {
    let scratch = Scratch::new("cancelled");
    let mut server = ready(&scratch.path(""));
    read(&server, "1", scratch.path("../b.bcp"));
    let question = server.heard("roots/list");
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    let withdrawn = server.heard("notifications/cancelled");
    assert_eq!(withdrawn.at(&["params", "requestId"]), question.id);
    server.request("2", "ping", &json!({}));
    server.answer("2");
    server.close_stdin();
    assert_eq!(server.exit_code(), Some(0));
    assert_eq!(server.unread(), Vec::<String>::new());
}

#[test]
fn an_unanswered_roots_request_does_not_fail_the_call_by_timeout() {
    let scratch = Scratch::new("late");
    let server = launch([Path::new("--root"), &scratch.path("")])
        .env("BCP_CLI_TIMEOUT_MS", "400")
        .start();
    server.initialize(LATEST);
    // The client does not answer `roots/list`.
    read(&server, "1", scratch.path("../b.bcp"));
    assert_error(&server.answer("1"), "outside the folders");
}

#[test]
fn requests_to_the_client_end_when_stdin_closes() {
    let scratch = Scratch::new("closed");
    let mut server = ready(&scratch.path(""));
    read(&server, "1", scratch.path("../b.bcp"));
    server.heard("roots/list");
    let closed = std::time::Instant::now();
    server.close_stdin();
    assert_error(&server.answer("1"), "outside the folders");
    assert_eq!(server.exit_code(), Some(0));
    let took = closed.elapsed();
    assert!(took < std::time::Duration::from_secs(4), "{took:?}");
}

#[cfg(unix)]
#[test]
fn files_that_could_block_are_refused() {
    let scratch = Scratch::new("fifo");
    let fifo = scratch.path("pipe.bcp");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo works");
    let server = ready(&scratch.path(""));
    read(&server, "1", &fifo);
    assert_error(&server.answer("1"), "not a regular file");
}

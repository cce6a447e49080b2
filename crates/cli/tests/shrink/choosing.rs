//! Selecting tools: whose results are shortened, and which are added.

use serde_json::json;

use crate::samples;
use crate::setup::{Place, assert_untouched, meta, one_text, result_of, shrink};

#[test]
fn only_selected_tools_are_shortened() {
    let line = shrink(&["--only", "s*y", "--only", "other"]).ready();
    let text = samples::rows(60);
    assert_ne!(line.given(&text), text);
    let line = shrink(&["--only", "other"]).ready();
    assert_eq!(line.given(&text), text);
}

#[test]
fn excluded_tools_are_not_shortened() {
    let text = samples::rows(60);
    let line = shrink(&["--except", "say"]).ready();
    assert_eq!(line.given(&text), text);
    let line = shrink(&["--only", "*", "--except", "sa*"]).ready();
    assert_eq!(line.given(&text), text);
    let line = shrink(&["--except", "other"]).ready();
    assert_ne!(line.given(&text), text);
}

const WORDY: &str = r#""tools":[{"name":"say","title":"Say","description":"what it does","inputSchema":{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"description":{"type":"string","description":"a long explanation","enum":["a","b"]},"n":{"anyOf":[{"type":"integer","title":"N","minimum":0},{"type":"null"}],"default":{"description":"kept"}}},"required":["description"]},"annotations":{"title":"T"}}],"vendor":0.10"#;

#[test]
fn without_local_tools_the_list_passes_unchanged() {
    let line = shrink(&["--no-bcp-tools"]).tools(WORDY).ready();
    let answer = line.ask("tools/list", &json!({}));
    assert_untouched(&answer, &format!("{{{WORDY}}}"));
}

#[test]
fn local_tools_are_on_the_last_page() {
    let setting =
        shrink(&[]).tools(r#""tools":[{"name":"one","inputSchema":{}}],"nextCursor":"2""#);
    setting.place.write(
        "tools.2",
        r#""tools":[{"name":"bcp_fetch","inputSchema":{}}]"#,
    );
    let line = setting.ready();
    let names = |answer: linkspan_testkit::Message| -> Vec<String> {
        let tools = answer.json()["result"]["tools"].as_array().unwrap().clone();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = line.ask("tools/list", &json!({}));
    assert_eq!(first.json()["result"]["nextCursor"], "2");
    assert_eq!(names(first), ["one"]);
    let last = names(line.ask("tools/list", &json!({"cursor": "2"})));
    assert_eq!(
        last,
        [
            "bcp_fetch",
            "read_bcp_file",
            "inspect_bcp_file",
            "encode_bcp_file",
            "linkspan_bcp_fetch"
        ]
    );
    // While the list is read again, page by page, names keep their meaning.
    line.ask("tools/list", &json!({}));
    line.call("bcp_fetch", &json!({"id": "theirs"}));
    line.children.wait_for_tool("bcp_fetch");
}

#[test]
fn files_are_read_and_written_within_the_root_only() {
    let place = Place::new();
    let inside = place.file("inside");
    std::fs::create_dir(&inside).unwrap();
    place.write("inside/a.bcp", "no BCP");
    place.write("outside.bcp", "no BCP");
    place.write(
        "inside/m.json",
        r#"{"blocks":[{"type":"code","lang":"rust","path":"a.rs","content":"fn a() {}"}]}"#,
    );
    let line = shrink(&["--root", &inside]).ready();
    let read = |path: &str| one_text(&line.call("read_bcp_file", &json!({"path": path})));
    assert!(read(&place.file("inside/a.bcp")).contains("not a BCP file"));
    for path in [
        place.file("outside.bcp"),
        place.file("inside/../outside.bcp"),
        "../outside.bcp".to_owned(),
        "/etc/passwd.bcp".to_owned(),
    ] {
        let said = read(&path);
        assert!(!said.contains("not a BCP file"), "{path}: {said}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.file("outside.bcp"), place.file("inside/link.bcp"))
            .unwrap();
        assert!(!read(&place.file("inside/link.bcp")).contains("not a BCP file"));
    }
    let encode = |to: &str| {
        let arguments = json!({"manifest_path": place.file("inside/m.json"), "output_path": to});
        line.call("encode_bcp_file", &arguments)
    };
    assert_eq!(
        encode(&place.file("out.bcp")).json()["result"]["isError"],
        true
    );
    assert!(!std::path::Path::new(&place.file("out.bcp")).exists());
    let well = encode(&place.file("inside/out.bcp"));
    assert_eq!(well.json()["result"]["isError"], false, "{}", well.text);
    assert!(read(&place.file("inside/out.bcp")).contains("fn a() {}"));
}

#[test]
fn a_missing_root_is_reported_at_start() {
    let ran = crate::run::linkspan(&["shrink", "--root", "/no/such/folder", "--", "true"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("/no/such/folder"), "{}", ran.stderr);
}

#[test]
fn task_results_are_shortened() {
    // A call that became a task returns its result here.
    use linkspan_testkit::{Children, Conn, Flow, Request, Server};
    let hook = |request: &Request, conn: &mut Conn| {
        if request.rpc() != Some("tasks/result") {
            return Flow::Pass;
        }
        let id = request
            .message
            .as_ref()
            .and_then(|m| m.id.clone())
            .expect("an id");
        let result = result_of(&samples::rows(60));
        Flow::written(conn.json(
            200,
            &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        ))
    };
    let server = Server::legacy().intercept(hook).start();
    let line = shrink(&[]).ready_with(&[server.url()], Children::listen());
    let answer = line.ask("tasks/result", &json!({"taskId": "t"}));
    assert!(meta(&answer).is_object(), "{}", answer.text);
}

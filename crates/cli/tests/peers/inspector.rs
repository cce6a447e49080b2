//! The official Inspector's command line: the bridge as its stdio server, and `expose` as its URL.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::exposed::Exposed;
use crate::filesystem::Quay;
use crate::server::Server;
use crate::{installed, once, sdk, words};

/// The output for one call to a URL, or to the stdio server that the words start.
pub fn inspector(target: &[String], method: &[&str]) -> String {
    inspector_with(&installed::folder().join("home"), &[], target, method)
}

/// The same with another home folder and environment.
pub fn inspector_with(
    home: &Path,
    environment: &[(String, String)],
    target: &[String],
    method: &[&str],
) -> String {
    let mut command = Command::new(installed::node());
    command
        .arg(installed::npm("inspector/clients/launcher/build/index.js"))
        .arg("--cli")
        .args(target)
        .args(["--method"])
        .args(method)
        .args(["--format", "json", "-q"])
        .envs(environment.iter().cloned())
        // It keeps files in the home folder.
        .env("HOME", home);
    once::run("inspector", &mut command)
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_lists_the_tools_of_a_remote_server() {
    let server = Server::everything("streamableHttp");
    let printed = inspector(&installed::bridge(&server.url("/mcp")), &["tools/list"]);
    assert!(printed.contains(r#""name":"echo""#), "{printed}");
}

const ECHO: [&str; 5] = [
    "tools/call",
    "--tool-name",
    "echo",
    "--tool-arg",
    "message=ahoy",
];

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_calls_a_tool_of_a_remote_server() {
    let server = Server::everything("streamableHttp");
    let printed = inspector(&installed::bridge(&server.url("/mcp")), &ECHO);
    assert_eq!(
        printed.trim(),
        r#"{"result":{"content":[{"type":"text","text":"Echo: ahoy"}]}}"#
    );
}

const ERAS: [&str; 2] = ["legacy", "modern"];

/// Calls a tool of an exposed server in each era.
fn calls_in_both_eras(server: &[String], call: &[&str], text: &str) {
    let exposed = Exposed::start(server);
    calls_target_in_both_eras(&[exposed.url("/mcp")], call, text);
}

/// Calls a tool in each era; the modern one is pinned, without a fall-back.
fn calls_target_in_both_eras(target: &[String], call: &[&str], text: &str) {
    for era in ERAS {
        let mut method = call.to_vec();
        method.extend(["--protocol-era", era]);
        let printed = inspector(target, &method);
        let printed: Value = serde_json::from_str(&printed).expect("it prints JSON");
        assert_eq!(printed["result"]["content"][0]["text"], text, "{era}");
        // Only a modern server sends its name with each answer.
        let named = !printed["result"]["_meta"].is_null();
        assert_eq!(named, era == "modern", "{printed}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_calls_the_exposed_everything_server_in_both_eras() {
    calls_in_both_eras(&words::everything(), &ECHO, "Echo: ahoy");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_calls_the_exposed_filesystem_server_in_both_eras() {
    let quay = Quay::new();
    let path = format!("path={}", quay.path("notice.txt"));
    let read = [
        "tools/call",
        "--tool-name",
        "read_text_file",
        "--tool-arg",
        &path,
    ];
    let text = "Mind the gap — “ø”\n\tand tabs\n";
    calls_in_both_eras(&quay.words(), &read, text);
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_calls_the_exposed_modern_only_server_in_both_eras() {
    calls_in_both_eras(&words::python(&["--modern"]), &ECHO, "Echo: ahoy");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_calls_the_exposed_server_of_both_eras_in_both_eras() {
    calls_in_both_eras(&words::python(&[]), &ECHO, "Echo: ahoy");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_calls_through_connect_in_both_eras() {
    for server in [
        Server::everything("streamableHttp"),
        Server::python(&["--modern"]),
    ] {
        let bridge = installed::bridge(&server.url("/mcp"));
        calls_target_in_both_eras(&bridge, &ECHO, "Echo: ahoy");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_lists_everything_of_an_exposed_server_in_both_eras() {
    let exposed = Exposed::start(&words::everything());
    for list in ["tools/list", "resources/list", "prompts/list"] {
        let [legacy, modern] = ERAS.map(|era| {
            let printed = inspector(&[exposed.url("/mcp")], &[list, "--protocol-era", era]);
            let mut printed: Value = serde_json::from_str(&printed).expect("it prints JSON");
            sdk::strip(&mut printed["result"]);
            printed["result"].take()
        });
        assert!(legacy.is_object(), "{list}");
        assert_eq!(modern, legacy, "{list}");
    }
}

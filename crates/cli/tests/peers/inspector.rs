//! The official Inspector's command line, with the bridge as its stdio server.

use std::process::Command;

use crate::server::Server;
use crate::{installed, once};

fn inspector(url: &str, method: &[&str]) -> String {
    let home = installed::folder().join("home");
    let mut command = Command::new(installed::node());
    command
        .arg(installed::npm("inspector/clients/launcher/build/index.js"))
        .arg("--cli")
        .args(installed::bridge(url))
        .args(["--method"])
        .args(method)
        .args(["--format", "json", "-q"])
        // It keeps files in the home folder.
        .env("HOME", home);
    once::run("inspector", &mut command)
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_lists_the_tools_of_a_remote_server() {
    let server = Server::everything("streamableHttp");
    let printed = inspector(&server.url("/mcp"), &["tools/list"]);
    assert!(printed.contains(r#""name":"echo""#), "{printed}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_calls_a_tool_of_a_remote_server() {
    let server = Server::everything("streamableHttp");
    let call = [
        "tools/call",
        "--tool-name",
        "echo",
        "--tool-arg",
        "message=ahoy",
    ];
    let printed = inspector(&server.url("/mcp"), &call);
    assert_eq!(
        printed.trim(),
        r#"{"result":{"content":[{"type":"text","text":"Echo: ahoy"}]}}"#
    );
}

//! Configurations of the shapes that users of `mcp-remote` and `supergateway` have, with linkspan in the place of these
//! programs.

use std::path::Path;

use linkspan_testkit::{Bridge, Server};
use serde_json::Value;

use crate::setup::{LATEST, assert_works, program};

/// The files, each with a header that its server gets. Servers of the old transport have `/sse` in their URL.
const ALL: [(&str, Option<(&str, &str)>); 20] = [
    ("allow-http", None),
    (
        "auth-header-in-env",
        Some(("authorization", "Bearer demo-token")),
    ),
    ("bunx", None),
    ("callback-port", None),
    ("claude-desktop", None),
    ("cline", None),
    ("cmd-on-windows", None),
    ("gemini", None),
    ("header-without-blank", Some(("x-api-key", "demo-key"))),
    ("ignored-tools", None),
    ("key-in-env", Some(("x-api-key", "demo-key"))),
    ("latest", None),
    ("old-sse", None),
    ("opencode", None),
    ("project", None),
    (
        "supergateway-bearer",
        Some(("authorization", "Bearer demo-token")),
    ),
    (
        "supergateway-sse",
        Some(("authorization", "Bearer demo-token")),
    ),
    (
        "supergateway-streamable",
        Some(("authorization", "Bearer demo-token")),
    ),
    ("vscode", Some(("x-stage", "test"))),
    ("zed", None),
];

#[test]
fn every_configuration_starts_with_linkspan_in_the_place_of_its_program() {
    for (name, header) in ALL {
        let (words, env) = command_line(name);
        let (verb, arguments) = replaced(&words).unwrap_or_else(|| panic!("{name}: {words:?}"));
        starts(name, verb, arguments, &env, header);
    }
}

#[test]
fn no_configuration_is_forgotten() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/connect/configs");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let names = entries.map(|entry| entry.expect("it can be read").file_name());
    let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    names.sort();
    let known: Vec<String> = ALL.map(|(name, _)| format!("{name}.json")).into();
    assert_eq!(names, known);
}

/// Starts a configuration against a server of the kind that its URL names, and calls a tool.
fn starts(
    name: &str,
    verb: &str,
    arguments: &[String],
    env: &[(String, String)],
    header: Option<(&str, &str)>,
) {
    let is_old = arguments.iter().any(|word| word.ends_with("/sse"));
    let server = if is_old {
        Server::sse()
    } else {
        Server::legacy()
    }
    .start();
    let arguments = arguments.iter().map(|word| {
        let is_url = word.contains("://mcp.example.com/");
        if is_url { server.url() } else { word.clone() }
    });
    let home = tempfile::tempdir().expect("a folder can be made");
    let mut launch = Bridge::launch(program())
        .env("HOME", home.path().to_str().expect("it is UTF-8"))
        .env("LINKSPAN_STATE", home.path().to_str().expect("it is UTF-8"))
        .arg(verb)
        .args(arguments);
    for (variable, value) in env {
        launch = launch.env(variable, value);
    }
    let bridge = launch.start();
    bridge.initialize(LATEST);
    assert_works(&bridge);
    if let Some((header, value)) = header {
        let calls = server.calls("echo");
        let sent = calls.last().and_then(|call| call.header(header));
        assert_eq!(sent, Some(value), "{name}");
    }
}

/// The command line and the variables of the only server in a configuration.
fn command_line(name: &str) -> (Vec<String>, Vec<(String, String)>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/connect/configs");
    let text = std::fs::read_to_string(folder.join(format!("{name}.json")));
    let text = text.unwrap_or_else(|e| panic!("{name}: {e}"));
    let root: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
    let keys = ["mcpServers", "servers", "context_servers", "mcp"];
    let servers = keys.iter().find_map(|key| root.get(key)?.as_object());
    let server = servers.and_then(|servers| servers.values().next());
    let server = server.unwrap_or_else(|| panic!("{name} has no server"));
    let text = |value: &Value| value.as_str().expect("it is text").to_owned();
    let words = [&server["command"], &server["args"]]
        .into_iter()
        .flat_map(|part| match part {
            Value::Array(words) => words.iter().map(text).collect(),
            Value::String(word) => vec![word.clone()],
            _ => Vec::new(),
        });
    let env = ["env", "environment"].into_iter();
    let env = env.filter_map(|key| server.get(key)?.as_object()).flatten();
    let env = env.map(|(name, value)| (name.clone(), text(value)));
    (words.collect(), env.collect())
}

/// The verb of linkspan that takes the place of the launcher and the program, and the arguments of the program.
fn replaced(words: &[String]) -> Option<(&'static str, &[String])> {
    words.iter().enumerate().find_map(|(at, word)| {
        let name = word.split('@').next()?;
        let mut verbs = ["mcp-remote", "supergateway"].into_iter();
        let verb = verbs.find(|verb| name == *verb)?;
        Some((verb, &words[at + 1..]))
    })
}

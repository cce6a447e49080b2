//! The scenes, in the order in which they are shown.

use std::fs;
use std::path::Path;

use super::process::{Talk, contains, print, show, typed};
use super::told;
use crate::paths;

fn title(number: u8, job: &str, look_at: &str) {
    println!("\n── {number}. {job}\n   Look at: {look_at}\n");
}

/// `connect`: a server on HTTP for a client that starts commands.
pub fn remote_server() -> Result<(), String> {
    title(
        1,
        "A remote server for a stdio client",
        "the 20-digit number and 0.10 come back as they were sent.",
    );
    let mut server = Talk::start(&["examples/demo_server"])?;
    let url = server.hear()?;
    let sent = r#"{"text":"hello","n":18446744073709551616,"x":0.10}"#;
    let words = [
        "linkspan", "call", "echo", sent, "--", "linkspan", "connect", &url,
    ];
    show(&words, &paths::root(), 4, sent)
}

/// `connect`: a client of 2025 and a server of 2026.
pub fn old_client() -> Result<(), String> {
    title(
        2,
        "An old client with a new server",
        "the server refuses `initialize`; through linkspan it answers.",
    );
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"old-client","version":"1"}}}"#;
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_simple_text","arguments":{}}}"#;

    let server = ["linkspan-fixture", "--era", "modern"];
    println!("  $ {}", typed(&server));
    let mut talk = Talk::start(&server)?;
    exchange(&mut talk, initialize, "error")?;
    drop(talk);

    let bridge = [&["linkspan", "connect", "--"][..], &server[..]].concat();
    println!("  $ {}", typed(&bridge));
    let mut talk = Talk::start(&bridge)?;
    exchange(&mut talk, initialize, "result")?;
    talk.say(ready)?;
    exchange(&mut talk, call, "result")
}

/// A message without the member that all messages have.
fn short(line: &str) -> String {
    line.replace(r#""jsonrpc":"2.0","#, "")
}

/// Sends a request and receives its answer, which has a `result` or an `error`.
fn exchange(talk: &mut Talk, request: &str, member: &str) -> Result<(), String> {
    talk.say(request)?;
    print(&format!("→ {}", short(request)), 1);
    let answer = talk.hear()?;
    print(&format!("← {}", short(&answer)), 1);
    contains(&answer, &format!("\"{member}\""))
}

/// `serve`: an executable is a tool.
#[cfg(unix)]
pub fn folder(scratch: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;

    title(
        3,
        "A folder that becomes a server",
        "three lines of shell are a tool with a description and a result.",
    );
    let tools = scratch.join("my-server").join("tools");
    let script = tools.join("kernel.sh");
    let text = "#!/bin/sh\n# Tells which kernel this machine runs.\nuname -sr\n";
    fs::create_dir_all(&tools)
        .and_then(|()| fs::write(&script, text))
        .and_then(|()| fs::set_permissions(&script, fs::Permissions::from_mode(0o755)))
        .map_err(|error| told(&script, &error))?;
    println!("  $ cat my-server/tools/kernel.sh");
    print(text, 3);
    show(
        &["linkspan", "tools", "./my-server"],
        scratch,
        4,
        "which kernel",
    )?;
    show(
        &["linkspan", "call", "kernel", "./my-server"],
        scratch,
        4,
        " ",
    )
}

/// `shrink`: a result before and after.
pub fn fewer_tokens() -> Result<(), String> {
    title(
        4,
        "A result in a third of the tokens",
        "what the rows have in common is said once; the last line counts.",
    );
    let root = paths::root();
    let file = "corpus/json-flat/pods.json";
    let original = fs::read_to_string(root.join(file)).map_err(|error| told(&root, &error))?;
    println!("  $ cat {file}");
    print(&original, 6);
    show(
        &["linkspan", "shrink", "try", "--text", file],
        &root,
        6,
        "%json",
    )?;
    show(&["linkspan", "shrink", "try", file], &root, 3, "lossless ✓")
}

/// `conduct` and `agent`: an agent behind two proxies of different generations, used as a tool.
pub fn agent(scratch: &Path) -> Result<(), String> {
    title(
        5,
        "An agent behind a chain",
        "two proxies of different generations, each in its own dialect.",
    );
    let words = [
        "linkspan",
        "call",
        "prompt",
        "text=say The answer is 42.",
        "--acp",
        "--",
        "linkspan",
        "conduct",
        "--debug-dir",
        "hops",
        "linkspan-child part pass D1",
        "linkspan-child part pass D5",
        "linkspan-child --agent",
    ];
    show(&words, scratch, 4, "The answer is 42.")?;
    println!("  The prompt on every hop (C: the editor, 0 and 1: the proxies, 2: the agent):");
    hops(&scratch.join("hops"))
}

/// The messages with the prompt in a debug folder, one line per hop.
fn hops(folder: &Path) -> Result<(), String> {
    let entry = fs::read_dir(folder)
        .map_err(|error| told(folder, &error))?
        .next();
    let file = entry
        .and_then(Result::ok)
        .ok_or("--debug-dir wrote no file")?
        .path();
    let text = fs::read_to_string(&file).map_err(|error| told(&file, &error))?;
    let prompts: String = text
        .lines()
        .filter(|line| line.contains("session/prompt"))
        .map(|line| format!("{}\n", short(line)))
        .collect();
    print(&prompts, 8);
    contains(&prompts, "\"_proxy/successor/request\"")?;
    contains(&prompts, "\"proxy/successor\"")
}

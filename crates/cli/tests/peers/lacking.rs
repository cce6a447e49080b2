//! Clients on the official Python SDK that lack what linkspan adds for them.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;

use crate::folder_served::Web;
use crate::server::Server;
use crate::{installed, once};

const ERAS: [&str; 2] = ["legacy", "modern"];
/// A client ends its requests after this long, in seconds, and linkspan answers them in half of it.
const LIMIT: &str = "4";
/// The limit of a client whose server has to start within it.
const USUAL: &str = "40";
const LONG_CALLS: [&str; 3] = ["--long-calls", "--patience", "2"];

/// A tool that asks for a name.
const ASKS: &str = r#"#!/bin/sh
echo '{"id":"who","method":"elicit","params":{"message":"Your name?","schema":{"type":"object","properties":{"name":{"type":"string"}}}}}' >&3
read -r answer <&3; echo "$answer"
"#;

/// What a client of this era tells about a call.
pub fn told(era: &str, tool: &str, arguments: &str, target: &[String]) -> Value {
    told_within(USUAL, era, (tool, arguments), target)
}

fn told_within(
    limit: &str,
    era: &str,
    (tool, arguments): (&str, &str),
    target: &[String],
) -> Value {
    let mut python = Command::new(installed::python());
    python
        .arg(installed::script("pylacking.py"))
        .args([era, limit, tool, arguments])
        .args(target);
    let printed = once::run(&format!("lacking-{era}"), &mut python);
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
}

/// The words of a command of linkspan in front of a URL.
fn words(command: &str, flags: &[&str], url: &str) -> Vec<String> {
    let all = [&[installed::linkspan(), command], flags, &[url]].concat();
    all.into_iter().map(str::to_owned).collect()
}

pub fn last_text(told: &Value) -> &str {
    let last = told["texts"].as_array().and_then(|texts| texts.last());
    last.and_then(Value::as_str)
        .unwrap_or_else(|| panic!("{told}"))
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_call_that_takes_longer_than_the_client_waits_gives_its_result() {
    let server = Server::python(&[]);
    let url = server.url("/mcp");
    let expose = words("expose", &["--port", "0"], &url);
    let web = Web::of(&[&expose[1..], &LONG_CALLS.map(str::to_owned)].concat());
    let call = ("dawdle", r#"{"seconds":7}"#);
    for era in ERAS {
        for target in [words("connect", &LONG_CALLS, &url), web.target()] {
            let told = told_within(LIMIT, era, call, &target);
            assert_eq!(told["error"], Value::Null, "{era}, {target:?}");
            assert_eq!(last_text(&told), "done after 7.0 s", "{era}, {target:?}");
            let first = told["texts"][0].as_str().unwrap_or_default();
            assert!(first.contains("dawdle is still running"), "{first}");
        }
        let without = told_within(LIMIT, era, call, &words("connect", &[], &url));
        assert!(without["error"].is_string(), "{without}");
    }
}

/// The words of `connect` for a user whose browser is this script. An SDK starts servers without our environment.
pub fn asking(browser: &str, variables: &[&str], server: &[String]) -> Vec<String> {
    let text = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut words = vec![
        "env".to_owned(),
        format!("PATH={}:{path}", text(installed::folder().join("bin"))),
        format!("BROWSER={}", text(installed::npm_script(browser))),
    ];
    words.extend(variables.iter().map(|variable| (*variable).to_owned()));
    words.extend([installed::linkspan(), "connect", "--elicit"].map(str::to_owned));
    words.extend_from_slice(server);
    words
}

/// The server on the Python SDK, as a command.
pub fn python_server(flags: &[&str]) -> Vec<String> {
    let program = installed::python().to_string_lossy().into_owned();
    let script = installed::script("pyserver.py")
        .to_string_lossy()
        .into_owned();
    let flags = flags.iter().map(|flag| (*flag).to_owned());
    ["--".to_owned(), program, script]
        .into_iter()
        .chain(flags)
        .chain(["stdio".to_owned()])
        .collect()
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn the_user_of_a_client_that_cannot_ask_is_asked_on_a_page() {
    for server in [&[][..], &["--modern"]] {
        let server = python_server(server);
        for era in ERAS {
            let target = asking("answer.mjs", &["ANSWER=field-0=Ada+L."], &server);
            let told = told(era, "ask_user", "{}", &target);
            assert_eq!(last_text(&told), "accept: Ada L.", "{era}, {server:?}");
        }
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_user_who_declines_gives_no_answer() {
    for era in ERAS {
        let target = asking("answer.mjs", &[], &python_server(&[]));
        let told = told(era, "ask_user", "{}", &target).to_string();
        assert!(!told.contains("accept:"), "{told}");
        assert!(told.contains("declin"), "{told}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn the_user_of_a_client_that_cannot_ask_is_asked_at_the_terminal() {
    for server in [&[][..], &["--modern"]] {
        let mut terminal = Command::new(installed::python());
        terminal
            .arg(installed::script("terminal.py"))
            .args(["the server asks", "Ada L.", installed::linkspan()])
            .args(["expose", "--elicit=terminal", "--port", "0"])
            .args(python_server(server));
        let web = Web::by("terminal", &mut terminal);
        for era in ERAS {
            let told = told(era, "ask_user", "{}", &web.target());
            assert_eq!(last_text(&told), "accept: Ada L.", "{era}, {server:?}");
        }
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_script_of_a_folder_asks_the_user_of_such_a_client() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let tools = folder.path().join("tools");
    std::fs::create_dir(&tools).expect("it is empty");
    let tool = tools.join("who");
    std::fs::write(&tool, ASKS).expect("the folder can be written to");
    let run = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&tool, run).expect("the tool is ours");
    let here = folder.path().to_string_lossy().into_owned();
    for era in ERAS {
        let mut target = asking(
            "answer.mjs",
            &["ANSWER=field-0=Ada"],
            std::slice::from_ref(&here),
        );
        let connect = target.iter().position(|word| word == "connect");
        target[connect.expect("it is there")] = "serve".to_owned();
        let told = told(era, "who", "{}", &target);
        assert!(last_text(&told).contains("Ada"), "{told}");
    }
}

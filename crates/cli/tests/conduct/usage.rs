//! The command line: components in both forms, `--dry-run`, and errors.

use std::process::Command;

use linkspan_testkit::Stage;
use serde_json::json;

use crate::setup::{INITIALIZE, WELCOME, answer, conduct, program};

/// The exit code, stdout and stderr of a run that ends by itself.
fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(program()).arg("conduct").args(args).output();
    let output = output.expect("the program under test starts");
    let text = |bytes| String::from_utf8(bytes).expect("it says text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn dry_run_prints_the_chain_without_starting_it() {
    let (code, out, _) = run(&[
        "--dry-run",
        "./no-such-logger",
        r#"{"command":"./guard","args":["--level","very strict"],"dialect":"_proxy"}"#,
        "npx -y 'an agent'",
    ]);
    assert_eq!(code, Some(0));
    assert_eq!(
        out,
        "the editor\n  proxy[0]: ./no-such-logger\n  proxy[1]: ./guard --level 'very strict'  (dialect _proxy)\n  the agent: npx -y 'an agent'\n"
    );
    let (code, out, _) = run(&["--dry-run", "--proxy", "./one"]);
    assert_eq!(code, Some(0));
    assert_eq!(
        out,
        "the conductor\n  proxy[0]: ./one\n  the conductor's next component\n"
    );
}

#[test]
fn a_wrong_command_line_is_explained_before_anything_is_started() {
    for (args, word) in [
        (&[][..], "COMPONENT"),
        (&[""], "program"),
        (&["'unclosed"], "not closed"),
        (&["{"], "EOF"),
        (&[r#"{"args":[]}"#], "command"),
        (&[r#"{"command":"x","cwd":"/"}"#], "`cwd`"),
        (&[r#"{"command":"x","args":"y"}"#], "`args`"),
        (&[r#"{"command":"x","env":{"A":1}}"#], "`env`"),
        (&[r#"{"command":"x","env":{"A=B":"1"}}"#], "A=B"),
        (&[r#"{"command":"x","dialect":"D7"}"#], "dialect"),
        (&["--mcp-bridge", "maybe", "x"], "maybe"),
        (&["--start-timeout", "soon", "x"], "soon"),
        (&["--no-such-flag", "x"], "--no-such-flag"),
        (
            &["--trace", "/no/such/folder/trace.jsons", "x"],
            "/no/such/folder",
        ),
    ] {
        let (code, out, err) = run(args);
        assert_eq!(code, Some(2), "{args:?}: {err}");
        assert!(out.is_empty(), "{args:?}: {out}");
        assert!(err.contains(word), "{args:?}: {err}");
    }
}

#[test]
fn a_component_in_json_gets_its_arguments_and_its_environment() {
    let stage = Stage::new();
    let line = stage.played("agent");
    let words: Vec<&str> = line.split('\'').map(str::trim).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    for (name, env) in [
        ("map", json!({"LEVEL": "2 = two", "EMPTY": ""})),
        ("list", json!([{"name": "LEVEL", "value": "2 = two"}])),
    ] {
        let mut args: Vec<String> = words[1..].iter().map(|word| (*word).to_owned()).collect();
        let last = args.len() - 1;
        args[last] = format!("{name} agent");
        let component = json!({"command": words[0], "args": args, "env": env}).to_string();
        let editor = conduct(&[], &[component]);
        editor.send(INITIALIZE);
        let agent = stage.player(&format!("{name} agent"));
        assert_eq!(agent.env("LEVEL"), "2 = two");
        answer(&agent, &agent.heard("initialize"), WELCOME);
        assert!(editor.answer("\"begin\"").result.is_some());
    }
}

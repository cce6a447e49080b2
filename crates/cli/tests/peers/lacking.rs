//! Clients on the official Python SDK that lack what linkspan adds for them.

use std::process::Command;

use serde_json::Value;

use crate::folder_served::Web;
use crate::server::Server;
use crate::{installed, once};

const ERAS: [&str; 2] = ["legacy", "modern"];
/// A client ends its calls after this long, and linkspan answers them in half of it.
const LIMIT: &str = "4";
const LONG_CALLS: [&str; 3] = ["--long-calls", "--patience", "2"];

/// What a client of this era tells about a call.
fn told(era: &str, tool: &str, arguments: &str, target: &[String]) -> Value {
    let mut python = Command::new(installed::python());
    python
        .arg(installed::script("pylacking.py"))
        .args([era, LIMIT, tool, arguments])
        .args(target);
    let printed = once::run(&format!("lacking-{era}"), &mut python);
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
}

/// The words of a command of linkspan in front of a URL.
fn words(command: &str, flags: &[&str], url: &str) -> Vec<String> {
    let all = [&[installed::linkspan(), command], flags, &[url]].concat();
    all.into_iter().map(str::to_owned).collect()
}

fn last_text(told: &Value) -> &str {
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
    for era in ERAS {
        for target in [words("connect", &LONG_CALLS, &url), web.target()] {
            let told = told(era, "dawdle", r#"{"seconds":7}"#, &target);
            assert_eq!(told["error"], Value::Null, "{era}, {target:?}");
            assert_eq!(last_text(&told), "done after 7.0 s", "{era}, {target:?}");
            let first = told["texts"][0].as_str().unwrap_or_default();
            assert!(first.contains("dawdle is still running"), "{first}");
        }
        let without = told(
            era,
            "dawdle",
            r#"{"seconds":7}"#,
            &words("connect", &[], &url),
        );
        assert!(without["error"].is_string(), "{without}");
    }
}

//! An agent by other authors, behind `linkspan agent`, with clients by other authors.
//!
//! ELIZA on sacp 11 (`elizacp`): it is installed by `cargo xtask test --peers`; without it a test passes without
//! checks.

use std::process::Command;

use serde_json::{Value, json};

use crate::exposed::Exposed;
use crate::inspector::inspector;
use crate::sdk::ALL;
use crate::{installed, once};

const SAD: &str = "Can you explain what made you sad?";

/// The words of `linkspan VERB … -- elizacp`, if that is installed.
fn words(verb: &[&str]) -> Option<Vec<String>> {
    let mut words = vec![installed::linkspan().to_owned()];
    words.extend(verb.iter().map(|&word| word.to_owned()));
    words.push("--".to_owned());
    words.extend(eliza()?);
    Some(words)
}

fn eliza() -> Option<Vec<String>> {
    let program = installed::acp("elizacp");
    if !program.exists() {
        eprintln!("skipped: elizacp is not installed");
        return None;
    }
    let program = program.display().to_string();
    Some(vec![program, "--deterministic".into(), "acp".into()])
}

/// The same as a script: Inspector uses `--` for itself.
struct Script(tempfile::TempDir);

impl Script {
    fn of(words: &[String]) -> Self {
        let place = tempfile::tempdir().expect("a folder");
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let script = format!("exec {}\n", quoted.join(" "));
        std::fs::write(place.path().join("agent.sh"), script).expect("a file");
        Self(place)
    }

    fn words(&self) -> Vec<String> {
        let path = self.0.path().join("agent.sh");
        vec!["/bin/sh".to_owned(), path.display().to_string()]
    }
}

fn answer(result: &Value) -> &str {
    let answer = result["structuredContent"]["answer"].as_str();
    answer.unwrap_or_else(|| panic!("{result}"))
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn every_sdk_lists_the_tools_and_has_a_conversation() {
    let Some(words) = words(&["agent"]) else {
        return;
    };
    for sdk in ALL {
        let prompt = r#"{"name":"prompt","arguments":{"text":"I am sad"}}"#;
        let close = r#"{"name":"close_session","arguments":{"sessionId":"unknown"}}"#;
        let calls = [
            ("tools/list", "{}"),
            ("tools/call", prompt),
            ("tools/call", close),
            ("tools/call", r#"{"name":"list_sessions","arguments":{}}"#),
        ];
        let told = sdk.run(&calls, &words);
        let tools = told.results[0]["tools"].as_array().expect("a list");
        let has = |name: &str| tools.iter().any(|tool| tool["name"] == name);
        assert!(has("prompt") && has("start_session") && has("close_session"));
        // The SDKs check the structured content against the schema that the tool has.
        assert_eq!(answer(&told.results[1]), SAD, "{:?}", sdk.language);
        assert_eq!(told.results[2]["isError"], true);
        let sessions = &told.results[3]["structuredContent"]["sessions"];
        assert_eq!(sessions.as_array().map(Vec::len), Some(1), "{sessions}");
        let id = &told.results[1]["structuredContent"]["sessionId"];
        assert_eq!(sessions[0]["sessionId"], *id);
        assert_eq!(sessions[0]["busy"], json!(false));
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn every_sdk_is_asked_for_permission() {
    // Their user types a name into every form, which is no decision.
    let script = r#"ask session/request_permission {"sessionId":"$S","toolCall":{"toolCallId":"c","title":"Dig"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}"#;
    let arguments = json!({"name": "prompt", "arguments": {"text": script, "cwd": "/"}});
    let child = linkspan_testkit::child_program().display().to_string();
    let words = [installed::linkspan(), "agent", "--", &child, "--agent"];
    let words = words.map(str::to_owned);
    for sdk in ALL {
        let told = sdk.run(&[("tools/call", &arguments.to_string())], &words);
        assert_eq!(told.asked, ["elicitation/create"], "{:?}", sdk.language);
        let decided = &told.results[0]["structuredContent"]["permissions"];
        let refused = json!([{"title": "Dig", "allowed": false, "choice": "No", "by": "client"}]);
        assert_eq!(*decided, refused, "{:?}", sdk.language);
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn inspector_talks_to_the_agent_in_both_eras_and_on_both_ways() {
    let Some(words) = words(&["agent"]) else {
        return;
    };
    let mut target = vec!["--acp".to_owned(), "--".to_owned()];
    target.extend(eliza().into_iter().flatten());
    let exposed = Exposed::target(&target);
    let script = Script::of(&words);
    for target in [script.words(), vec![exposed.url("/mcp")]] {
        for era in ["legacy", "modern"] {
            let list = inspector(&target, &["tools/list", "--protocol-era", era]);
            assert!(list.contains(r#""name":"prompt""#), "{list}");
            let call = [
                "tools/call",
                "--tool-name",
                "prompt",
                "--tool-arg",
                "text=I am sad",
                "--protocol-era",
                era,
            ];
            let printed: Value =
                serde_json::from_str(&inspector(&target, &call)).expect("it prints JSON");
            assert_eq!(answer(&printed["result"]), SAD, "{era}");
        }
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn an_agent_is_a_target() {
    let Some(words) = words(&["connect", "--acp"]) else {
        return;
    };
    let list = inspector(&Script::of(&words).words(), &["tools/list"]);
    assert!(list.contains(r#""name":"start_session""#), "{list}");
}

/// Scenarios of the official suite that need only our tools.
const SCENARIOS: [(&str, &[&str]); 2] = [
    (
        "2025-11-25",
        &[
            "server-initialize",
            "server-session-lifecycle",
            "ping",
            "tools-list",
            "dns-rebinding-protection",
        ],
    ),
    (
        "2026-07-28",
        &[
            "tools-list",
            "dns-rebinding-protection",
            "http-header-validation",
        ],
    ),
];

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn the_official_suite_finds_no_fault_with_it() {
    let mut target = vec!["--acp".to_owned(), "--".to_owned()];
    let Some(eliza) = eliza() else { return };
    target.extend(eliza);
    let exposed = Exposed::target(&target);
    let place = tempfile::tempdir().expect("a folder");
    for (version, scenarios) in SCENARIOS {
        for scenario in scenarios {
            let mut suite = Command::new(installed::node());
            suite
                .arg(installed::npm("conformance/dist/index.js"))
                .args(["server", "--url", &exposed.url("/mcp")])
                .args(["--scenario", scenario, "--spec-version", version])
                .current_dir(place.path());
            let said = once::run("conformance", &mut suite);
            assert!(said.contains(" 0 failed, 0 warnings"), "{scenario}: {said}");
        }
    }
}

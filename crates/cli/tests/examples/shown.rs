//! The READMEs of examples: their commands run, and every answer that they show must arrive. `…` matches any
//! text.

use std::process::{Command, Stdio};

use crate::{TESTED, workspace};

/// Their READMEs show sessions that a pipe cannot have: a cancellation at the right moment, HTTP, a file that
/// is added later. The transcripts replay these.
const CONVERSATIONS: [&str; 3] = [
    "15-process-groups-and-kill",
    "16-http-proxy-smoke",
    "18-registry-live-update",
];

/// The command in a README, and the answers that it shows.
fn promised(name: &str) -> (String, Vec<String>) {
    let readme = workspace::examples().join(name).join("README.md");
    let readme = std::fs::read_to_string(readme).expect("a README");
    let part = |heading: &str| -> Vec<String> {
        let (_, rest) = readme.split_once(heading).expect("a heading");
        let part = rest.split("\n## ").next().unwrap_or_default();
        let lines = part.lines().filter_map(|line| line.strip_prefix("    "));
        lines.map(str::to_owned).collect()
    };
    let command = part("## Run it").join("\n");
    let answers = part("## What happens");
    let answers = answers.iter().filter_map(|line| line.strip_prefix("← "));
    (command, answers.map(str::to_owned).collect())
}

/// Whether a line matches; `…` matches any text.
fn fits(shown: &str, line: &str) -> bool {
    let parts: Vec<&str> = shown.split('…').collect();
    let [first, between @ .., last] = &parts[..] else {
        return shown == line;
    };
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    for part in between {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[test]
fn shown_output_is_compared() {
    assert!(fits("a…c…", "abcd") && fits("abc", "abc") && fits("…", "abc"));
    assert!(!fits("a…c", "abcd") && !fits("abc", "abcd") && !fits("b…", "abc"));
}

#[test]
fn every_example_answers_as_its_readme_shows() {
    let mut wrong = Vec::new();
    for name in TESTED {
        if CONVERSATIONS.contains(name) {
            continue;
        }
        let (command, answers) = promised(name);
        assert!(!answers.is_empty(), "{name}/README.md shows no answer");
        let ran = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &command])
            .current_dir(workspace::examples().join(".."))
            .env("LINKSPAN", env!("CARGO_BIN_EXE_linkspan"))
            .stdin(Stdio::null())
            .output()
            .expect("bash");
        let out = String::from_utf8_lossy(&ran.stdout);
        for shown in answers {
            if !out.lines().any(|line| fits(&shown, line)) {
                wrong.push(format!("{name} shows\n  {shown}\nand there is\n  {out}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

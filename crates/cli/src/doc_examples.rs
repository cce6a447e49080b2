//! Every command line in the README, the docs, the examples and `--help` can be parsed. `tests/cli/documented.rs` runs
//! those that need only this machine.

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use linkspan_dropin::{McpRemote, Program, Supergateway, Surroundings};
use serde_json::Value;

use crate::cli::Cli;

/// Examples name files that only the reader has.
const NO_SURROUNDINGS: Surroundings<'static> = Surroundings {
    variable: &|_| None,
    read: &|_| Ok("{\"client_id\":\"c\"}".to_owned()),
};

/// A command line and its location.
struct Shown {
    place: String,
    line: String,
    /// Whether it is in a sentence, which may omit required words; a block has all of them.
    in_passing: bool,
}

#[test]
fn every_command_line_in_the_docs_can_be_read() {
    let shown: Vec<Shown> = pages().iter().flat_map(|page| in_page(page)).collect();
    let blocks = shown.iter().filter(|shown| !shown.in_passing).count();
    assert!(blocks > 25, "only {blocks} lines were found in blocks");
    complain(shown);
}

#[test]
fn every_example_of_help_can_be_read() {
    let mut program = Cli::command();
    program.build();
    let mut shown = Vec::new();
    in_help(&mut program, &mut shown);
    assert!(shown.len() > 80, "only {} lines were found", shown.len());
    complain(shown);
}

#[test]
fn a_line_that_cannot_be_read_is_found() {
    for line in [
        "linkspan tols https://mcp.example.com/mcp",
        "linkspan tools --tineout 5 https://mcp.example.com/mcp",
        "TOKEN=… linkspan serve x --no-such-flag | linkspan jq .",
        "linkspan jq . | linkspan bcp decode - --mode no-such-mode",
        "claude mcp add x -- linkspan conect https://mcp.example.com/mcp",
        "linkspan call",
        "linkspan tools npx -y server",
        r#"{"mcpServers":{"x":{"command":"linkspan","args":["serv","y"]}}}"#,
    ] {
        assert!(wrong(line, false).is_some(), "{line}");
    }
    for line in ["linkspan call", "linkspan bcp encode -o FILE"] {
        assert_eq!(wrong(line, true), None, "{line}");
    }
    assert!(wrong("linkspan call --no-such-flag", true).is_some());
}

#[track_caller]
fn complain(shown: Vec<Shown>) {
    let wrong: Vec<String> = shown
        .iter()
        .filter_map(|shown| {
            let why = wrong(&shown.line, shown.in_passing)?;
            Some(format!("{}: {}\n  {why}", shown.place, shown.line))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The error of a line, if there is one.
fn wrong(line: &str, in_passing: bool) -> Option<String> {
    if let Ok(json) = serde_json::from_str::<Value>(line) {
        return in_json(&json)
            .into_iter()
            .find_map(|words| unread(&words, false));
    }
    let line = if in_passing { &synopsis(line) } else { line };
    commands(line)
        .into_iter()
        .filter_map(ours)
        .find_map(|words| unread(&words, in_passing))
}

/// A synopsis as a user types it: `[--lang bash\\|python]` becomes `--lang bash`.
fn synopsis(line: &str) -> String {
    let words = line.split_whitespace().map(|word| {
        let word = word.trim_matches(['[', ']']);
        word.split("\\|").next().unwrap_or(word)
    });
    words.collect::<Vec<_>>().join(" ")
}

fn unread(words: &[String], in_passing: bool) -> Option<String> {
    // mcp-bash's commands have a parser of their own; `linkspan COMMAND` stands for all of ours.
    let verb = words.get(1).map_or("", String::as_str);
    if verb == "mcp-bash" || (in_passing && verb == "COMMAND") {
        return None;
    }
    if let Some(program) = Program::named(verb) {
        let words = words[2..].iter().cloned();
        let refused = match program {
            Program::Supergateway => Supergateway::parse(words).err(),
            other => McpRemote::parse(other, words, NO_SURROUNDINGS).err(),
        };
        return refused.map(|why| why.to_string()).filter(|_| !in_passing);
    }
    let error = Cli::try_parse_from(words).err()?;
    let fine = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
        ErrorKind::MissingRequiredArgument
        | ErrorKind::MissingSubcommand
        | ErrorKind::TooFewValues
        | ErrorKind::WrongNumberOfValues
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => in_passing,
        // `--flag VALUE`, or one of two that exclude each other, in a sentence.
        ErrorKind::InvalidValue | ErrorKind::ValueValidation | ErrorKind::ArgumentConflict => {
            in_passing
        }
        _ => false,
    };
    (!fine).then(|| {
        error
            .to_string()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    })
}

/// The words of our own command in a simple command: after variables, or behind the `--` of another program.
fn ours(words: Vec<String>) -> Option<Vec<String>> {
    let is_setting = |word: &String| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
    };
    let start = words.iter().position(|word| !is_setting(word))?;
    let is_us = |word: &str| word == "linkspan" || word.ends_with("/linkspan");
    if is_us(&words[start]) {
        return Some(words[start..].to_vec());
    }
    let after = words
        .windows(2)
        .position(|two| two[0] == "--" && is_us(&two[1]))?;
    Some(words[after + 1..].to_vec())
}

/// The simple commands of a shell line, without redirections and comments.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    let mut quote = None;
    let mut depth = 0;
    while let Some(c) = chars.next() {
        let current = || word.clone().unwrap_or_default();
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (Some(_), c) => word = Some(current() + &c.to_string()),
            (None, '$') if chars.peek() == Some(&'(') => {
                depth += 1;
                word = Some(current() + "$");
            }
            (None, ')') if depth > 0 => depth -= 1,
            (None, c) if depth > 0 => word = Some(current() + &c.to_string()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word = Some(current());
            }
            (None, '#') if word.is_none() => break,
            (None, '|' | ';' | '&' | '(' | ')') => {
                all.last_mut().unwrap().extend(word.take());
                all.push(Vec::new());
            }
            (None, '<' | '>') => {
                all.last_mut().unwrap().extend(word.take());
                // The word after this is a file, so it begins a command that is not ours.
                all.push(vec!["redirected".to_owned()]);
            }
            (None, c) if c.is_whitespace() => all.last_mut().unwrap().extend(word.take()),
            (None, c) => word = Some(current() + &c.to_string()),
        }
    }
    all.last_mut().unwrap().extend(word);
    all.retain(|words| !words.is_empty());
    all
}

/// Every `"command": "linkspan", "args": […]`, however deep.
fn in_json(json: &Value) -> Vec<Vec<String>> {
    let below: Vec<&Value> = match json {
        Value::Object(members) => members.values().collect(),
        Value::Array(elements) => elements.iter().collect(),
        _ => return Vec::new(),
    };
    let command = json.get("command").and_then(Value::as_str);
    let is_us = command.is_some_and(|c| c == "linkspan" || c.ends_with("/linkspan"));
    let args = json.get("args").and_then(Value::as_array).filter(|_| is_us);
    let own = args.map(|args| {
        let args = args.iter().filter_map(Value::as_str).map(str::to_owned);
        std::iter::once("linkspan".to_owned()).chain(args).collect()
    });
    own.into_iter()
        .chain(below.into_iter().flat_map(in_json))
        .collect()
}

/// README.md and everything below docs/ and examples/.
fn pages() -> Vec<PathBuf> {
    fn below(dir: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                below(&path, found);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    below(&root.join("docs"), &mut found);
    below(&root.join("examples"), &mut found);
    found
}

/// The lines of shell blocks, JSON blocks, indented blocks, and what sentences quote.
fn in_page(page: &Path) -> Vec<Shown> {
    let text = fs::read_to_string(page).unwrap();
    let mut found = Vec::new();
    let mut block: Option<(String, String)> = None;
    for (number, line) in text.lines().enumerate() {
        let shown = |line: &str, in_passing| Shown {
            place: format!("{}:{}", page.display(), number + 1),
            line: line.to_owned(),
            in_passing,
        };
        if let Some(language) = line.trim_start().strip_prefix("```") {
            match block.take() {
                None => block = Some((language.trim().to_owned(), String::new())),
                Some((_, json)) if !json.is_empty() => found.push(shown(&json, false)),
                Some(_) => {}
            }
            continue;
        }
        match &mut block {
            Some((language, _)) if matches!(&**language, "sh" | "bash" | "console") => {
                let line = line.trim_start().strip_prefix("$ ").unwrap_or(line);
                found.push(shown(line, false));
            }
            Some((language, json)) if matches!(&**language, "json" | "jsonc") => {
                json.push_str(line);
            }
            Some(_) => {}
            None if line.starts_with("    ") && line.contains("linkspan ") => {
                found.push(shown(line, false));
            }
            None => found.extend(
                line.split('`')
                    .skip(1)
                    .step_by(2)
                    .filter(|code| code.starts_with("linkspan "))
                    .map(|code| shown(code, true)),
            ),
        }
    }
    found
}

/// The examples of a command and its subcommands.
fn in_help(command: &mut clap::Command, found: &mut Vec<Shown>) {
    let name = command.get_bin_name().unwrap_or("linkspan").to_owned();
    let texts = [
        command.get_after_help().map(ToString::to_string),
        command.get_after_long_help().map(ToString::to_string),
    ];
    for text in texts.into_iter().flatten() {
        let examples = text.split_once("Example").map_or("", |(_, rest)| rest);
        let mut json = String::new();
        for line in examples.lines().skip(1) {
            let line = line.trim();
            let mut shown = |line: &str| {
                found.push(Shown {
                    place: format!("{name} --help"),
                    line: line.to_owned(),
                    in_passing: false,
                });
            };
            if line.starts_with('{') || !json.is_empty() {
                json.push_str(line);
                if serde_json::from_str::<Value>(&json).is_ok() {
                    shown(&json);
                    json.clear();
                }
            } else if line.contains("linkspan ") {
                shown(line);
            }
        }
        assert!(
            json.is_empty(),
            "{name} --help shows half a configuration: {json}"
        );
    }
    for below in command.get_subcommands_mut() {
        in_help(below, found);
    }
}

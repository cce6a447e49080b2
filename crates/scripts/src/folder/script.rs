//! Reads the first lines of a program: its interpreter and its inline metadata. Never runs it.

use super::node::{Data, Format, Node, SyntaxError};

/// The number of lines in which metadata may begin.
const LINES: usize = 20;

/// Comment marks, longer ones first.
const MARKS: [&str; 4] = ["//", "--", "#", ";"];

/// The kind of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Machine code.
    Binary,
    /// A script with a `#!` line.
    Script,
    /// Neither.
    Other,
}

/// The first lines of a program.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) kind: Kind,
    /// The words of the `#!` line.
    pub(super) interpreter: Vec<String>,
    /// Whether the kernel cannot read the `#!` line: a byte order mark before it, or a carriage
    /// return behind it.
    pub(super) spoilt: bool,
    /// The inline metadata, with the lines of the file.
    pub(super) inline: Option<Result<Node, SyntaxError>>,
    /// The first line of its first comment.
    pub(super) comment: Option<String>,
}

impl Script {
    /// Examines the beginning of a file.
    pub(super) fn of(head: &[u8]) -> Self {
        let magic: [&[u8]; 5] = [
            b"\x7fELF",
            b"MZ",
            b"\xcf\xfa\xed\xfe",
            b"\xca\xfe\xba\xbe",
            b"\xfe\xed\xfa\xcf",
        ];
        let mut script = Self {
            kind: Kind::Other,
            interpreter: Vec::new(),
            spoilt: false,
            inline: None,
            comment: None,
        };
        if magic.iter().any(|magic| head.starts_with(magic)) {
            script.kind = Kind::Binary;
            return script;
        }
        let text = String::from_utf8_lossy(head);
        let bom = text.starts_with('\u{feff}');
        let text = text.trim_start_matches('\u{feff}');
        if let Some(line) = text.strip_prefix("#!") {
            let line = line.split('\n').next().unwrap_or_default();
            script.kind = Kind::Script;
            script.spoilt = bom || line.ends_with('\r');
            script.interpreter = words(line);
        }
        let lines: Vec<&str> = text.lines().collect();
        script.inline = inline(&lines);
        script.comment = comment(&lines);
        script
    }
}

/// The interpreter and its one argument, split as the kernel does.
fn words(line: &str) -> Vec<String> {
    let line = line.trim();
    let (first, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let words = [first, rest.trim()].into_iter();
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The text after a comment mark.
fn comment_text(line: &str) -> Option<&str> {
    let line = line.trim_start();
    MARKS.iter().find_map(|mark| line.strip_prefix(mark))
}

/// One line of a block `#: field: value`.
fn block_line(line: &str) -> Option<&str> {
    let text = comment_text(line)?.strip_prefix(':')?;
    Some(text.strip_prefix(' ').unwrap_or(text))
}

fn inline(lines: &[&str]) -> Option<Result<Node, SyntaxError>> {
    let mut found: Option<Result<Node, SyntaxError>> = None;
    let mut at = 0;
    while at < lines.len().min(LINES) {
        let line = lines[at];
        let (result, next) = if block_line(line).is_some() {
            block(lines, at)
        } else if let Some(text) = annotation(line) {
            json(text, lines, at)
        } else {
            at += 1;
            continue;
        };
        if found.is_some() {
            let text = "it describes itself twice".to_owned();
            return Some(Err(SyntaxError { line: at + 1, text }));
        }
        found = Some(result);
        at = next;
    }
    found
}

/// A block of comments with YAML.
fn block(lines: &[&str], from: usize) -> (Result<Node, SyntaxError>, usize) {
    let block: Vec<&str> = lines[from..]
        .iter()
        .map_while(|line| block_line(line))
        .collect();
    let result = Format::Yaml.parse(&block.join("\n"));
    (placed(result, from), from + block.len())
}

/// The beginning of the JSON after `# mcp:`.
fn annotation(line: &str) -> Option<&str> {
    comment_text(line)?.trim_start().strip_prefix("mcp:")
}

/// The JSON after `# mcp:`, which may continue in the following comments.
fn json(first: &str, lines: &[&str], from: usize) -> (Result<Node, SyntaxError>, usize) {
    let mut text = first.to_owned();
    let mut next = from + 1;
    loop {
        let parsed = serde_json::from_str::<&serde_json::value::RawValue>(&text);
        let unfinished = parsed.is_err_and(|error| error.is_eof()) && !text.trim().is_empty();
        match lines.get(next).and_then(|line| comment_text(line)) {
            Some(more) if unfinished && next - from < 200 => {
                text.push('\n');
                text.push_str(more);
                next += 1;
            }
            _ => break,
        }
    }
    let result = if text.trim().is_empty() {
        Err(SyntaxError {
            line: 1,
            text: "nothing stands behind `mcp:`".to_owned(),
        })
    } else {
        Format::Json.parse(&text)
    };
    (placed(result, from), next)
}

/// Adds the offset of the lines, and requires a map.
fn placed(result: Result<Node, SyntaxError>, from: usize) -> Result<Node, SyntaxError> {
    match result {
        Ok(node) if !matches!(node.data, Data::Map(_)) => Err(SyntaxError {
            line: node.line + from,
            text: format!("a map of fields was expected, not {}", node.kind()),
        }),
        Ok(mut node) => {
            node.shift(from);
            Ok(node)
        }
        Err(error) => Err(SyntaxError {
            line: error.line + from,
            ..error
        }),
    }
}

/// The first comment for people.
fn comment(lines: &[&str]) -> Option<String> {
    let mut in_block = false;
    let mut in_pep723 = false;
    for (at, line) in lines.iter().take(LINES * 2).enumerate() {
        let line = line.trim();
        if line.is_empty() || at == 0 && line.starts_with("#!") {
            continue;
        }
        let text = if let Some(text) = line.strip_prefix("/*") {
            in_block = true;
            text
        } else if in_block {
            line
        } else if block_line(line).is_some() || annotation(line).is_some() {
            continue;
        } else if let Some(text) = comment_text(line) {
            text
        } else if let Some(text) = ["\"\"\"", "'''"].iter().find_map(|q| line.strip_prefix(q)) {
            // A docstring; its text may begin on the next line.
            let text = match text.trim() {
                "" => lines.get(at + 1).copied().unwrap_or_default(),
                text => text,
            };
            return told(text.trim_end_matches(['"', '\'']));
        } else if line.starts_with("set ") || line == "<?php" {
            continue;
        } else {
            return None;
        };
        if line.ends_with("*/") {
            in_block = false;
        }
        // PEP 723: a block of metadata for runners of Python scripts.
        if text.trim().starts_with("///") {
            in_pep723 = text.trim() != "///";
            continue;
        }
        if in_pep723 {
            continue;
        }
        if let Some(text) = told(text) {
            return Some(text);
        }
    }
    None
}

/// A comment without decoration, unless it is a directive for a tool.
fn told(text: &str) -> Option<String> {
    let text = text.trim_end_matches("*/");
    let text = text.trim_matches(|c: char| c.is_whitespace() || "#/-;*=!".contains(c));
    let machine = [
        "shellcheck",
        "vim:",
        "coding",
        "SPDX-",
        "Copyright",
        "eslint",
        "pylint",
        "pyright",
        "ruff",
        "noqa",
        "type:",
        "@ts",
        "frozen_string",
        "-*-",
        "(c)",
        "prettier",
        "biome",
    ];
    let meant = |word: &&str| {
        let start = text.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    (!text.is_empty() && !machine.iter().any(meant)).then(|| text.to_owned())
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;

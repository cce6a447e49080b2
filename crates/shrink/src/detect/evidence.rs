//! Whether a line reports what a program did: an outcome, progress, a process, a count or a duration. Source code
//! repeats line patterns too, but is not a log.

use super::line::{Line, digits};
use super::log::is_entry;

/// How many bytes of a line are examined.
const FAR: usize = 400;

/// Last words of lines that report an outcome.
const OUTCOMES: [&str; 18] = [
    "ok",
    "OK",
    "FAILED",
    "failed",
    "PASS",
    "PASSED",
    "passed",
    "FAIL",
    "ERROR",
    "SKIPPED",
    "skipped",
    "ignored",
    "done",
    "Done",
    "DONE",
    "complete",
    "completed",
    "success",
];

/// How lines of test runners, package managers and compilers begin.
const BEGINNINGS: [&str; 20] = [
    "ok ",
    "not ok ",
    "PASS",
    "FAIL",
    "--- PASS",
    "--- FAIL",
    "=== RUN",
    "Get:",
    "Hit:",
    "npm ",
    "remote: ",
    "error: ",
    "warning: ",
    "info: ",
    "note: ",
    "debug: ",
    "✓",
    "✔",
    "✗",
    "✘",
];

/// Whether a line reports an event.
pub(super) fn reports(line: Line<'_>) -> bool {
    let text = line.head(FAR).trim_matches([' ', '\t']);
    if is_quoted_or_comment(text) {
        return false;
    }
    is_entry(line)
        || BEGINNINGS.iter().any(|begin| text.starts_with(begin))
        || has_outcome(text)
        || has_progress(text)
        || has_process(text)
        || has_measure(text)
        || is_call_with_result(text)
        || is_sentence_with_number(text)
}

/// Whether a line is a comment, a directive or a string, which may contain any words.
pub(super) fn is_quoted_or_comment(text: &str) -> bool {
    const MARKS: [&str; 14] = [
        "#", "//", "/*", "* ", "\"", "'", ";", "%", "\\", "@", "$", "-- ", "rem ", "REM ",
    ];
    MARKS.iter().any(|mark| text.starts_with(mark))
}

/// `test a::b ... ok`, `test_a PASSED [ 5%]`, `unpacking: done.`
fn has_outcome(text: &str) -> bool {
    let text = match text.rsplit_once(" [") {
        Some((before, after)) if after.ends_with("%]") => before,
        _ => text,
    };
    let bare = text.trim_end_matches(['.', '!', ')', ']']);
    let (before, last) = bare.rsplit_once([' ', '(', '[']).unwrap_or(("", bare));
    // Two words may be a statement: `echo ok`.
    OUTCOMES.contains(&last) && before.trim_end().contains(' ')
}

/// `Compiling x v1.0`, `Downloaded x`, `Setting up x (1.2)`: a verb and its object.
fn has_progress(text: &str) -> bool {
    let word = text.split(' ').next().unwrap_or("");
    let letters = word.trim_end_matches(':');
    let is_verb = letters.len() > 4 && (letters.ends_with("ing") || letters.ends_with("ed"));
    is_verb
        && letters.len() < text.len()
        && letters.starts_with(|first: char| first.is_ascii_uppercase())
        && letters[1..].bytes().all(|byte| byte.is_ascii_lowercase())
}

/// `name[123]: `, `[12/300] `, `[ 45%] `
fn has_process(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'[', b'(', bytes).any(|open| {
        let inside = &bytes[open + 1..];
        let spaces = inside.iter().take_while(|byte| **byte == b' ').count();
        let inside = &inside[spaces..];
        let number = digits(inside);
        if number == 0 {
            return false;
        }
        match &inside[number..] {
            [b']', b':', ..] => open > 0 && spaces == 0,
            [b'%', b']' | b')', ..] => true,
            [b'/', rest @ ..] => {
                let total = digits(rest);
                total > 0 && matches!(rest.get(total), Some(b']' | b')'))
            }
            _ => false,
        }
    })
}

/// `(0.3s)`, `in 12.5 ms`, `time=3ms`
fn has_measure(text: &str) -> bool {
    const BEFORE: [&str; 4] = ["(", " in ", "time=", "took "];
    BEFORE.iter().any(|before| {
        text.match_indices(before).any(|(at, _)| {
            let number = &text[at + before.len()..];
            let rest = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            let unit = rest.strip_prefix(' ').unwrap_or(rest);
            let end = unit
                .find(|c: char| !c.is_alphabetic())
                .unwrap_or(unit.len());
            rest.len() < number.len()
                && matches!(
                    &unit[..end],
                    "s" | "ms"
                        | "µs"
                        | "us"
                        | "ns"
                        | "sec"
                        | "seconds"
                        | "kB"
                        | "KB"
                        | "MB"
                        | "GB"
                        | "KiB"
                        | "MiB"
                        | "GiB"
                )
        })
    })
}

/// `openat(AT_FDCWD, "x") = -1 ENOENT`, as in traces of system calls.
fn is_call_with_result(text: &str) -> bool {
    let name = text
        .bytes()
        .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_')
        .count();
    let result = text
        .rsplit_once(") = ")
        .map(|(_, result)| result.as_bytes());
    name > 1
        && text[name..].starts_with('(')
        && result.is_some_and(|result| matches!(result, [b'0'..=b'9', ..] | [b'-', b'1', b' ', ..]))
}

/// `worker 3 has taken job 17`: words and numbers without punctuation of code.
fn is_sentence_with_number(text: &str) -> bool {
    let (mut plain, mut numbers) = (0, 0);
    for word in text.split(' ') {
        let word = word.trim_end_matches([',', ':', '.']);
        let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'.';
        if word.bytes().all(is_number) {
            numbers += usize::from(!word.is_empty());
        } else if word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase()) {
            plain += usize::from(word.len() > 2);
        } else {
            return false;
        }
    }
    numbers > 0 && plain >= 3
}

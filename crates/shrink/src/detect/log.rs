//! Lines of a log: entries with a time or a level, and the lines that continue them.

use super::evidence::is_quoted_or_comment;
use super::found::{Detection, Found, sure};
use super::line::Line;
use super::time::{has_clock, stamp};
use crate::kind::Kind;

const LEVELS: [&str; 18] = [
    "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "ERR", "FATAL", "CRITICAL",
    "SEVERE", "PANIC", "VERBOSE", "DBG", "INF", "WRN", "FTL", "CRIT",
];

/// How many bytes of a line are searched for a time or a level.
const NEAR: usize = 160;

/// The most lines between two entries, such as a stack trace.
const BETWEEN: usize = 60;

pub(super) fn find(text: &str, first: Line<'_>) -> Detection {
    if !is_entry(first) {
        return Detection::No;
    }
    let (mut entries, mut others, mut end) = (0, 0, first.start);
    let (mut pending, mut blanks, mut part) = (0, 0, true);
    for line in first.and_below(text) {
        if is_entry(line) {
            entries += 1;
            others += pending;
            end = line.next;
            (pending, blanks, part) = (0, 0, true);
            continue;
        }
        if line.is_blank() {
            blanks += 1;
            part = false;
            if blanks > 2 {
                break;
            }
            continue;
        }
        pending += 1;
        // Indented lines directly below an entry belong to it, even below the last entry.
        part &= line.indent() > 0;
        if part {
            end = line.next;
        }
        if pending > BETWEEN.min(4 + 2 * entries) {
            break;
        }
    }
    if entries < 3 {
        return Detection::NotBefore(end);
    }
    let share = entries as f32 / (entries + others) as f32;
    let top = match share {
        0.6.. => 0.95,
        0.3.. => 0.85,
        0.15.. if entries >= 5 => 0.75,
        _ => 0.5,
    };
    Detection::Yes(Found {
        end,
        kind: Kind::Log,
        confidence: sure(top, entries, 0),
    })
}

/// Whether a line has a time, a level, or the name of a container in front.
pub(super) fn is_entry(line: Line<'_>) -> bool {
    let head = line.head(NEAR).as_bytes();
    // This is JSON, possibly invalid.
    if head.first() == Some(&b'{') {
        return false;
    }
    has_clock(head)
        || begins_with_a_time(head)
        || has_level(head) && !is_quoted_or_comment(line.trimmed())
        || has_program(head)
}

pub(super) fn begins_with_a_time(head: &[u8]) -> bool {
    let at = head.iter().take_while(|byte| is_around(**byte)).count();
    head.get(at).is_some_and(u8::is_ascii_digit) && stamp(&head[at..]).is_some()
}

/// Whether one of the first words is a level.
fn has_level(head: &[u8]) -> bool {
    let mut at = 0;
    for word_number in 0..4 {
        at += head[at..]
            .iter()
            .take_while(|byte| is_around(**byte))
            .count();
        let word = head[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        if is_level(head, at, word, word_number) {
            return true;
        }
        at += word;
        at += head[at..]
            .iter()
            .take_while(|byte| !is_around(**byte) && **byte != b'=')
            .count();
        at += usize::from(head.get(at) == Some(&b'='));
        if at >= head.len() {
            return false;
        }
    }
    false
}

fn is_around(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'[' | b'(' | b'<' | b'"' | b'\'' | b'|' | 0x1b
    )
}

/// Whether a word is a level: in capitals, in brackets, or after `level=`. A word in capitals without brackets counts
/// only as the first or second word and if no value follows: `DEBUG = 10` is an assignment, `ENV LEVEL DEBUG` a
/// setting.
fn is_level(head: &[u8], at: usize, length: usize, word_number: usize) -> bool {
    if !(3..=8).contains(&length) {
        return false;
    }
    let after = head.get(at + length);
    if !matches!(
        after,
        Some(b' ' | b':' | b']' | b')' | b'|' | b'\t' | b'>' | b'"' | b'-' | b'/')
    ) {
        return false;
    }
    let word = &head[at..at + length];
    let capitals = word.iter().all(u8::is_ascii_uppercase);
    let around = at > 0 && matches!(head[at - 1], b'[' | b'=' | b'<' | b'"');
    let is_quoted = at > 0 && head[at - 1] == b'\'';
    let is_bare = after == Some(&b' ') && !around;
    let is_name = is_bare
        && matches!(
            head[at + length..].trim_ascii_start().first(),
            Some(b'=' | b'<' | b'>' | b'&' | b'?')
        );
    (capitals && !is_quoted && !is_name && (!is_bare || word_number < 2) || around)
        && LEVELS
            .iter()
            .any(|level| level.as_bytes().eq_ignore_ascii_case(word))
}

/// `web-1  | text`, as `docker compose` prefixes lines of containers.
fn has_program(head: &[u8]) -> bool {
    let name = head
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        .count();
    if !(2..=60).contains(&name) || !head[name - 1].is_ascii_digit() {
        return false;
    }
    let rest = &head[name..];
    let spaces = rest.iter().take_while(|byte| **byte == b' ').count();
    spaces > 0
        && rest.get(spaces) == Some(&b'|')
        && matches!(rest.get(spaces + 1), None | Some(b' '))
}

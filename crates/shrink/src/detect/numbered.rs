//! Code with a number before each line.

use super::found::{Detection, Run};
use super::line::{Line, digits};
use crate::kind::Kind;

pub(super) fn find(text: &str, first: Line<'_>) -> Detection {
    let Some((number, mark)) = number(first.text) else {
        return Detection::No;
    };
    let mut run = Run::new(first, 2);
    run.yes(first);
    let (mut last, mut steps) = (number, 0);
    for line in first.below(text) {
        match self::number(line.text) {
            Some((number, same)) if same == mark && number == last + 1 => {
                last = number;
                steps += 1;
                run.yes(line);
            }
            // Another excerpt of the same file, or the first of another file.
            Some((number, same))
                if same == mark && (number > last || number == 1) && run.fit >= 2 =>
            {
                last = number;
                run.yes(line);
            }
            // An empty line whose separator was trimmed.
            _ if is_bare(line.text, last + 1) => {
                last += 1;
                steps += 1;
                run.yes(line);
            }
            _ if line.is_blank() => {}
            _ if !run.no() => break,
            _ => {}
        }
    }
    // Numbers that only increase are sizes, or line numbers of search hits.
    if steps * 3 < (run.fit - 1) * 2 {
        return Detection::NotBefore(run.end);
    }
    // A numbered list looks alike, and so do a few branches of code.
    let least = match mark {
        Mark::List => 20,
        Mark::Space | Mark::Bracket | Mark::Dash => 8,
        _ => 3,
    };
    run.detection(Kind::Numbered, least, 0.95)
}

/// The separator between the number and the code.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mark {
    Tab,
    Arrow,
    Bar,
    Colon,
    Space,
    Bracket,
    Dash,
    List,
}

/// The number that a line begins with, and its separator.
fn number(line: &str) -> Option<(u64, Mark)> {
    let rest = line.trim_start_matches(' ');
    let rest = rest.strip_prefix('L').unwrap_or(rest);
    let count = digits(rest.as_bytes());
    if count == 0 || count > 9 {
        return None;
    }
    let (number, rest) = rest.split_at(count);
    let mark = match rest.as_bytes() {
        [b'\t', ..] => Mark::Tab,
        [b'|', ..] | [b' ', b'|', ..] => Mark::Bar,
        [b':', ..] => Mark::Colon,
        [b']' | b'>', ..] => Mark::Bracket,
        [b'-', ..] => Mark::Dash,
        [b'.' | b')', b' ', ..] => Mark::List,
        _ if rest.starts_with('→') => Mark::Arrow,
        _ if rest.trim_start_matches(' ').starts_with('│') => Mark::Bar,
        [b' ', ..] => Mark::Space,
        _ => return None,
    };
    Some((number.parse().ok()?, mark))
}

fn is_bare(line: &str, expected: u64) -> bool {
    let line = line.trim_matches([' ', '\t']);
    digits(line.as_bytes()) == line.len() && line.parse() == Ok(expected)
}

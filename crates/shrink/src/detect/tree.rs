//! Trees with drawn branches, and indented ones.

use super::found::{Detection, Found, Run, sure};
use super::line::{Line, digits, is_file, is_path};
use crate::kind::Kind;

const SURE: f32 = 0.98;

/// A drawn tree, optionally with its root above and the number of files below.
pub(super) fn drawn(text: &str, first: Line<'_>) -> Detection {
    let begins = is_branch(first.text) || next_is_branch(text, first) && is_root(first.text);
    if !begins {
        return Detection::No;
    }
    let mut run = Run::new(first, 0);
    for line in first.and_below(text) {
        if is_branch(line.text) || line.start == first.start {
            run.yes(line);
            continue;
        }
        // One blank line, then the number of files.
        if line.text.is_empty()
            && let Some(last) = Line::at(text, line.next)
            && is_summary(last.text)
        {
            run.with(last);
        }
        break;
    }
    run.detection(Kind::Tree, 4, SURE)
}

fn next_is_branch(text: &str, line: Line<'_>) -> bool {
    // A check of one byte excludes most lines.
    let below = &text.as_bytes()[line.next..];
    let spaces = below.iter().take_while(|byte| **byte == b' ').count();
    matches!(
        below.get(spaces),
        Some(b'|' | b'+' | b'`' | b'\\' | 0xe2 | 0xc2)
    ) && Line::at(text, line.next).is_some_and(|below| is_branch(below.text))
}

/// Whether a line is a name, a path, or a package with its version, but not a sentence.
fn is_root(line: &str) -> bool {
    let words = line.split(' ').count();
    let is_sentence = line.ends_with([':', ',', '!']) || line.ends_with('.') && words > 1;
    words <= 4 && line.len() < 512 && !is_sentence && !line.starts_with([' ', '`', '#'])
}

/// Whether a line is a drawn branch with a name.
fn is_branch(line: &str) -> bool {
    let rest = line.trim_start_matches([' ', '\t', '\u{a0}', '│', '┃', '║', '|']);
    // A bar may be the trunk, or the start of a branch.
    let bar = line.len() > rest.len() && line[..line.len() - rest.len()].ends_with('|');
    let branch = rest.trim_start_matches(['├', '└', '╰', '┣', '┗', '╠', '╚']);
    let dashes = match (branch.len() < rest.len(), rest.as_bytes()) {
        (true, _) => branch,
        (_, [b'-', b'-' | b' ', ..]) if bar => rest,
        (_, [b'`' | b'+' | b'\\', b'-', b'-' | b' ', ..]) => &rest[1..],
        _ => return false,
    };
    let name = dashes.trim_start_matches(['-', '─', '━', '═', '╌']);
    // Otherwise it is the border of a table.
    const BORDER: [char; 13] = [
        '+', '|', ':', '┬', '┼', '┴', '┤', '┐', '┘', '╮', '╯', '╪', '╬',
    ];
    !name.is_empty() && !name.starts_with(BORDER)
}

/// `3 directories, 12 files`, `1.2K used in 3 directories`
fn is_summary(line: &str) -> bool {
    let line = line
        .split_once(" used in ")
        .map_or(line, |(_, rest)| rest)
        .trim_start();
    let count = digits(line.as_bytes());
    count > 0 && line.len() < 80 && line[count..].starts_with(" director")
}

/// Names below folders, indented by level.
pub(super) fn indented(text: &str, first: Line<'_>) -> Detection {
    let below = text.as_bytes().get(first.next);
    if first.indent() > 0 || !matches!(below, Some(b' ' | b'\t')) || name(first).is_none() {
        return Detection::No;
    }
    let mut run = Run::new(first, 0);
    let (mut telling, mut nested, mut above, mut step) = (0, 0, 0, 0);
    for line in first.and_below(text) {
        let Some(name) = name(line) else {
            break;
        };
        let indent = line.indent();
        if step == 0 {
            step = indent;
        }
        let fits = indent == 0 || indent.is_multiple_of(step) && indent <= above + step;
        if !fits {
            break;
        }
        above = indent;
        nested += usize::from(indent > 0);
        telling += usize::from(name.ends_with('/') || is_file(name));
        run.yes(line);
    }
    if nested * 2 < run.fit || telling * 3 < run.fit || run.fit < 4 {
        return Detection::NotBefore(run.end);
    }
    let share = telling as f32 / run.fit as f32;
    Detection::Yes(Found {
        end: run.end,
        kind: Kind::Tree,
        confidence: sure(0.8 + 0.1 * share, run.fit, 0),
    })
}

/// The name on a line, without indentation and marks.
fn name(line: Line<'_>) -> Option<&str> {
    const MARKS: [&str; 6] = ["- ", "* ", "• ", "📁 ", "📄 ", "📂 "];
    let text = line.trimmed();
    let name = MARKS
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
        .unwrap_or(text);
    let is_part = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'.' | b'_' | b'-' | b'@' | b'+')
            || byte >= 0x80
    };
    let bare = name.strip_suffix('/').unwrap_or(name);
    let fits = !name.is_empty() && name.len() <= 80 && (bare.bytes().all(is_part) || is_path(name));
    fits.then_some(name)
}

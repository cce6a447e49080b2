//! Lists with a path per line, and directory listings.

use super::found::{Detection, Found, Run, sure};
use super::line::{Line, digits, is_file, is_path};
use crate::kind::Kind;

const SURE: f32 = 0.95;

/// A path, or a file name with an extension, on each line.
pub(super) fn plain(text: &str, first: Line<'_>) -> Detection {
    if !is_entry(first) {
        return Detection::No;
    }
    let (mut paths, mut names, mut end) = (0, 0, first.start);
    for line in first.and_below(text) {
        match (has_slash(line), is_entry(line)) {
            (true, true) => paths += 1,
            // Names without any path among them may as well be words.
            (_, is_entry) if is_entry || is_word(line.text) => names += 1,
            _ => break,
        }
        end = line.next;
    }
    let fits = paths * 4 >= names && paths >= 4 || paths == 0 && names >= 10;
    if !fits {
        return Detection::NotBefore(end);
    }
    Detection::Yes(Found {
        end,
        kind: Kind::Paths,
        confidence: sure(SURE, paths.max(names), 0),
    })
}

fn has_slash(line: Line<'_>) -> bool {
    memchr::memchr2(b'/', b'\\', line.bytes()).is_some()
}

fn is_entry(line: Line<'_>) -> bool {
    if has_slash(line) {
        is_path(line.text)
    } else {
        is_file(line.text)
    }
}

fn is_word(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !text.is_empty() && text.len() < 128 && text.bytes().all(is_part)
}

/// Names with a mark such as `[FILE]` in front.
pub(super) fn marked(text: &str, first: Line<'_>) -> Detection {
    const MARKS: [&str; 6] = ["[FILE] ", "[DIR] ", "[LINK] ", "📁 ", "📄 ", "📂 "];
    let mut run = Run::new(first, 0);
    for line in first.and_below(text) {
        if !MARKS.iter().any(|mark| line.text.starts_with(mark)) {
            break;
        }
        run.yes(line);
    }
    match run.fit {
        0 => Detection::No,
        _ => run.detection(Kind::Paths, 3, SURE),
    }
}

/// A recursive directory listing: `folder:` above its names, a blank line between folders. A single folder with
/// permissions and sizes is a table.
pub(super) fn listing(text: &str, first: Line<'_>) -> Detection {
    let Some(root) = folder(first) else {
        return long(text, first);
    };
    let mut run = Run::new(first, 0);
    let mut sections = 0;
    let mut blank = true;
    for line in first.and_below(text) {
        if line.text.is_empty() {
            if blank {
                break;
            }
            blank = true;
            continue;
        }
        if blank {
            // Every other folder is inside the first.
            let inner = folder(line).filter(|inner| inner.starts_with(root));
            if inner.is_none() {
                break;
            }
            sections += 1;
        }
        blank = false;
        run.yes(line);
    }
    match sections {
        0 | 1 => Detection::NotBefore(run.end),
        _ => run.detection(Kind::Paths, 4, SURE),
    }
}

/// `ls -l`
fn long(text: &str, first: Line<'_>) -> Detection {
    let is_total = first.text.strip_prefix("total ").is_some_and(is_size);
    if !is_total && !is_long(first.bytes()) {
        return Detection::No;
    }
    let mut run = Run::new(first, 0);
    for line in first.and_below(text) {
        let is_first = is_total && line.start == first.start;
        if !is_first && !is_long(line.bytes()) {
            break;
        }
        run.yes(line);
    }
    run.detection(Kind::Drawn, 4, SURE)
}

/// The folder that a line announces.
fn folder(line: Line<'_>) -> Option<&str> {
    let name = line.text.strip_suffix(':')?;
    let is_name = !name.is_empty()
        && name.len() < 1024
        && !name.contains([' ', '"', '\'', '`', '<', '{', ':']);
    (is_name || is_path(name)).then_some(name)
}

/// Whether a line begins with file permissions.
fn is_long(bytes: &[u8]) -> bool {
    let is_right =
        |byte: &u8| matches!(byte, b'r' | b'w' | b'x' | b's' | b'S' | b't' | b'T' | b'-');
    bytes.len() > 20
        && matches!(bytes[0], b'-' | b'd' | b'l' | b'c' | b'b' | b's' | b'p')
        && bytes[1..10].iter().all(is_right)
        && matches!(bytes[10], b' ' | b'.' | b'+' | b'@')
}

fn is_size(text: &str) -> bool {
    let count = digits(text.as_bytes());
    count > 0 && text.len() <= count + 4
}

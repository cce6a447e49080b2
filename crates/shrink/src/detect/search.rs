//! `path:line:text`, as grep, ripgrep and compilers print it.

use super::found::{Detection, Found, sure};
use super::line::{Line, digits, is_file, is_path};
use super::time::stamp;
use crate::kind::Kind;

/// Paths are not longer than this.
const FAR: usize = 512;

/// Lines of context before a hit that are followed to it.
const CONTEXT: usize = 5;

/// So many lines in a row that are nothing of the kind end it.
const ODD: usize = 3;

/// Hits with the number of their line.
pub(super) fn numbered(text: &str, first: Line<'_>) -> Detection {
    let Some(mut path) = hit(first).or_else(|| ahead(text, first)) else {
        return Detection::No;
    };
    let mut run = Hits::new(first, path);
    for line in first.and_below(text) {
        if let Some(found) = hit(line) {
            run.hit(line, path, found);
            path = found;
        } else if line.text == "--" || is_context(line, path) || ahead(text, line).is_some() {
            run.context(line);
        } else if !line.is_blank() && !run.odd() {
            break;
        }
    }
    run.detection(0.95)
}

/// Hits without numbers: only if the same few paths come again and again.
pub(super) fn bare(text: &str, first: Line<'_>) -> Detection {
    let Some(mut path) = bare_hit(first) else {
        return Detection::No;
    };
    let mut run = Hits::new(first, path);
    let mut paths = 1;
    for line in first.and_below(text) {
        let Some(found) = bare_hit(line) else {
            break;
        };
        paths += usize::from(found != path);
        run.hit(line, path, found);
        path = found;
    }
    if run.hits >= paths * 2 {
        run.detection(0.9)
    } else {
        Detection::NotBefore(run.end)
    }
}

/// What was found so far.
struct Hits {
    hits: usize,
    others: usize,
    pending: usize,
    end: usize,
    /// Whether the paths have something in common, or all of them look like files.
    akin: bool,
    files: bool,
}

impl Hits {
    fn new(first: Line<'_>, path: &str) -> Self {
        Self {
            hits: 0,
            others: 0,
            pending: 0,
            end: first.start,
            akin: false,
            files: is_file(path),
        }
    }

    fn hit(&mut self, line: Line<'_>, before: &str, path: &str) {
        let folder = |path: &str| path.len() - path.trim_start_matches(['/', '\\', '.']).len();
        let root = |path: &'_ str| {
            path[folder(path)..]
                .find(['/', '\\'])
                .map(|end| end + folder(path))
        };
        self.akin |= self.hits > 0
            && (before == path
                || root(path).is_some_and(|end| before.get(..end) == path.get(..end)));
        self.files &= is_file(path);
        self.hits += 1;
        self.context(line);
    }

    fn context(&mut self, line: Line<'_>) {
        self.others += std::mem::take(&mut self.pending);
        self.end = line.next;
    }

    fn odd(&mut self) -> bool {
        self.pending += 1;
        self.pending <= ODD && self.pending + self.others <= 2 + self.hits
    }

    fn detection(&self, top: f32) -> Detection {
        if self.hits < 3 || !self.akin && !self.files {
            return Detection::NotBefore(self.end);
        }
        Detection::Yes(Found {
            end: self.end,
            kind: Kind::Search,
            confidence: sure(top, self.hits, self.others),
        })
    }
}

/// The path of a line of context above the first hit of a file: that of the hit.
fn ahead<'a>(text: &'a str, line: Line<'a>) -> Option<&'a str> {
    // Most lines have nothing like `-12-`, and need not be asked.
    let head = line.head(FAR).as_bytes();
    let is_numbered = |at: usize| {
        let count = digits(&head[at + 1..]);
        count > 0 && head.get(at + 1 + count) == Some(&b'-')
    };
    memchr::memchr_iter(b'-', head).find(|at| is_numbered(*at))?;
    let path = line.below(text).take(CONTEXT).find_map(hit)?;
    is_context(line, path).then_some(path)
}

/// The path of `path:12:text`, `path:12`, `path(12,5): text`.
pub(super) fn hit(line: Line<'_>) -> Option<&str> {
    let head = line.head(FAR);
    let bytes = line.bytes();
    for at in memchr::memchr2_iter(b':', b'(', head.as_bytes()) {
        let rest = &bytes[at + 1..];
        let count = digits(rest);
        let is_hit = match (bytes[at], count, rest.get(count)) {
            (_, 0 | 10.., _) => false,
            (b':', _, None | Some(b':')) => true,
            (b'(', _, Some(b',' | b')')) => rest.contains(&b':'),
            _ => false,
        };
        if is_hit {
            let path = &head[..at];
            return is_place(path).then_some(path);
        }
        // A drive is the only other colon that a path may have.
        if bytes[at] == b':' && at != 1 {
            return None;
        }
    }
    None
}

fn is_place(path: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let begins = path.as_bytes().first();
    if begins.is_none_or(u8::is_ascii_digit) && stamp(path.as_bytes()).is_some() {
        return false;
    }
    is_path(path) || begins.is_some_and(u8::is_ascii_alphabetic) && path.bytes().all(is_word)
}

/// The path of `path:text`, with a folder.
pub(super) fn bare_hit(line: Line<'_>) -> Option<&str> {
    let head = line.head(FAR);
    let at = memchr::memchr(b':', head.as_bytes()).filter(|at| *at > 1)?;
    let path = &head[..at];
    let fits = path.contains(['/', '\\']) && !path.contains(' ') && is_path(path);
    // `https://…`
    (fits && !head[at..].starts_with("://")).then_some(path)
}

/// `path-12-text`, or with an equals sign.
fn is_context(line: Line<'_>, path: &str) -> bool {
    let Some(rest) = line.text.strip_prefix(path).filter(|_| !path.is_empty()) else {
        return false;
    };
    let rest = rest.as_bytes();
    let count = digits(rest.get(1..).unwrap_or(&[]));
    matches!(rest.first(), Some(b'-' | b'=')) && count > 0 && rest.get(count + 1) == rest.first()
}

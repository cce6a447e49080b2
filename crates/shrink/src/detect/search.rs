//! Search results: `path:line:text`, as grep, ripgrep and compilers print it.

use super::found::{Detection, Found, sure};
use super::line::{Line, digits, is_file, is_path};
use super::time::stamp;
use crate::kind::Kind;

/// The longest path in bytes.
const FAR: usize = 512;

/// The most context lines above the first hit of a file.
const CONTEXT: usize = 5;

/// More lines in a row that are neither hits nor context end the region.
const MOST_UNFIT: usize = 3;

/// Hits with line numbers.
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
        } else if !line.is_blank() && !run.unfit() {
            break;
        }
    }
    run.detection(0.95)
}

/// Hits without line numbers, if the same few paths recur.
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

/// The hits so far.
struct Hits {
    hits: usize,
    others: usize,
    pending: usize,
    end: usize,
    /// Whether consecutive paths share a root folder, and whether all paths look like files.
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

    fn unfit(&mut self) -> bool {
        self.pending += 1;
        self.pending <= MOST_UNFIT && self.pending + self.others <= 2 + self.hits
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

/// The path of a context line above the first hit of a file, taken from that hit.
fn ahead<'a>(text: &'a str, line: Line<'a>) -> Option<&'a str> {
    // A cheap check first: most lines contain nothing like `-12-`.
    let head = line.head(FAR).as_bytes();
    let is_numbered = |at: usize| {
        let count = digits(&head[at + 1..]);
        count > 0 && head.get(at + 1 + count) == Some(&b'-')
    };
    memchr::memchr_iter(b'-', head).find(|at| is_numbered(*at))?;
    let path = line.below(text).take(CONTEXT).find_map(hit)?;
    is_context(line, path).then_some(path)
}

/// The path in `path:12:text`, `path:12` or `path(12,5): text`.
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
        // The only other colon in a path is that of a drive letter.
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

/// The path in `path:text`, if it has a folder.
pub(super) fn bare_hit(line: Line<'_>) -> Option<&str> {
    let head = line.head(FAR);
    let at = memchr::memchr(b':', head.as_bytes()).filter(|at| *at > 1)?;
    let path = &head[..at];
    let fits = path.contains(['/', '\\']) && !path.contains(' ') && is_path(path);
    // `https://…`
    (fits && !head[at..].starts_with("://")).then_some(path)
}

/// `path-12-text` or `path=12=text`.
fn is_context(line: Line<'_>, path: &str) -> bool {
    let Some(rest) = line.text.strip_prefix(path).filter(|_| !path.is_empty()) else {
        return false;
    };
    let rest = rest.as_bytes();
    let count = digits(rest.get(1..).unwrap_or(&[]));
    matches!(rest.first(), Some(b'-' | b'=')) && count > 0 && rest.get(count + 1) == rest.first()
}

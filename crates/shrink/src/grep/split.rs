//! Cuts lines behind their path.

use std::collections::HashSet;

use memchr::memchr_iter;

use super::files::LONGEST;
use super::head::Style;
use super::hit::{sign_of_number, sign_of_text};
use crate::context::Context;

/// How many lines are examined before the whole text is.
const SAMPLE: usize = 100;

/// How many positions of a line are tried.
const TRIES: usize = 16;

/// The most digits of a line number.
const DIGITS: usize = 9;

/// A line cut in two. The sign between the parts is implied by `rest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut<'a> {
    pub(super) path: &'a str,
    pub(super) rest: &'a str,
}

/// Cuts the lines of a text.
pub(super) struct Cutter<'a> {
    pub(super) style: Style,
    /// Whether the text has context lines around hits.
    context_lines: bool,
    /// The files with hits, if the text has context lines.
    known: HashSet<&'a str>,
    current: Option<&'a str>,
}

impl<'a> Cutter<'a> {
    /// Infers the notation of the lines from the first ones; `None` if most have no known notation.
    pub(super) fn learn(text: &'a str, context: &Context) -> Option<Self> {
        let (mut numbered, mut named, mut all) = (0, 0, 0);
        let mut context_lines = false;
        for line in text.split('\n').take(SAMPLE) {
            if line.is_empty() || line == super::SEPARATOR {
                context_lines |= !line.is_empty();
                continue;
            }
            all += 1;
            let hit = hit(line);
            let cut = hit.or_else(|| around(line).next());
            context_lines |= hit.is_none() && cut.is_some();
            numbered += usize::from(cut.is_some_and(|cut| looks_real(cut.path)));
            named += usize::from(bare_hit(line).is_some());
        }
        let style = match () {
            () if numbered * 2 > all => Style::Numbered,
            () if named * 2 > all => Style::Text,
            () => return None,
        };
        let mut known = HashSet::new();
        if context_lines && style == Style::Numbered {
            for (index, line) in text.split('\n').enumerate() {
                if index % 512 == 0 && context.stop.is_set() {
                    return None;
                }
                known.extend(hit(line).map(|cut| cut.path));
            }
        }
        Some(Self {
            style,
            context_lines,
            known,
            current: None,
        })
    }

    /// Cuts a line so that both parts reproduce it.
    pub(super) fn cut(&mut self, line: &'a str) -> Option<Cut<'a>> {
        let cut = self.again(line).or_else(|| match self.style {
            Style::Numbered => self.numbered(line),
            Style::Text => bare_hit(line),
        })?;
        self.current = Some(cut.path);
        Some(cut)
    }

    /// Cuts a line whose path is that of the previous line.
    fn again(&self, line: &'a str) -> Option<Cut<'a>> {
        let current = self.current?;
        let behind = line.strip_prefix(current)?;
        let path = &line[..current.len()];
        match self.style {
            Style::Numbered => numbered_behind(path, behind),
            Style::Text if behind.starts_with(':') || self.context_lines => {
                text_behind(path, behind)
            }
            Style::Text => None,
        }
    }

    fn numbered(&self, line: &'a str) -> Option<Cut<'a>> {
        let hit = hit(line);
        let before = hit.map_or(line.len(), |hit| hit.path.len());
        // A context line: its path is one that has a hit.
        around(line)
            .take(TRIES)
            .take_while(|cut| cut.path.len() < before)
            .find(|cut| self.known.contains(cut.path))
            .or(hit)
    }
}

/// Cuts `path:12:text`, `path:12`, `path=12=text` or `path(12,5): text` at the first possible position.
fn hit(line: &str) -> Option<Cut<'_>> {
    let bytes = line.as_bytes();
    let colon = memchr_iter(b':', bytes).take(TRIES).find_map(|at| {
        let cut = numbered_behind(line.get(..at)?, line.get(at..)?)?;
        is_path(cut.path).then_some(cut)
    });
    colon.or_else(|| {
        memchr::memchr2_iter(b'(', b'=', bytes)
            .take(TRIES)
            .find_map(|at| {
                let cut = numbered_behind(line.get(..at)?, line.get(at..)?)?;
                is_path(cut.path).then_some(cut)
            })
    })
}

/// The possible cuts of `path-12-text`.
fn around(line: &str) -> impl Iterator<Item = Cut<'_>> {
    memchr_iter(b'-', line.as_bytes()).filter_map(move |at| {
        let cut = numbered_behind(line.get(..at)?, line.get(at..)?)?;
        is_path(cut.path).then_some(cut)
    })
}

/// Cuts behind a path, if a sign and a number follow.
fn numbered_behind<'a>(path: &'a str, behind: &'a str) -> Option<Cut<'a>> {
    let rest = behind.get(1..)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > DIGITS {
        return None;
    }
    let sign = sign_of_number(rest)?;
    behind.starts_with(sign).then_some(Cut { path, rest })
}

/// Cuts `path:text`.
fn bare_hit(line: &str) -> Option<Cut<'_>> {
    // Skips a drive letter.
    let from = match line.as_bytes() {
        [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic() => 2,
        _ => 0,
    };
    let at = from + line.get(from..)?.find(':')?;
    let (path, behind) = line.split_at_checked(at)?;
    let looks = path.contains(['/', '\\', '.']) && !path.contains(' ');
    if !looks || !is_path(path) {
        return None;
    }
    text_behind(path, behind)
}

fn text_behind<'a>(path: &'a str, behind: &'a str) -> Option<Cut<'a>> {
    let text = behind.get(1..)?;
    // The sign stays in `rest` where it is not implied, or where `rest` alone would have another meaning.
    let stays = !behind.starts_with(':')
        || text.starts_with([':', '-', '=', '>', super::LITERAL])
        || text.is_empty();
    let rest = if stays { behind } else { text };
    let sign = sign_of_text(rest);
    let whole = behind.starts_with([':', '-', '=']) && rest != super::SEPARATOR;
    (whole && sign.len() + rest.len() == behind.len()).then_some(Cut { path, rest })
}

/// Whether a text looks like a path. `2026-01-02 10` in a log does not.
fn looks_real(path: &str) -> bool {
    path.contains(['/', '\\', '.'])
        || !path.contains(' ') && !path.starts_with(|c: char| c.is_ascii_digit())
}

fn is_path(path: &str) -> bool {
    !path.is_empty() && path.len() <= LONGEST && !path.starts_with([' ', '\t'])
}

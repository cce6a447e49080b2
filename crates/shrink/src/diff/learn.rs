//! Infers the notation of a diff.

use super::file::{NOWHERE, RULE};
use super::find::{names, stamp};
use super::head::{Above, Form};
use super::hunk::Hunk;

/// How many files are examined.
const SAMPLE: usize = 40;

/// The notation of most of the first files.
pub(super) fn learn(lines: &[&str]) -> Form {
    let mut form = Form::git();
    let git = lines.iter().any(|line| line.starts_with("diff --git "));
    let mut before: Vec<((&str, &str), usize)> = Vec::new();
    let mut above: Option<Above> = None;
    let (mut ones, mut bare) = (0_usize, 0_usize);
    let mut seen = 0;
    for (at, line) in lines.iter().enumerate() {
        if let Some(hunk) = Hunk::parse(line) {
            let written = line.matches(",1 ").count();
            ones += written;
            let ones_of = usize::from(hunk.olds == 1) + usize::from(hunk.news == 1);
            bare += ones_of.saturating_sub(written);
        }
        if seen >= SAMPLE {
            continue;
        }
        let Some((old, new)) = names(lines, at) else {
            continue;
        };
        seen += 1;
        let (old, new) = (stamp(old).0, stamp(new).0);
        let around = around(old, new);
        match before.iter_mut().find(|(one, _)| Some(*one) == around) {
            Some((_, count)) => *count += 1,
            None => before.extend(around.map(|around| (around, 1))),
        }
        if above.is_none() && !git {
            above = Some(other(&lines[..at], old, new));
        }
    }
    if let Some(((old, new), _)) = before.iter().rev().max_by_key(|(_, count)| *count)
        && old.len().max(new.len()) <= Form::LONGEST
    {
        (form.old, form.new) = ((*old).to_owned(), (*new).to_owned());
    }
    if let Some(above) = above {
        form.above = above;
    }
    form.ones = ones > bare;
    form
}

/// The prefixes before the path that both names end with.
fn around<'a>(old: &'a str, new: &'a str) -> Option<(&'a str, &'a str)> {
    if old == NOWHERE || new == NOWHERE {
        return None;
    }
    let old = old.strip_prefix('"').unwrap_or(old);
    let new = new.strip_prefix('"').unwrap_or(new);
    if old == new {
        return Some(("", ""));
    }
    let same = old.bytes().rev().zip(new.bytes().rev());
    let same = same.take_while(|(one, other)| one == other).count();
    // Whole folders only, because one name may be a suffix of the other.
    let is_end = |whole: &str| {
        whole
            .as_bytes()
            .get(..whole.len() - same)
            .is_none_or(|before| before.ends_with(b"/"))
    };
    let (short, long) = if old.len() < new.len() {
        (old, new)
    } else {
        (new, old)
    };
    let same = if same == short.len() && is_end(long) {
        same
    } else {
        same - (memchr::memchr(b'/', &old.as_bytes()[old.len() - same..])? + 1)
    };
    Some((old.get(..old.len() - same)?, new.get(..new.len() - same)?))
}

/// The lines above the first `---`, if git did not write them.
fn other(above: &[&str], old: &str, new: &str) -> Above {
    let Some(last) = above.last() else {
        return Above::Nothing;
    };
    if *last == RULE
        && above
            .iter()
            .rev()
            .nth(1)
            .is_some_and(|line| line.starts_with("Index: "))
    {
        return Above::Svn;
    }
    let words = |paths: &str| {
        let words = last.strip_suffix(paths)?.strip_suffix(' ')?;
        let fits = words.starts_with("diff") && words.len() <= Form::LONGEST;
        fits.then(|| words.to_owned())
    };
    if let Some(words) = words(&[old, " ", new].concat()) {
        return Above::Both(words);
    }
    let path = new.strip_prefix("b/").unwrap_or(new);
    let path = if new == NOWHERE {
        old.strip_prefix("a/").unwrap_or(old)
    } else {
        path
    };
    words(path).map_or(Above::Nothing, Above::One)
}

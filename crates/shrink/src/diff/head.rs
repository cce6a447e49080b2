//! The head line: a legend for the model, and how the diff was written.

use std::fmt;

use linkspan_wire::{Json, quote};

use crate::context::Level;
use crate::rendering::Malformed;

/// The lines above `---`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Above {
    /// `diff --git a/path b/path` and git's extended header.
    Git,
    /// `diff -ru old/path new/path`: the given words and both paths.
    Both(String),
    /// `diff -r 1f2e3d path`: the given words and the path without `a/`.
    One(String),
    /// `Index: path` and a line of `=`.
    Svn,
    /// No lines.
    Nothing,
}

/// The notation of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) above: Above,
    /// The prefix of the path of the old file.
    pub(super) old: String,
    /// The prefix of the path of the new file.
    pub(super) new: String,
    /// Whether a count of one is written.
    pub(super) ones: bool,
}

impl Form {
    /// Git's notation.
    pub(super) fn git() -> Self {
        Self {
            above: Above::Git,
            old: "a/".to_owned(),
            new: "b/".to_owned(),
            ones: false,
        }
    }

    /// The longest word of a form, which is repeated for many files.
    pub(super) const LONGEST: usize = 200;
}

/// The legend, then the differences from git's notation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) level: Level,
    pub(super) form: Form,
}

const BOTH: &str = "; each ";
const ONE: &str = "; once ";
const SVN: &str = "; svn";
const NOTHING: &str = "; no diff lines";
const OLD: &str = "; from ";
const NEW: &str = " to ";
const ONES: &str = "; counts of 1 written";

fn legend(level: Level) -> &'static str {
    match level {
        Level::Safe => "=== file; @@ -old +new line",
        Level::Balanced => "=== file; @@ -old +new line; {+ added lines +}, [- removed lines -]",
        Level::Max => "=== file; @@ -old +new line; {+added+}, [-removed-], ! changed line",
    }
}

impl Head {
    pub(super) fn parse(head: &str) -> Result<Self, Malformed> {
        Self::read(head).ok_or_else(|| Malformed::new(0, "not a diff header"))
    }

    fn read(head: &str) -> Option<Self> {
        let (level, mut rest) = Level::ALL
            .into_iter()
            .rev()
            .find_map(|level| Some((level, head.strip_prefix(legend(level))?)))?;
        let mut form = Form::git();
        if let Some(more) = rest.strip_prefix(BOTH) {
            let words = word(more)?;
            rest = words.1;
            form.above = Above::Both(words.0);
        } else if let Some(more) = rest.strip_prefix(ONE) {
            let words = word(more)?;
            rest = words.1;
            form.above = Above::One(words.0);
        } else if let Some(more) = rest.strip_prefix(SVN) {
            rest = more;
            form.above = Above::Svn;
        } else if let Some(more) = rest.strip_prefix(NOTHING) {
            rest = more;
            form.above = Above::Nothing;
        }
        if let Some(more) = rest.strip_prefix(OLD) {
            let (old, more) = word(more)?;
            let (new, more) = word(more.strip_prefix(NEW)?)?;
            rest = more;
            form.old = old;
            form.new = new;
        }
        if let Some(more) = rest.strip_prefix(ONES) {
            rest = more;
            form.ones = true;
        }
        rest.is_empty().then_some(Self { level, form })
    }
}

/// A quoted word, and the text after it.
fn word(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut escaped = false;
    let end = inner.bytes().position(|b| {
        let ends = b == b'"' && !escaped;
        escaped = b == b'\\' && !escaped;
        ends
    })?;
    let (quoted, rest) = text.split_at_checked(end + 2)?;
    let word = Json::parse(quoted).ok()?.as_str()?.into_owned();
    (word.len() <= Form::LONGEST).then_some((word, rest))
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(legend(self.level))?;
        let Form {
            above,
            old,
            new,
            ones,
        } = &self.form;
        match above {
            Above::Git => {}
            Above::Both(words) => write!(f, "{BOTH}{}", quote(words))?,
            Above::One(words) => write!(f, "{ONE}{}", quote(words))?,
            Above::Svn => f.write_str(SVN)?,
            Above::Nothing => f.write_str(NOTHING)?,
        }
        if (old.as_str(), new.as_str()) != ("a/", "b/") {
            write!(f, "{OLD}{}{NEW}{}", quote(old), quote(new))?;
        }
        if *ones {
            f.write_str(ONES)?;
        }
        Ok(())
    }
}

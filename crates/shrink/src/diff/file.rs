//! The lines above the hunks of a file, as one line.
//!
//! ```text
//! === 1c25178..53d1c4e src/a.rs          changed, mode 100644
//! === new 53d1c4e src/a.rs               a new file; `new:100755` if that is its mode
//! === deleted 1c25178 src/a.rs
//! === renamed:95% 1c25178..53d1c4e src/a.rs => src/b.rs
//! === mode:100644..100755 run.sh
//! === 1c25178..53d1c4e binary logo.png
//! === src/a.c⇥2026-01-02 10:00⇥2026-01-03 11:00
//! ```

use super::head::{Above, Form};

/// The sides of the diff that a file is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Both,
    New,
    Deleted,
}

/// The lines above the hunks of a file, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct File<'a> {
    pub(super) side: Side,
    /// The mode of a new or deleted file.
    pub(super) mode: &'a str,
    pub(super) modes: Option<(&'a str, &'a str)>,
    /// Whether the file is a copy, and the similarity in percent.
    pub(super) moved: Option<(bool, &'a str)>,
    pub(super) ids: Option<Ids<'a>>,
    pub(super) binary: bool,
    pub(super) from: &'a str,
    pub(super) path: &'a str,
    /// Whether the path is quoted; `path` excludes the quote before it.
    pub(super) quoted: bool,
    /// The timestamps behind the paths, after a tab.
    pub(super) stamps: Option<(&'a str, &'a str)>,
}

/// The `index` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ids<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) mode: &'a str,
}

pub(super) const USUAL: &str = "100644";
pub(super) const NOWHERE: &str = "/dev/null";
const ARROW: &str = " => ";

impl<'a> File<'a> {
    pub(super) fn at(path: &'a str) -> Self {
        Self {
            side: Side::Both,
            mode: USUAL,
            modes: None,
            moved: None,
            ids: None,
            binary: false,
            from: path,
            path,
            quoted: false,
            stamps: None,
        }
    }

    /// The mode of the `index` line that is not written.
    fn index_mode(&self) -> &'static str {
        if self.side == Side::Both && self.modes.is_none() {
            USUAL
        } else {
            ""
        }
    }

    /// Writes the line without `=== `.
    pub(super) fn short(&self, out: &mut String) {
        let word = match self.side {
            Side::Both => "",
            Side::New => "new",
            Side::Deleted => "deleted",
        };
        out.push_str(word);
        if self.mode != USUAL {
            out.push(':');
            out.push_str(self.mode);
        }
        if !word.is_empty() {
            out.push(' ');
        }
        if let Some((old, new)) = self.modes {
            push(out, &["mode:", old, "..", new, " "]);
        }
        if let Some((copy, percent)) = self.moved {
            let word = if copy { "copied:" } else { "renamed:" };
            push(out, &[word, percent, " "]);
        }
        if let Some(Ids { old, new, mode }) = self.ids {
            match self.side {
                Side::New if is_zeros(old, new) => out.push_str(new),
                Side::Deleted if is_zeros(new, old) => out.push_str(old),
                _ => push(out, &[old, "..", new]),
            }
            if mode != self.index_mode() {
                push(out, &[":", mode]);
            }
            out.push(' ');
        }
        if self.binary {
            out.push_str("binary ");
        }
        if self.moved.is_some() {
            push(out, &[self.from, ARROW]);
        }
        if self.quoted {
            out.push('"');
        }
        out.push_str(self.path);
        if let Some((old, new)) = self.stamps {
            push(out, &["\t", old, "\t", new]);
        }
    }

    /// The inverse of [`Self::short`]. `zeros` has the length of the longest id.
    pub(super) fn parse(short: &'a str, zeros: &'a str) -> Option<Self> {
        let mut file = File::at("");
        let (mut rest, stamps) = match short.split_once('\t') {
            Some((rest, stamps)) => (rest, Some(stamps.split_once('\t')?)),
            None => (short, None),
        };
        file.stamps = stamps;
        while let Some((word, more)) = rest.split_once(' ') {
            if !file.take(word, zeros) {
                break;
            }
            rest = more;
        }
        if file.moved.is_some() {
            (file.from, file.path) = rest.split_once(ARROW)?;
        } else {
            file.quoted = rest.starts_with('"');
            file.path = rest.strip_prefix('"').unwrap_or(rest);
            file.from = file.path;
        }
        Some(file)
    }

    /// Reads one word before the path; false if it is not a known word.
    fn take(&mut self, word: &'a str, zeros: &'a str) -> bool {
        let untouched = self.ids.is_none() && !self.binary;
        let (name, value) = match word.split_once(':') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        match (name, value) {
            ("new" | "deleted", mode) if untouched && self.side == Side::Both => {
                self.side = match name {
                    "new" => Side::New,
                    _ => Side::Deleted,
                };
                self.mode = mode.unwrap_or(USUAL);
                self.modes.is_none() && self.moved.is_none()
            }
            ("mode", Some(modes)) if untouched && self.modes.is_none() => {
                self.modes = modes.split_once("..");
                self.modes.is_some()
            }
            ("renamed" | "copied", Some(percent)) if untouched && self.moved.is_none() => {
                self.moved = Some((name == "copied", percent));
                true
            }
            ("binary", None) if !self.binary => {
                self.binary = true;
                true
            }
            (ids, mode) if untouched => {
                let (old, new) = match (ids.split_once(".."), self.side) {
                    (Some(both), _) => both,
                    (None, Side::New) => (zeros.get(..ids.len()).unwrap_or(""), ids),
                    (None, Side::Deleted) => (ids, zeros.get(..ids.len()).unwrap_or("")),
                    (None, Side::Both) => return false,
                };
                let mode = mode.unwrap_or(self.index_mode());
                self.ids = Some(Ids { old, new, mode });
                is_id(old) && is_id(new)
            }
            _ => false,
        }
    }

    /// Writes the original lines, each with its line end.
    pub(super) fn long(&self, form: &Form, has_hunks: bool, out: &mut String) {
        match &form.above {
            Above::Git => self.git(form, out),
            Above::Both(words) => {
                push(out, &[words, " "]);
                self.side(&form.old, self.from, out);
                out.push(' ');
                self.side(&form.new, self.path, out);
                out.push('\n');
            }
            Above::One(words) => {
                push(out, &[words, " "]);
                self.side("", self.path, out);
                out.push('\n');
            }
            Above::Svn => {
                out.push_str("Index: ");
                self.side("", self.path, out);
                push(out, &["\n", RULE, "\n"]);
            }
            Above::Nothing => {}
        }
        let old = |out: &mut String| match self.side {
            Side::New => out.push_str(NOWHERE),
            _ => self.side(&form.old, self.from, out),
        };
        let new = |out: &mut String| match self.side {
            Side::Deleted => out.push_str(NOWHERE),
            _ => self.side(&form.new, self.path, out),
        };
        if self.binary {
            out.push_str("Binary files ");
            old(out);
            out.push_str(" and ");
            new(out);
            out.push_str(" differ\n");
        }
        if has_hunks {
            // Git appends a tab to a path with a space.
            let tab = |path: &str| form.above == Above::Git && path.contains(' ');
            out.push_str("--- ");
            old(out);
            match self.stamps {
                Some((stamp, _)) => push(out, &["\t", stamp]),
                None if self.side != Side::New && tab(self.from) => out.push('\t'),
                None => {}
            }
            out.push_str("\n+++ ");
            new(out);
            match self.stamps {
                Some((_, stamp)) => push(out, &["\t", stamp]),
                None if self.side != Side::Deleted && tab(self.path) => out.push('\t'),
                None => {}
            }
            out.push('\n');
        }
    }

    /// Writes a path; its prefix is inside the quotes.
    fn side(&self, before: &str, path: &str, out: &mut String) {
        let quote = if self.quoted { "\"" } else { "" };
        push(out, &[quote, before, path]);
    }

    fn git(&self, form: &Form, out: &mut String) {
        out.push_str("diff --git ");
        self.side(&form.old, self.from, out);
        out.push(' ');
        self.side(&form.new, self.path, out);
        out.push('\n');
        if let Some((old, new)) = self.modes {
            push(out, &["old mode ", old, "\nnew mode ", new, "\n"]);
        }
        if let Some((copy, percent)) = self.moved {
            let word = if copy { "copy" } else { "rename" };
            push(out, &["similarity index ", percent, "\n"]);
            push(out, &[word, " from ", self.from, "\n"]);
            push(out, &[word, " to ", self.path, "\n"]);
        }
        match self.side {
            Side::Both => {}
            Side::New => push(out, &["new file mode ", self.mode, "\n"]),
            Side::Deleted => push(out, &["deleted file mode ", self.mode, "\n"]),
        }
        if let Some(Ids { old, new, mode }) = self.ids {
            push(out, &["index ", old, "..", new]);
            if !mode.is_empty() {
                push(out, &[" ", mode]);
            }
            out.push('\n');
        }
    }
}

/// The line below `Index: path`.
pub(super) const RULE: &str = "===================================================================";

/// The longest id, all zeros.
pub(super) const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

fn push(out: &mut String, parts: &[&str]) {
    parts.iter().for_each(|part| out.push_str(part));
}

fn is_zeros(zeros: &str, id: &str) -> bool {
    zeros.len() == id.len() && zeros.bytes().all(|b| b == b'0')
}

fn is_id(id: &str) -> bool {
    (4..=ZEROS.len()).contains(&id.len())
        && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

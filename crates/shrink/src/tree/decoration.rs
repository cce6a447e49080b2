//! The text around a name in its line: a mark in front, the path of its folder, a `/` behind.

use std::borrow::Cow;

use linkspan_wire::{Json, quote};

use super::entry::Entry;
use crate::lexeme::string_len;

/// The text around the names of all entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Decoration {
    /// Folders end in `/`.
    pub(super) slash: bool,
    /// Names are full paths.
    pub(super) full: bool,
    /// The marks before folders and before files.
    pub(super) marks: Option<(String, String)>,
}

/// Known pairs of marks before folders and before files.
const MARKS: [(&str, &str); 16] = [
    ("[DIR] ", "[FILE] "),
    ("[DIR]  ", "[FILE] "),
    ("[D] ", "[F] "),
    ("DIR  ", "FILE "),
    ("📁 ", "📄 "),
    ("📂 ", "📄 "),
    ("- 📁 ", "- 📄 "),
    ("- 📂 ", "- 📄 "),
    ("📁 ", "  "),
    ("🗀 ", "🗎 "),
    ("▾ ", "  "),
    ("▼ ", "  "),
    ("- ", "- "),
    ("* ", "* "),
    ("+ ", "+ "),
    ("• ", "• "),
];

impl Decoration {
    /// Strips the common marks, paths and slashes of all names. Entries with children are marked as folders already.
    pub(super) fn strip(entries: &mut [Entry<'_>], root: Option<&str>) -> Self {
        let marks = take_marks(entries);
        let full = root.is_some_and(|root| take_paths(entries, root));
        let slash = take_slashes(entries);
        Self { slash, full, marks }
    }

    /// Appends an entry with its surroundings. `path` is the prefix of names if they are full paths.
    pub(super) fn push(&self, entry: &Entry<'_>, path: &str, out: &mut String) {
        if let Some((folder, file)) = &self.marks {
            out.push_str(if entry.folder { folder } else { file });
        }
        out.push_str(path);
        out.push_str(&entry.name);
        if self.slash && entry.folder {
            out.push('/');
        }
    }

    /// Appends the next entry of a tree with its surroundings; `path` follows the entries if names are full paths.
    pub(super) fn push_along(&self, path: &mut FullPath, entry: &Entry<'_>, out: &mut String) {
        if self.full {
            path.enter(entry.depth());
            self.push(entry, &path.text, out);
            path.text.push_str(&entry.name);
        } else {
            self.push(entry, "", out);
        }
    }

    pub(super) fn write(&self, out: &mut String) {
        out.push_str(if self.full { " full" } else { "" });
        out.push_str(if self.slash { " slash" } else { "" });
        if let Some((folder, file)) = &self.marks {
            out.push_str(" marks ");
            out.push_str(&quote(folder));
            out.push_str(&quote(file));
        }
    }

    /// The inverse of [`Self::write`]; `options` are words, the marks last.
    pub(super) fn read(mut options: &str) -> Option<Self> {
        let mut decoration = Self::default();
        while !options.is_empty() {
            let (word, rest) = options.split_once(' ').unwrap_or((options, ""));
            match word {
                "full" => decoration.full = true,
                "slash" => decoration.slash = true,
                "marks" => {
                    let (folder, file) = rest.split_at_checked(string_len(rest.as_bytes())?)?;
                    let text = |json| Some(Json::parse(json).ok()?.as_str()?.into_owned());
                    decoration.marks = Some((text(folder)?, text(file)?));
                    return Some(decoration);
                }
                _ => return None,
            }
            options = rest;
        }
        Some(decoration)
    }
}

fn take_marks(entries: &mut [Entry<'_>]) -> Option<(String, String)> {
    let fits = |folder: &str, file: &str| {
        let mut entries = entries.iter();
        entries.all(|entry| {
            entry.name.starts_with(folder) || (!entry.folder && entry.name.starts_with(file))
        })
    };
    let known = MARKS.into_iter().find(|(folder, file)| fits(folder, file));
    let known = known.filter(|_| !entries.is_empty());
    let (folder, file) = match known {
        Some((folder, file)) => (folder.to_owned(), file.to_owned()),
        None => brackets(entries).filter(|(folder, file)| fits(folder, file))?,
    };
    for entry in entries {
        let marked = entry.name.starts_with(&folder);
        entry.folder |= marked && folder != file;
        drop_front(entry, if marked { folder.len() } else { file.len() });
    }
    Some((folder, file))
}

/// Marks in brackets that all folders, and all files, may share: `[drwxr-xr-x]  `.
fn brackets(entries: &[Entry<'_>]) -> Option<(String, String)> {
    let mark = |entry: &Entry<'_>| {
        let end = entry.name.strip_prefix('[')?.find(']')? + 2;
        let rest = entry.name[end..].trim_start_matches(' ');
        let len = entry.name.len() - rest.len();
        (len <= MOST_MARK).then(|| entry.name[..len].to_owned())
    };
    let first = |folder: bool| entries.iter().find(|entry| entry.folder == folder);
    let file = mark(first(false).or_else(|| first(true))?)?;
    let folder = mark(first(true).or_else(|| first(false))?)?;
    Some((folder, file))
}

/// The longest mark.
const MOST_MARK: usize = 60;

/// Removes the path of its folder from every name, if all names have it; returns whether they did.
fn take_paths(entries: &mut [Entry<'_>], root: &str) -> bool {
    let is_full = |path: &mut FullPath, entry: &Entry<'_>| {
        path.enter(entry.depth()) && entry.name.starts_with(&path.text) && {
            path.text
                .push_str(entry.name[path.text.len()..].trim_end_matches('/'));
            true
        }
    };
    let mut path = FullPath::new(root);
    if entries.is_empty() || !entries.iter().all(|entry| is_full(&mut path, entry)) {
        return false;
    }
    let mut path = FullPath::new(root);
    for entry in entries {
        path.enter(entry.depth());
        drop_front(entry, path.text.len());
        path.text.push_str(entry.name.trim_end_matches('/'));
    }
    true
}

/// Removes the `/` from all folders, if all folders have one; returns whether they did. Childless entries are
/// recognised as folders by it.
fn take_slashes(entries: &mut [Entry<'_>]) -> bool {
    let all = entries
        .iter()
        .all(|entry| !entry.folder || entry.name.ends_with('/'));
    let slash = all && entries.iter().any(|entry| entry.name.ends_with('/'));
    if slash {
        for entry in entries.iter_mut().filter(|entry| entry.name.ends_with('/')) {
            entry.folder = true;
            drop_back(entry);
        }
    }
    slash
}

fn drop_front(entry: &mut Entry<'_>, len: usize) {
    match &mut entry.name {
        Cow::Borrowed(name) => *name = &name[len..],
        Cow::Owned(name) => drop(name.drain(..len)),
    }
}

fn drop_back(entry: &mut Entry<'_>) {
    match &mut entry.name {
        Cow::Borrowed(name) => *name = &name[..name.len() - 1],
        Cow::Owned(name) => drop(name.pop()),
    }
}

/// The path of the current folder.
pub(super) struct FullPath {
    pub(super) text: String,
    /// Where the names of the open folders end.
    ends: Vec<usize>,
}

impl FullPath {
    pub(super) fn new(root: &str) -> Self {
        let text = root.trim_end_matches('/').to_owned();
        let ends = vec![text.len()];
        Self { text, ends }
    }

    /// Sets `text` to the prefix of names at this depth; the caller then appends the name. Returns `false` if no folder
    /// is that deep.
    pub(super) fn enter(&mut self, depth: usize) -> bool {
        if depth >= self.ends.len() {
            self.ends.push(self.text.len());
        }
        self.ends.truncate(depth + 1);
        let Some(end) = self.ends.get(depth) else {
            return false;
        };
        self.text.truncate(*end);
        self.text.push('/');
        true
    }
}

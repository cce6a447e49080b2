//! File names: verbatim, relative to the root, or relative to the folder of the previous file.
//!
//! ```text
//! src/run.rs    below the root
//! src/run       the same, if the head declares that names end .rs
//! Makefile.     then a name without an extension
//! walk.rs       in the folder of the previous file, if the head declares bare names
//! ./Cargo.toml  below the root, where the name would be ambiguous
//! >/etc/hosts   outside the root
//! ```

use std::borrow::Cow;

use super::head::{Head, Style};

/// The longest path (`PATH_MAX`); a path written once is repeated before many lines.
pub(super) const LONGEST: usize = 4096;

/// The least number of names with the same extension that is worth explaining in the head.
const ENOUGH: usize = 10;

/// The state of reading or writing file names: the previous file.
pub(super) struct Files<'a> {
    head: &'a Head,
    current: String,
    /// The length of its folder.
    folder: usize,
}

impl<'a> Files<'a> {
    pub(super) fn new(head: &'a Head) -> Self {
        Self {
            head,
            current: head.root.clone(),
            folder: head.root.len(),
        }
    }

    pub(super) fn current(&self) -> &str {
        &self.current
    }

    /// Writes the name of a file.
    pub(super) fn write(&mut self, path: &str, out: &mut String) {
        let Head {
            bare,
            ref root,
            style,
            ..
        } = *self.head;
        let near = &self.current[..self.folder];
        let (folder, name) = path.split_at(folder_of(path));
        let name = self.without_ending(name);
        match folder.strip_prefix(root.as_str()) {
            None => {
                out.push('>');
                out.push_str(path);
            }
            Some(_) if bare && near == folder && near != root && is_plain(&name, style) => {
                out.push_str(&name);
            }
            Some(below) => {
                // A bare name would be read relative to the previous file's folder.
                let lone = bare && below.is_empty() && near != root;
                if lone || !is_plain(if below.is_empty() { &name } else { below }, style) {
                    out.push_str("./");
                }
                out.push_str(below);
                out.push_str(&name);
            }
        }
        self.set(path);
    }

    /// Reads a name and makes its file the current one.
    pub(super) fn read(&mut self, name: &str) -> Result<(), &'static str> {
        let root = self.head.root.as_str();
        let path = if let Some(path) = name.strip_prefix('>') {
            path.to_owned()
        } else {
            let (before, name) = match name.strip_prefix("./") {
                Some(below) => (root, below),
                None if self.head.bare && folder_of(name) == 0 => {
                    (&self.current[..self.folder], name)
                }
                None => (root, name),
            };
            let (folder, name) = name.split_at(folder_of(name));
            [before, folder, &self.with_ending(name)].concat()
        };
        if path.len() > LONGEST {
            return Err("a path that is too long");
        }
        self.set(&path);
        Ok(())
    }

    fn set(&mut self, path: &str) {
        self.current.clear();
        self.current.push_str(path);
        self.folder = folder_of(path);
    }

    fn without_ending<'b>(&self, name: &'b str) -> Cow<'b, str> {
        let ending = self.head.ending.as_str();
        if ending.is_empty() {
            return name.into();
        }
        match name.strip_suffix(ending) {
            Some(stem) if !stem.is_empty() && !stem.contains('.') => stem.into(),
            _ if !name.contains('.') || name.ends_with('.') => [name, "."].concat().into(),
            _ => name.into(),
        }
    }

    fn with_ending<'b>(&self, name: &'b str) -> Cow<'b, str> {
        let ending = self.head.ending.as_str();
        if ending.is_empty() {
            return name.into();
        }
        match name.strip_suffix('.') {
            Some(name) => name.into(),
            None if !name.contains('.') => [name, ending].concat().into(),
            None => name.into(),
        }
    }
}

/// Whether names relative to the previous folder save more tokens than their explanation costs.
pub(super) fn bare_pays(paths: &[&str], root: &str) -> bool {
    let mut near = root;
    let mut saved = 0_isize;
    for path in paths {
        let folder = &path[..folder_of(path)];
        // A folder has at least two tokens; `./` has one.
        saved += match (folder == near, folder == root) {
            (true, false) => 2,
            (false, true) => -1,
            _ => 0,
        };
        near = folder;
    }
    saved > 10
}

/// The most common extension, with its dot, if omitting it saves tokens.
pub(super) fn ending(paths: &[&str]) -> String {
    let mut best = "";
    let mut votes = 0_usize;
    let endings = || paths.iter().map(|path| ending_of(path));
    for ending in endings() {
        if votes == 0 {
            best = ending;
            votes = 1;
        } else if ending == best {
            votes += 1;
        } else {
            votes -= 1;
        }
    }
    let count = endings().filter(|ending| *ending == best).count();
    if count >= ENOUGH && count * 3 >= paths.len() * 2 {
        best.to_owned()
    } else {
        String::new()
    }
}

/// An extension such as `.rs`, or the empty string.
fn ending_of(path: &str) -> &str {
    let name = &path[folder_of(path)..];
    let ending = name.rfind('.').map_or("", |at| &name[at..]);
    let plain = |ending: &str| ending.bytes().skip(1).all(|b| b.is_ascii_alphanumeric());
    if (2..=8).contains(&ending.len()) && plain(ending) {
        ending
    } else {
        ""
    }
}

/// The length of a path's folder, with the last slash.
pub(super) fn folder_of(path: &str) -> usize {
    path.rfind(['/', '\\']).map_or(0, |at| at + 1)
}

/// Whether a name cannot be read as a line of another type.
fn is_plain(name: &str, style: Style) -> bool {
    let first = name.bytes().next();
    !name.starts_with("./")
        && match (first, style) {
            (None | Some(b'>'), _) => false,
            (Some(first), Style::Numbered) => {
                !first.is_ascii_digit() && first != b'|' && name != super::SEPARATOR
            }
            (Some(_), Style::Text) => true,
        }
}

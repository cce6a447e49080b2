//! Lists with one path per line, as `find`, `git ls-files` and `fd` print them.

use super::entry::{Entry, MOST_ENTRIES};
use super::style::{Parsed, Picture, Style};
use crate::edge::{same_start, strip_prefix};

/// A list with one path per line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Paths {
    /// The separator of path components.
    separator: char,
    folders: Folders,
}

/// The folders that have lines of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Folders {
    /// None except empty ones, which end in the separator.
    Silent,
    /// All, above their contents.
    Shown,
    /// All, above their contents, with the separator at the end.
    Slashed,
}

pub(super) fn parse(text: &str) -> Option<Parsed<'_>> {
    let separator = match (text.contains('/'), text.contains('\\')) {
        (false, true) => '\\',
        _ => '/',
    };
    let prefix = common_folder(text, separator);
    let ways = [Folders::Shown, Folders::Slashed, Folders::Silent];
    ways.into_iter().find_map(|folders| {
        let paths = Paths { separator, folders };
        let (root, lines) = match folders {
            Folders::Shown => above_all(text, separator).or_else(|| below(text, prefix))?,
            _ => below(text, prefix)?,
        };
        let entries = match folders {
            Folders::Silent => paths.silent(lines, prefix)?,
            _ => paths.shown(lines, root, prefix)?,
        };
        let root = Some(root).filter(|root| !root.is_empty());
        let picture = Picture {
            root,
            entries: &entries,
            limit: text.len(),
        };
        (paths.draw(&picture)? == text).then_some(Parsed {
            style: Style::Paths(paths),
            root: root.map(Into::into),
            tail: None,
            entries,
        })
    })
}

fn below<'a>(text: &'a str, prefix: &'a str) -> Option<(&'a str, &'a str)> {
    Some((prefix, text))
}

/// Splits off the first line, if it names the folder that contains all other lines.
fn above_all(text: &str, separator: char) -> Option<(&str, &str)> {
    let (root, lines) = text.split_once('\n')?;
    let is_in = |line: &str| {
        let rest = line.strip_prefix(root);
        rest.is_some_and(|rest| rest.starts_with(separator))
    };
    let whole = !root.is_empty() && !root.ends_with(separator) && lines.split('\n').all(is_in);
    whole.then_some((root, lines))
}

/// The common prefix of all lines, up to a separator.
fn common_folder(text: &str, separator: char) -> &str {
    let first = text.split('\n').next().unwrap_or_default();
    let mut common = first;
    for line in text.split('\n') {
        let mut pairs = common.bytes().zip(line.bytes());
        let same = pairs.position(|(a, b)| a != b);
        let same = same.unwrap_or(common.len().min(line.len()));
        let end = common.as_bytes()[..same]
            .iter()
            .rposition(|byte| *byte == separator as u8);
        common = &common[..end.map_or(0, |end| end + 1)];
        if common.is_empty() {
            break;
        }
    }
    common
}

impl Paths {
    /// The entries of a list in which only files have lines.
    fn silent<'a>(self, lines: &'a str, prefix: &str) -> Option<Vec<Entry<'a>>> {
        let mut entries = Vec::new();
        // The folders of the previous path, and where the name of each ends with its separator.
        let mut above = "";
        let mut open: Vec<usize> = Vec::new();
        for line in lines.split('\n') {
            let path = strip_prefix(line, prefix)?;
            let (path, empty) = match path.strip_suffix(self.separator) {
                Some(path) => (path, true),
                None => (path, false),
            };
            // Adjacent paths mostly share their folders, which are not parsed again.
            let same = same_start(above, path);
            let shared = open.iter().rposition(|end| *end <= same);
            open.truncate(shared.map_or(0, |last| last + 1));
            let mut from = open.last().copied().unwrap_or(0);
            let separator = self.separator as u8;
            while let Some(length) = memchr::memchr(separator, &path.as_bytes()[from..]) {
                let end = from + length;
                entries.push(Entry::new(open.len(), true, &path[from..end]));
                from = end + 1;
                open.push(from);
            }
            above = &path[..from];
            entries.push(Entry::new(open.len(), empty, &path[from..]));
            if entries.len() > MOST_ENTRIES {
                return None;
            }
        }
        Some(entries)
    }

    /// The entries of a list in which folders have lines above their contents.
    fn shown<'a>(self, lines: &'a str, root: &str, prefix: &str) -> Option<Vec<Entry<'a>>> {
        let skip = if root == prefix {
            prefix.len()
        } else {
            root.len() + 1
        };
        let mut entries: Vec<Entry<'a>> = Vec::new();
        let mut open: Vec<&str> = Vec::new();
        for line in lines.split('\n') {
            let path = line.get(skip..)?;
            let stripped = path.strip_suffix(self.separator);
            let (path, slashed) = match (self.folders, stripped) {
                (Folders::Slashed, Some(path)) => (path, true),
                _ => (path, false),
            };
            let (folder, name) = match path.rsplit_once(self.separator) {
                Some((folder, name)) => (Some(folder), name),
                None => (None, path),
            };
            let mut depth = 0;
            if let Some(folder) = folder {
                for name in folder.split(self.separator) {
                    if open.get(depth) != Some(&name) {
                        return None;
                    }
                    depth += 1;
                }
            }
            open.truncate(depth);
            open.push(name);
            if let Some(parent) = entries.last_mut()
                && parent.depth() < depth
            {
                parent.folder = true;
            }
            entries.push(Entry::new(depth, slashed, name));
            if entries.len() > MOST_ENTRIES {
                return None;
            }
        }
        // Without folders, `Folders::Silent` is equivalent.
        entries.iter().any(|entry| entry.folder).then_some(entries)
    }

    pub(super) fn write(self, out: &mut String) {
        out.push_str(match self.folders {
            Folders::Silent => "paths",
            Folders::Shown => "find",
            Folders::Slashed => "find slash",
        });
        out.push_str(if self.separator == '\\' { " \\" } else { "" });
    }

    pub(super) fn read(word: &str, options: &str) -> Option<Self> {
        let (options, separator) = match options.strip_suffix('\\') {
            Some(options) => (options.trim_end(), '\\'),
            None => (options, '/'),
        };
        let folders = match (word, options) {
            ("paths", "") => Folders::Silent,
            ("find", "") => Folders::Shown,
            ("find", "slash") => Folders::Slashed,
            _ => return None,
        };
        Some(Self { separator, folders })
    }

    pub(super) fn draw(self, picture: &Picture<'_, '_>) -> Option<String> {
        let root = picture.root.unwrap_or_default();
        let mut out = String::new();
        let mut path = root.to_owned();
        if self.folders == Folders::Shown && !root.is_empty() && !root.ends_with(self.separator) {
            out.push_str(root);
            path.push(self.separator);
        }
        let mut first = out.is_empty();
        // Where the paths of the open folders end.
        let mut ends = vec![path.len()];
        for (at, entry) in picture.entries.iter().enumerate() {
            ends.truncate(entry.depth() + 1);
            path.truncate(*ends.get(entry.depth())?);
            let next = picture.entries.get(at + 1);
            let parent = next.is_some_and(|next| next.depth > entry.depth);
            if self.folders != Folders::Silent || !parent {
                if !std::mem::take(&mut first) {
                    out.push('\n');
                }
                out.push_str(&path);
                out.push_str(&entry.name);
                if entry.folder && self.folders != Folders::Shown {
                    out.push(self.separator);
                }
            }
            if parent {
                path.push_str(&entry.name);
                path.push(self.separator);
                ends.push(path.len());
            }
            if out.len() > picture.limit || path.len() > picture.limit {
                return None;
            }
        }
        Some(out)
    }
}

//! Output of `ls -R`: the path of each folder with a colon, then its names.

use std::borrow::Cow;

use super::decoration::{Decoration, FullPath};
use super::entry::{self, Entry, MOST_ENTRIES};
use super::style::{Parsed, Picture, Style};

/// Output of `ls -R`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Listing {
    decoration: Decoration,
}

pub(super) fn parse(text: &str) -> Option<Parsed<'_>> {
    let mut sections = text.split("\n\n").map(|section| {
        let (above, names) = section.split_once('\n').unwrap_or((section, ""));
        let names = Some(names).filter(|names| !names.is_empty());
        Some((above.strip_suffix(':')?, names))
    });
    let (root, names) = sections.next()??;
    let mut sections = sections.peekable();
    let mut entries: Vec<Entry<'_>> = Vec::new();
    // The remaining names of each open folder, with its path.
    let mut open = vec![(root, names.map(|names| names.split('\n')))];
    while let Some((path, names)) = open.last_mut() {
        let Some(name) = names.as_mut().and_then(Iterator::next) else {
            open.pop();
            continue;
        };
        let plain = name.strip_suffix('/').unwrap_or(name);
        let is_in = |section: &str| {
            let rest = section.strip_prefix(*path);
            rest.and_then(|rest| rest.strip_prefix('/')) == Some(plain)
        };
        let below = match sections.peek() {
            Some(None) => return None,
            Some(Some((section, _))) if is_in(section) => sections.next()?,
            _ => None,
        };
        entries.push(Entry::new(open.len() - 1, below.is_some(), name));
        if entries.len() > MOST_ENTRIES {
            return None;
        }
        if let Some((path, names)) = below {
            open.push((path, names.map(|names| names.split('\n'))));
        }
    }
    if sections.next().is_some() || entries.is_empty() {
        return None;
    }
    let slash = has_slashes(&mut entries);
    let decoration = Decoration {
        slash,
        ..Decoration::default()
    };
    let style = Style::Listing(Listing { decoration });
    let picture = Picture {
        root: Some(root),
        entries: &entries,
        limit: text.len(),
    };
    (style.draw(&picture, None)? == text).then_some(Parsed {
        style,
        root: Some(root.into()),
        tail: None,
        entries,
    })
}

/// Removes the `/` behind folders if all folders have one and no file does.
fn has_slashes(entries: &mut [Entry<'_>]) -> bool {
    let slash = entries
        .iter()
        .all(|entry| entry.folder == entry.name.ends_with('/'));
    let slash = slash && entries.iter().any(|entry| entry.folder);
    for entry in entries.iter_mut().filter(|entry| slash && entry.folder) {
        if let Cow::Borrowed(name) = &mut entry.name {
            *name = name.trim_end_matches('/');
        }
    }
    slash
}

impl Listing {
    pub(super) fn write(&self, out: &mut String) {
        out.push_str("ls-R");
        self.decoration.write(out);
    }

    pub(super) fn read(options: &str) -> Option<Self> {
        Decoration::read(options).map(|decoration| Self { decoration })
    }

    pub(super) fn draw(&self, picture: &Picture<'_, '_>) -> Option<String> {
        let entries = picture.entries;
        let ends = entry::ends(entries);
        let mut out = String::new();
        let list = |path: &str, from: usize, to: usize, out: &mut String| {
            out.push_str(path);
            out.push(':');
            let mut at = from;
            while at < to {
                out.push('\n');
                self.decoration.push(&entries[at], "", out);
                at = ends[at] as usize;
            }
        };
        let root = picture.root?;
        list(root, 0, entries.len(), &mut out);
        let mut path = FullPath::new(root);
        for (at, entry) in entries.iter().enumerate() {
            path.enter(entry.depth());
            path.text.push_str(&entry.name);
            if entry.folder {
                out.push_str("\n\n");
                list(&path.text, at + 1, ends[at] as usize, &mut out);
            }
            if out.len() > picture.limit || path.text.len() > picture.limit {
                return None;
            }
        }
        Some(out)
    }
}

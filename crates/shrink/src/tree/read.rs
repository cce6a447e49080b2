//! Decodes a body with one line per folder.

use std::borrow::Cow;

use super::entry::Entry;
use super::order::Order;
use super::pattern::Pattern;
use super::spelling::{Name, Spelling, Word, Words};
use crate::rendering::Malformed;

/// Decodes a body with one line per folder to entries in their original order.
pub(super) fn read<'a>(
    body: &'a str,
    spelling: Spelling<'_>,
    order: Option<Order>,
) -> Result<Vec<Entry<'a>>, Malformed> {
    let mut reading = Reading {
        nodes: Vec::new(),
        folders: vec![Folder::default()],
        shared: false,
        most: most(body),
    };
    let mut words = Words::new(spelling);
    // The open folders, one per level of lines.
    let mut open = vec![0];
    let lines = body.split('\n').enumerate();
    for (at, line) in lines.filter(|_| !body.is_empty()) {
        let wrong = |why: &str| Malformed::new(at + 1, why);
        let text = line.trim_start_matches(' ');
        let level = line.len() - text.len();
        let Some(&around) = open.get(level) else {
            return Err(wrong("is in no folder"));
        };
        if text.is_empty() {
            // The line of the top may be empty.
            match at {
                0 => continue,
                _ => return Err(wrong("is empty")),
            }
        }
        open.truncate(level + 1);
        words.over(text);
        let folder = reading.line(around, at == 0, &mut words);
        open.push(folder.map_err(wrong)?);
    }
    reading.sort(order);
    reading.entries()
}

/// The error for a body with too many entries.
const TOO_MUCH: &str = "the body has too many entries";

/// A short word may stand for many entries; this many per byte are allowed.
const MOST_PER_BYTE: usize = 16;

/// The most entries that a body may stand for.
pub(super) const fn most(body: &str) -> usize {
    body.len().saturating_mul(MOST_PER_BYTE)
}

/// The entries read so far.
struct Reading<'a> {
    nodes: Vec<Node<'a>>,
    /// The first one is the top.
    folders: Vec<Folder>,
    /// Whether several nodes share a folder.
    shared: bool,
    /// The most entries.
    most: usize,
}

struct Node<'a> {
    name: Cow<'a, str>,
    folder: bool,
    /// The index of its folder, if it has children.
    inside: Option<usize>,
}

#[derive(Default)]
struct Folder {
    children: Vec<usize>,
    /// How many of them are in its line.
    head: usize,
    /// The order is given rather than sorted.
    given: bool,
    /// Its line has patterns.
    patterns: bool,
}

impl<'a> Reading<'a> {
    /// Reads a line within a folder. Returns the folder that the line belongs to: its own, or `around` if it names
    /// none.
    fn line(
        &mut self,
        around: usize,
        first: bool,
        words: &mut Words<'a, '_>,
    ) -> Result<usize, &'static str> {
        let mut folder = around;
        let mut pattern = Pattern::plain();
        let mut patterns = false;
        let mut at_start = true;
        while at_start || !words.is_done() {
            match words.next(at_start).ok_or("is not a list of names")? {
                Word::Names { folder: true } if at_start => {
                    folder = self.folder(around, &mut words.names);
                }
                Word::Names { folder: is_folder } if pattern.is_plain() => {
                    self.item(folder, is_folder, words)?;
                }
                Word::Names { folder: false } if words.names.len() == 1 => {
                    let Some(Name::One(stem)) = words.names.pop() else {
                        return Err("has several names for a file");
                    };
                    pattern.names(stem, words.quoted, |name| {
                        self.child(folder, name, false);
                    });
                }
                Word::Names { .. } => return Err("has a folder behind a pattern"),
                Word::Pattern(next) => {
                    pattern = next;
                    patterns = true;
                }
            }
            at_start = false;
            if self.nodes.len() > self.most {
                return Err(TOO_MUCH);
            }
        }
        let own = folder != around || first;
        let read = &mut self.folders[folder];
        if own {
            read.head = read.children.len();
            read.patterns = patterns;
        } else {
            read.given = true
        }
        Ok(folder)
    }

    /// A folder with a line of its own, preceded by a chain of folders with one child each.
    fn folder(&mut self, around: usize, names: &mut Vec<Name<'a>>) -> usize {
        names.drain(..).fold(around, |around, name| {
            self.folders.push(Folder::default());
            let inside = self.folders.len() - 1;
            match name {
                Name::One(name) => self.insides(around, name, inside),
                Name::Several(names) => {
                    self.shared = true;
                    let names = names.split(',').map(Cow::Borrowed);
                    names.for_each(|name| self.insides(around, name, inside));
                }
            }
            inside
        })
    }

    fn insides(&mut self, around: usize, name: Cow<'a, str>, inside: usize) {
        let node = self.child(around, name, true);
        self.nodes[node].inside = Some(inside);
    }

    /// Reads an item of a line: a file or an empty folder, behind a chain of folders.
    fn item(
        &mut self,
        around: usize,
        folder: bool,
        words: &mut Words<'a, '_>,
    ) -> Result<(), &'static str> {
        if folder {
            self.folder(around, &mut words.names);
            return Ok(());
        }
        let Some(Name::One(name)) = words.names.pop() else {
            return Err("has several names for a file");
        };
        let around = self.folder(around, &mut words.names);
        let name = match words.ending() {
            Some(ending) if !words.quoted && !name.contains('.') => {
                Cow::Owned([&name, ending].concat())
            }
            _ => name,
        };
        self.child(around, name, false);
        Ok(())
    }

    fn child(&mut self, around: usize, name: Cow<'a, str>, folder: bool) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node {
            name,
            folder,
            inside: None,
        });
        self.folders[around].children.push(node);
        node
    }

    /// All entries in order. The contents of a shared folder are repeated.
    fn entries(mut self) -> Result<Vec<Entry<'a>>, Malformed> {
        let mut entries = Vec::with_capacity(self.nodes.len());
        let mut open = vec![(0, 0)];
        while let Some((folder, next)) = open.last_mut() {
            let Some(child) = self.folders[*folder].children.get(*next) else {
                open.pop();
                continue;
            };
            *next += 1;
            let node = &mut self.nodes[*child];
            let name = if self.shared {
                node.name.clone()
            } else {
                std::mem::take(&mut node.name)
            };
            entries.push(Entry::new(open.len() - 1, node.folder, name));
            if entries.len() > self.most {
                return Err(Malformed::new(0, TOO_MUCH));
            }
            if let Some(inside) = node.inside {
                open.push((inside, 0));
            }
        }
        Ok(entries)
    }

    /// Sorts the children of each folder.
    fn sort(&mut self, order: Option<Order>) {
        let Some(order) = order else { return };
        for folder in 0..self.folders.len() {
            if !self.folders[folder].given {
                self.folders[folder].children = self.sorted(folder, order);
            }
        }
    }

    fn sorted(&mut self, folder: usize, order: Order) -> Vec<usize> {
        let folder = &mut self.folders[folder];
        let mut children = std::mem::take(&mut folder.children);
        let key = |child: usize| {
            let node = &self.nodes[child];
            (&*node.name, node.folder)
        };
        let compare = |a: &usize, b: &usize| order.compare(key(*a), key(*b));
        let below = children.split_off(folder.head.min(children.len()));
        if folder.patterns {
            children.sort_by(compare);
        }
        let mut merged = Vec::with_capacity(children.len() + below.len());
        let mut children = children.into_iter().peekable();
        for folder in below {
            while let Some(child) = children.next_if(|child| compare(&folder, child).is_ge()) {
                merged.push(child);
            }
            merged.push(folder);
        }
        merged.extend(children);
        merged
    }
}

//! One line per folder: its name and entries; subfolders are below, indented.
//!
//! ```text
//! Cargo.toml README.md
//! src/ lib.rs main.rs net/tcp.rs
//!  wire/ *.rs: frame json scan
//! ```
//!
//! In a sorted folder, files come first in the line of the folder and subfolders have their own lines below; their
//! positions among the files follow from the order. An unsorted folder has lines without a name among those of its
//! subfolders, which preserves the original order.

use super::common::is_part;
use super::entry::{self, Entry};
use super::factor::{Factor, Group, Word};
use super::order::Order;
use super::spelling::Spelling;
use crate::context::Stop;

/// Writes the body.
pub(super) struct Folders<'e, 'a> {
    entries: &'e [Entry<'a>],
    /// For each entry, the end of its descendants.
    ends: Vec<u32>,
    spelling: Spelling<'e>,
    order: Option<Order>,
    /// Whether adjacent folders with equal contents share a line.
    unites: bool,
    out: String,
    /// Whether a pattern was written.
    patterns: bool,
}

/// An entry in a line, or a folder with a line of its own, together with a chain of only children.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Child {
    first: usize,
    /// The end of the chain: entries from `first` to here are only children.
    last: usize,
    own_line: bool,
    /// The first entries of the following siblings with equal contents.
    same: Vec<usize>,
}

/// A line below the line of a folder.
enum Below {
    Files(Vec<Child>),
    Folder(Child),
}

/// The layout of a folder: the entries in its line, and the lines below.
struct Arranged {
    head: Vec<Child>,
    below: Vec<Below>,
    way: Way,
}

/// How the names in a folder's line may be reordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The names are sorted again when read.
    Sorted,
    /// The names keep their order.
    Given,
    /// The names keep their order, provided that no pattern is used, which would imply sorting.
    Plain,
}

/// A folder that is being written.
struct Open {
    level: usize,
    below: std::vec::IntoIter<Below>,
}

impl<'e, 'a> Folders<'e, 'a> {
    pub(super) fn new(
        entries: &'e [Entry<'a>],
        spelling: Spelling<'e>,
        order: Option<Order>,
    ) -> Self {
        Self {
            entries,
            ends: entry::ends(entries),
            spelling,
            order,
            unites: false,
            out: String::new(),
            patterns: false,
        }
    }

    /// The body, and whether it has patterns. With `factor`, common parts of names are written once.
    pub(super) fn write(
        mut self,
        factor: Option<Factor<'e>>,
        stop: &Stop,
    ) -> Option<(String, bool)> {
        self.unites = factor.is_some_and(|factor| factor.expands) && !self.spelling.commas;
        let top = self.arrange(self.children(0, self.entries.len(), true));
        if !top.head.is_empty() {
            self.items(&top.head, top.way, factor, true);
        }
        // The first line is that of the top, unless the top has none.
        let mut first = top.head.is_empty() && !matches!(top.below.first(), Some(Below::Files(_)));
        let below = top.below.into_iter();
        let mut open = vec![Open { level: 0, below }];
        while let Some(folder) = open.last_mut() {
            let Some(below) = folder.below.next() else {
                open.pop();
                continue;
            };
            let level = folder.level;
            if !std::mem::take(&mut first) {
                self.out.push('\n');
            }
            self.out.extend(std::iter::repeat_n(' ', level));
            match below {
                Below::Files(children) => self.items(&children, Way::Given, factor, true),
                Below::Folder(child) => {
                    if stop.is_set() {
                        return None;
                    }
                    self.names(&child);
                    let end = self.ends[child.last] as usize;
                    let Arranged { head, below, way } =
                        self.arrange(self.children(child.last + 1, end, false));
                    if !head.is_empty() {
                        self.out.push(' ');
                        self.items(&head, way, factor, false);
                    }
                    let below = below.into_iter();
                    let level = level + 1;
                    open.push(Open { level, below });
                }
            }
        }
        Some((self.out, self.patterns))
    }

    /// The children in a folder. At the top, a line must not begin with an empty folder, which would be read as the
    /// folder of the line.
    fn children(&self, from: usize, to: usize, top: bool) -> Vec<Child> {
        let mut children = Vec::new();
        let mut leads = top;
        let mut first = from;
        while first < to {
            let end = self.ends[first] as usize;
            let mut last = first;
            // As long as the folder has an only child.
            while !self.spelling.slashes && last + 1 < end && self.ends[last + 1] as usize == end {
                last += 1;
            }
            let empty = last + 1 == end;
            let own_line = !empty || (leads && self.entries[last].folder);
            leads &= own_line;
            children.push(Child {
                first,
                last,
                own_line,
                same: Vec::new(),
            });
            first = end;
        }
        children
    }

    fn arrange(&self, children: Vec<Child>) -> Arranged {
        if let Some(order) = self.order
            && self.follows(order, &children)
        {
            let (folders, head): (Vec<_>, Vec<_>) =
                children.into_iter().partition(|child| child.own_line);
            let key = |child: &Child| self.key(child);
            let sorted = head.is_sorted_by(|a, b| order.compare(key(a), key(b)).is_lt());
            let folders = self.unite(folders).into_iter();
            return Arranged {
                head: self.unite(head),
                below: folders.map(Below::Folder).collect(),
                way: if sorted { Way::Sorted } else { Way::Plain },
            };
        }
        let mut below: Vec<Below> = Vec::new();
        for child in self.unite(children) {
            match below.last_mut() {
                _ if child.own_line => below.push(Below::Folder(child)),
                Some(Below::Files(files)) => files.push(child),
                // An empty folder at the beginning of a line gets a line of its own.
                _ if self.entries[child.last].folder => below.push(Below::Folder(child)),
                _ => below.push(Below::Files(vec![child])),
            }
        }
        let files = below.iter().filter(|one| matches!(one, Below::Files(_)));
        // A line of files below tells the reader that the order is given.
        let enough = files.count() > usize::from(self.order.is_some());
        let head = match below.first_mut() {
            Some(Below::Files(files)) if enough => {
                let head = std::mem::take(files);
                below.remove(0);
                head
            }
            _ => Vec::new(),
        };
        Arranged {
            head,
            below,
            way: Way::Given,
        }
    }

    /// Merges adjacent folders with equal contents.
    fn unite(&self, children: Vec<Child>) -> Vec<Child> {
        if !self.unites {
            return children;
        }
        let mut united: Vec<Child> = Vec::with_capacity(children.len());
        for same in children.chunk_by(|a, b| self.is_same(a, b)) {
            let enough = if same[0].own_line { 2 } else { 3 };
            let (alone, together) = if same.len() >= enough {
                (&same[..1], &same[1..])
            } else {
                (same, &same[..0])
            };
            united.extend_from_slice(alone);
            if let Some(first) = united.last_mut() {
                first.same = together.iter().map(|child| child.first).collect();
            }
        }
        united
    }

    fn is_same(&self, one: &Child, other: &Child) -> bool {
        let inside =
            |child: &Child| &self.entries[child.first + 1..self.ends[child.first] as usize];
        let is_folder = |child: &Child| {
            let entry = &self.entries[child.first];
            entry.folder && !entry.name.is_empty() && is_part(&entry.name)
        };
        is_folder(one) && is_folder(other) && inside(one) == inside(other)
    }

    /// Whether the order determines the positions of folders with their own lines among the others.
    fn follows(&self, order: Order, children: &[Child]) -> bool {
        let mut items = children.iter().filter(|child| !child.own_line).peekable();
        let mut folders = children.iter().filter(|child| child.own_line).peekable();
        children.iter().all(|child| {
            let folder = match (items.peek(), folders.peek()) {
                (Some(item), Some(folder)) => {
                    order.compare(self.key(folder), self.key(item)).is_lt()
                }
                (item, _) => item.is_none(),
            };
            if folder {
                folders.next()
            } else {
                items.next()
            };
            folder == child.own_line
        })
    }

    fn key(&self, child: &Child) -> (&str, bool) {
        let entry = &self.entries[child.first];
        (&entry.name, entry.folder)
    }

    /// Writes the names in one line; `bare` lines do not begin with the name of a folder.
    fn items(&mut self, children: &[Child], way: Way, factor: Option<Factor<'e>>, bare: bool) {
        let mut separator = "";
        let Some(factor) = factor.filter(|_| way != Way::Plain && !self.spelling.commas) else {
            for child in children {
                self.out.push_str(separator);
                self.names(child);
                separator = self.spelling.separator();
            }
            return;
        };
        let file = |child: &Child| {
            let entry = &self.entries[child.last];
            (child.first == child.last && !entry.folder).then_some(&*entry.name)
        };
        let names: Vec<Option<&'e str>> = children.iter().map(file).collect();
        let groups = match way {
            Way::Sorted => factor.sorted(&names),
            _ => factor.given(&names),
        };
        let mut plain = true;
        for Group { pattern, words } in groups {
            // An empty folder in front would be read as the folder of the line.
            let empty_first = match words.first() {
                Some(Word::Whole(at)) => self.entries[children[*at].last].folder,
                _ => false,
            };
            if !(plain && pattern.is_plain()) || (bare && empty_first && separator.is_empty()) {
                self.out.push_str(separator);
                pattern.write(&mut self.out);
                separator = " ";
                self.patterns = true;
            }
            plain = pattern.is_plain();
            for word in words {
                self.out.push_str(separator);
                separator = " ";
                match word {
                    Word::Whole(at) => self.names(&children[at]),
                    Word::Stem(stem) => self.spelling.push_stem(stem, &mut self.out),
                    Word::Numbers(first, last) => {
                        self.out.push_str(first);
                        self.out.push_str("..");
                        self.out.push_str(last);
                    }
                }
            }
        }
    }

    /// Writes the name of an entry, preceded by the names of its chain of folders.
    fn names(&mut self, child: &Child) {
        let start = self.out.len();
        let mut first = child.first;
        if !child.same.is_empty() {
            self.out.push('{');
            self.out.push_str(&self.entries[first].name);
            for other in &child.same {
                self.out.push(',');
                self.out.push_str(&self.entries[*other].name);
            }
            self.out.push_str("}/");
            if first == child.last {
                return;
            }
            first += 1;
        }
        for entry in &self.entries[first..child.last] {
            self.spelling.push(&entry.name, &mut self.out);
            self.out.push('/');
        }
        let last = &self.entries[child.last];
        if last.folder {
            self.spelling.push(&last.name, &mut self.out);
            self.out.push('/');
        } else {
            let end = self.out.len();
            self.spelling.push_file(&last.name, &mut self.out);
            // Names that are not patterns separately may look like one when joined.
            if self.out.ends_with(':') && self.out[start..].contains('*') {
                self.out.truncate(end);
                self.out.push_str(&linkspan_wire::quote(&last.name));
            }
        }
    }
}

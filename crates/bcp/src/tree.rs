//! The entries of a FILE_TREE, parsed in place.
//!
//! A tree is a run of bytes that was checked once. Its entries are not allocated: 16 MiB can contain two
//! million of the smallest entries. A walk is a loop with a stack of positions, so it does not recurse and
//! takes linear time.

use std::borrow::Cow;

use crate::error::{Flaw, Reason};
use crate::limits::Limits;
use crate::names::EntryKind;
use crate::tlv::{Fields, copy_fields, put_bytes, put_int, put_nested};

/// The fields with entries: of a FILE_TREE, and of an entry.
const TOP: u64 = 2;
const CHILD: u64 = 4;

/// The entries of a tree.
#[derive(Debug, Clone, Default)]
pub struct Entries<'a> {
    /// Fields; those with the id [`TOP`] are entries, others are ignored.
    fields: Cow<'a, [u8]>,
}

/// A file or directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Its name without the directory.
    pub name: Cow<'a, str>,
    /// File or directory.
    pub kind: EntryKind,
    /// Its size in bytes; zero also if it is unknown.
    pub size: u64,
}

/// A step of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// An entry; the steps up to the matching `Close` are inside it.
    Open(Entry<'a>),
    /// The end of the entry that was opened last.
    Close,
}

impl<'a> Entries<'a> {
    /// Checks the entries among these fields.
    pub(crate) fn check(fields: &'a [u8]) -> Result<Self, Flaw> {
        let mut walk = Walk::new(fields);
        while walk.step()?.is_some() {}
        Ok(Self {
            fields: Cow::Borrowed(fields),
        })
    }

    /// All entries, those of a directory after it.
    pub fn walk(&self) -> impl Iterator<Item = Step<'_>> {
        let mut walk = Walk::new(&self.fields);
        // `check` has validated the entries, so this cannot fail.
        std::iter::from_fn(move || walk.step().ok().flatten())
    }

    /// The number of top-level entries.
    pub fn top_level(&self) -> usize {
        let mut fields = Fields::new(&self.fields);
        let mut count = 0;
        while let Ok(Some(field)) = fields.next() {
            count += usize::from(field.id == TOP);
        }
        count
    }

    /// Appends the entries as fields of a FILE_TREE.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        copy_fields(TOP, &self.fields, out);
    }

    pub(crate) fn into_owned(self) -> Entries<'static> {
        Entries {
            fields: Cow::Owned(self.fields.into_owned()),
        }
    }
}

/// Two trees are equal if their walks have the same steps.
impl PartialEq for Entries<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields || self.walk().eq(other.walk())
    }
}

impl Eq for Entries<'_> {}

struct Walk<'a> {
    bytes: &'a [u8],
    /// The open entries, innermost last, and the tree itself.
    open: Vec<Fields<'a>>,
}

impl<'a> Walk<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            open: vec![Fields::new(bytes)],
        }
    }

    fn step(&mut self) -> Result<Option<Step<'a>>, Flaw> {
        loop {
            let depth = self.open.len();
            let Some(fields) = self.open.last_mut() else {
                return Ok(None);
            };
            let Some(field) = fields.next()? else {
                self.open.pop();
                // At depth 1 this is the tree itself, which is not an entry.
                return Ok((depth > 1).then_some(Step::Close));
            };
            if field.id != if depth == 1 { TOP } else { CHILD } {
                continue;
            }
            if depth > Limits::DEPTH {
                return Err(Reason::TooDeep(Limits::DEPTH).at(field.at));
            }
            let (start, end) = field.nested("entry")?;
            let (entry, children) = read_entry(Fields::part(self.bytes, start, end), field.at)?;
            // Most entries have no children, so their fields need not be read again.
            let start = children.unwrap_or(end);
            self.open.push(Fields::part(self.bytes, start, end));
            return Ok(Some(Step::Open(entry)));
        }
    }
}

/// Reads an entry; returns it and the offset of its first child.
fn read_entry(mut fields: Fields<'_>, at: usize) -> Result<(Entry<'_>, Option<usize>), Flaw> {
    let (mut name, mut kind, mut size) = (None, None, 0);
    let mut children = None;
    while let Some(field) = fields.next()? {
        match field.id {
            1 => name = Some(String::from_utf8_lossy(field.bytes("name")?)),
            2 => kind = Some(field.word(EntryKind::WHAT, EntryKind::from_byte)?),
            3 => size = field.int("size")?,
            CHILD if children.is_none() => children = Some(field.at),
            _ => {}
        }
    }
    let entry = Entry {
        name: name.ok_or_else(|| Reason::Missing("name").at(at))?,
        kind: kind.ok_or_else(|| Reason::Missing("kind").at(at))?,
        size,
    };
    Ok((entry, children))
}

/// Builds a tree: open an entry, add others inside it, close it.
#[derive(Debug, Default)]
pub struct TreeBuilder {
    /// The finished top-level entries.
    fields: Vec<u8>,
    /// The fields of the open entries, innermost last.
    open: Vec<Vec<u8>>,
}

/// The tree exceeds the maximum depth, which our readers enforce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooDeep;

impl TreeBuilder {
    /// Opens an entry inside the open one.
    pub fn open(&mut self, name: &str, kind: EntryKind, size: u64) -> Result<(), TooDeep> {
        if self.open.len() >= Limits::DEPTH {
            return Err(TooDeep);
        }
        let mut fields = Vec::new();
        put_bytes(1, name.as_bytes(), &mut fields);
        put_int(2, u64::from(kind.byte()), &mut fields);
        put_int(3, size, &mut fields);
        self.open.push(fields);
        Ok(())
    }

    /// Closes the entry that was opened last.
    pub fn close(&mut self) {
        let Some(entry) = self.open.pop() else {
            return;
        };
        match self.open.last_mut() {
            Some(parent) => put_nested(CHILD, &entry, parent),
            None => put_nested(TOP, &entry, &mut self.fields),
        }
    }

    /// The tree. Closes entries that are still open.
    pub fn finish(mut self) -> Entries<'static> {
        while !self.open.is_empty() {
            self.close();
        }
        Entries {
            fields: Cow::Owned(self.fields),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(entries: &Entries<'_>) -> Vec<String> {
        let step = |step| match step {
            Step::Open(entry) => entry.name.into_owned(),
            Step::Close => "^".to_owned(),
        };
        entries.walk().map(step).collect()
    }

    #[test]
    fn a_walk_enters_and_leaves_directories() {
        let mut tree = TreeBuilder::default();
        tree.open("src", EntryKind::Directory, 0).unwrap();
        tree.open("main.rs", EntryKind::File, 1024).unwrap();
        tree.close();
        tree.close();
        tree.open("Cargo.toml", EntryKind::File, 200).unwrap();
        let entries = tree.finish();
        assert_eq!(
            names(&entries),
            ["src", "main.rs", "^", "^", "Cargo.toml", "^"]
        );
        assert_eq!(entries.top_level(), 2);
    }

    fn nested(levels: usize) -> Vec<u8> {
        let mut entry = Vec::new();
        for level in 0..levels {
            let mut outer = Vec::new();
            put_bytes(1, b"d", &mut outer);
            put_int(2, 1, &mut outer);
            if level > 0 {
                put_nested(CHILD, &entry, &mut outer);
            }
            entry = outer;
        }
        let mut fields = Vec::new();
        put_nested(TOP, &entry, &mut fields);
        fields
    }

    #[test]
    fn a_tree_may_be_as_deep_as_the_limit_and_no_deeper() {
        assert!(Entries::check(&nested(Limits::DEPTH)).is_ok());
        let why = Entries::check(&nested(Limits::DEPTH + 1)).unwrap_err();
        assert_eq!(why.reason, Reason::TooDeep(Limits::DEPTH));
    }

    #[test]
    fn a_builder_enforces_the_maximum_depth() {
        let mut tree = TreeBuilder::default();
        for _ in 0..Limits::DEPTH {
            tree.open("d", EntryKind::Directory, 0).unwrap();
        }
        assert_eq!(tree.open("d", EntryKind::Directory, 0), Err(TooDeep));
        assert!(Entries::check(&tree.finish().fields).is_ok());
    }

    #[test]
    fn an_entry_needs_a_name_and_a_kind() {
        let mut entry = Vec::new();
        put_bytes(1, b"x", &mut entry);
        let mut fields = Vec::new();
        put_nested(TOP, &entry, &mut fields);
        let why = Entries::check(&fields).unwrap_err();
        assert_eq!(why.reason, Reason::Missing("kind"));
    }
}

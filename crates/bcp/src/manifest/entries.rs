//! `"entries"` of a file tree.
//!
//! The members of an entry may have any order, with `"children"` before `"name"`. An entry is therefore
//! encoded when it ends, in a loop with an explicit stack.

use std::io::Read;

use super::error::Problem;
use super::json::{Json, Result, Shape};
use super::values::{int, object, once, part, text};
use crate::limits::Limits;
use crate::names::EntryKind;
use crate::tlv::{put_bytes, put_int, put_nested};

/// The fields with entries: of a tree, and of an entry.
const TOP: u64 = 2;
const CHILD: u64 = 4;

/// The minimum encoded size of an entry besides its name.
const AROUND: u64 = 12;

/// An entry that has not ended.
#[derive(Default)]
struct Open {
    index: u64,
    name: Option<Vec<u8>>,
    kind: Option<EntryKind>,
    size: Option<u64>,
    /// Its encoded children, if it has a member `"children"`.
    children: Option<Vec<u8>>,
}

/// Reads the next array, and appends its entries as fields of a FILE_TREE.
pub(super) fn read<R: Read>(json: &mut Json<R>, out: &mut Vec<u8>) -> Result<()> {
    let mut open: Vec<Open> = Vec::new();
    let (mut key, mut scratch) = (Vec::new(), Vec::new());
    let (mut count, mut bytes) = (0, 0);
    json.open_array()?;
    loop {
        if json.item()? {
            object(json, "it").map_err(|problem| part(problem, "entry", count))?;
            if open.len() == Limits::DEPTH {
                return Err(Problem::TooDeep(Limits::DEPTH));
            }
            open.push(Open {
                index: count,
                ..Open::default()
            });
            count += 1;
        }
        // The start or the end of a list of children, or the end of the top-level list.
        let Some(entry) = open.last_mut() else {
            return Ok(());
        };
        let index = entry.index;
        let ended = entry
            .read(json, &mut key, &mut scratch)
            .map_err(|problem| part(problem, "entry", index))?;
        if !ended {
            continue;
        }
        let Some(entry) = open.pop() else {
            return Ok(());
        };
        let fields = entry
            .fields()
            .map_err(|problem| part(problem, "entry", index))?;
        bytes += entry.name.map_or(0, |name| name.len() as u64) + AROUND;
        if bytes > Limits::BLOCK {
            return Err(Problem::TooLarge {
                what: "the tree",
                limit: Limits::BLOCK,
            });
        }
        match open.last_mut() {
            Some(parent) => put_nested(CHILD, &fields, parent.children.get_or_insert_default()),
            None => put_nested(TOP, &fields, out),
        }
    }
}

impl Open {
    /// Reads members up to the children (`false`) or the end (`true`).
    fn read<R: Read>(
        &mut self,
        json: &mut Json<R>,
        key: &mut Vec<u8>,
        scratch: &mut Vec<u8>,
    ) -> Result<bool> {
        while json.key(key)? {
            if json.shape()? == Shape::Null {
                json.skip()?;
                continue;
            }
            match key.as_slice() {
                b"name" => {
                    text(json, "\"name\"", scratch)?;
                    once(&mut self.name, scratch.clone(), "name")?;
                }
                b"kind" => {
                    text(json, "\"kind\"", scratch)?;
                    once(&mut self.kind, kind(scratch)?, "kind")?;
                }
                b"size" => {
                    scratch.clear();
                    let size = int(json, "\"size\"", u64::MAX, scratch)?;
                    once(&mut self.size, size, "size")?;
                }
                b"children" => {
                    let found = json.shape()?;
                    if found != Shape::Array {
                        json.skip()?;
                        return Err(Problem::Shape {
                            field: "\"children\"",
                            must: "an array",
                            found: found.name(),
                        });
                    }
                    if self.children.is_some() {
                        json.skip()?;
                        return Err(Problem::Twice("children"));
                    }
                    self.children = Some(Vec::new());
                    json.open_array()?;
                    return Ok(false);
                }
                _ => json.skip()?,
            }
        }
        Ok(true)
    }

    fn fields(&self) -> Result<Vec<u8>> {
        let name = self.name.as_ref().ok_or_else(|| Problem::Needs {
            what: "it",
            fields: vec!["name"],
        })?;
        // An entry with children is a directory by default.
        let kind = self.kind.unwrap_or(match self.children {
            Some(_) => EntryKind::Directory,
            None => EntryKind::File,
        });
        let mut fields = Vec::new();
        put_bytes(1, name, &mut fields);
        put_int(2, u64::from(kind.byte()), &mut fields);
        put_int(3, self.size.unwrap_or(0), &mut fields);
        fields.extend_from_slice(self.children.as_deref().unwrap_or_default());
        Ok(fields)
    }
}

fn kind(word: &[u8]) -> Result<EntryKind> {
    let word = String::from_utf8_lossy(word);
    EntryKind::parse(&word).ok_or_else(|| Problem::Word {
        what: EntryKind::WHAT,
        word: word.into_owned(),
        allowed: EntryKind::ALL.iter().map(|kind| kind.name()).collect(),
    })
}

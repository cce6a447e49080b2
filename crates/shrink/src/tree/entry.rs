//! The entries that every tree, path list and listing is parsed to, in the order of the text.

use std::borrow::Cow;

/// A file or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    /// How many folders contain it; 0 at the top.
    pub(super) depth: u32,
    /// Whether it has children or is marked as a folder.
    pub(super) folder: bool,
    /// The name, without marks.
    pub(super) name: Cow<'a, str>,
}

impl<'a> Entry<'a> {
    pub(super) fn new(depth: usize, folder: bool, name: impl Into<Cow<'a, str>>) -> Self {
        Self {
            // The depth is less than the number of bytes, and texts with more than `MOST_ENTRIES` are not parsed.
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            folder,
            name: name.into(),
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth as usize
    }
}

/// The most entries, which bounds memory.
pub(super) const MOST_ENTRIES: usize = 4_000_000;

/// Marks entries with children as folders.
pub(super) fn mark_parents(entries: &mut [Entry<'_>]) {
    for at in 1..entries.len() {
        if entries[at].depth > entries[at - 1].depth {
            entries[at - 1].folder = true;
        }
    }
}

/// For each entry, the end of its descendants.
pub(super) fn ends(entries: &[Entry<'_>]) -> Vec<u32> {
    let mut ends = vec![0; entries.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        while open.len() > entry.depth() {
            if let Some(done) = open.pop() {
                ends[done] = at as u32;
            }
        }
        open.push(at);
    }
    for done in open {
        ends[done] = entries.len() as u32;
    }
    ends
}

/// Whether every entry is at most one level deeper than the previous one, and the first one at the top.
pub(super) fn is_whole(entries: &[Entry<'_>]) -> bool {
    let mut deepest = 0;
    entries.iter().all(|entry| {
        let fits = entry.depth <= deepest;
        deepest = entry.depth.saturating_add(1);
        fits
    })
}

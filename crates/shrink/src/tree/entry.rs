//! What every tree, path list and listing is taken for: entries in the order in which they are met.

use std::borrow::Cow;

/// A file or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    /// How many folders it is in; 0 at the top.
    pub(super) depth: u32,
    /// Whether it has something in it, or is marked as a folder.
    pub(super) folder: bool,
    /// Without what only marks it.
    pub(super) name: Cow<'a, str>,
}

impl<'a> Entry<'a> {
    pub(super) fn new(depth: usize, folder: bool, name: impl Into<Cow<'a, str>>) -> Self {
        Self {
            // The depth is less than the number of bytes, and texts beyond `MOST_ENTRIES` are left alone.
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            folder,
            name: name.into(),
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth as usize
    }
}

/// More entries than this are left alone: what is known of each takes memory.
pub(super) const MOST_ENTRIES: usize = 4_000_000;

/// Those that have something in them are folders.
pub(super) fn mark_parents(entries: &mut [Entry<'_>]) {
    for at in 1..entries.len() {
        if entries[at].depth > entries[at - 1].depth {
            entries[at - 1].folder = true;
        }
    }
}

/// For each entry, where what is in it ends.
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

/// Whether every entry is at most one deeper than the one before it, and the first one at the top.
pub(super) fn is_whole(entries: &[Entry<'_>]) -> bool {
    let mut deepest = 0;
    entries.iter().all(|entry| {
        let fits = entry.depth <= deepest;
        deepest = entry.depth.saturating_add(1);
        fits
    })
}

//! Which files of a folder are packed, in an order that is always the same.
//!
//! What people keep out of version control they do not want to hand to a model either: ignore files
//! count, also where there is no repository. Hidden files (`.env`) are left alone unless asked for,
//! and what version control keeps for itself always is: it is not text, and may hold credentials.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::files::Identity;
use super::pack::{Options, Why};

/// The folders of version control.
const STORES: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// A file that a walk has met, or that was named on the command line.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// As the folder says; it may have changed when the file is read.
    pub(super) size: u64,
    /// Why it is clear already that it cannot be packed.
    pub(super) trouble: Option<Why>,
    /// Whether the user gave its name.
    pub(super) named: bool,
}

/// The files of a folder, sorted by name, those of a folder in it where that one's name belongs.
pub(super) fn folder(root: &Path, options: &Options) -> Vec<Found> {
    let rules = !options.no_ignore;
    WalkBuilder::new(root)
        .hidden(!options.hidden)
        .parents(rules)
        .ignore(rules)
        .git_ignore(rules)
        .git_global(rules)
        .git_exclude(rules)
        .require_git(false)
        .follow_links(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(|entry| entry.depth() == 0 || !is_store(entry))
        .build()
        .filter_map(|met| match met {
            Ok(entry) => found(entry, options),
            Err(e) => Some(unreadable(root, &e)),
        })
        .collect()
}

fn is_store(entry: &DirEntry) -> bool {
    // A file of that name is no store, but leads to one (a worktree).
    STORES.iter().any(|store| entry.file_name() == *store)
}

fn found(entry: DirEntry, options: &Options) -> Option<Found> {
    let kind = entry.file_type()?;
    if kind.is_dir() || entry.depth() == 0 {
        return None;
    }
    let trouble = match kind {
        kind if kind.is_symlink() => Some(Why::Link),
        kind if !kind.is_file() => Some(Why::NotAFile),
        _ if is_output(entry.path(), options) => return None,
        _ => None,
    };
    let size = match trouble {
        // Its own is that of the name it leads to, which says nothing.
        Some(_) => 0,
        None => fs::symlink_metadata(entry.path()).map_or(0, |meta| meta.len()),
    };
    Some(Found {
        path: entry.into_path(),
        size,
        trouble,
        named: false,
    })
}

/// Whether it is what we are writing.
pub(super) fn is_output(path: &Path, options: &Options) -> bool {
    !options.skip.is_empty()
        && Identity::of(path).is_some_and(|identity| options.skip.contains(&identity))
}

fn unreadable(root: &Path, e: &ignore::Error) -> Found {
    Found {
        path: path_of(e).unwrap_or(root).to_owned(),
        size: 0,
        trouble: Some(Why::Unreadable(match e.io_error() {
            Some(e) => e.to_string(),
            None => e.to_string(),
        })),
        named: false,
    }
}

/// Where it happened.
fn path_of(e: &ignore::Error) -> Option<&Path> {
    match e {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

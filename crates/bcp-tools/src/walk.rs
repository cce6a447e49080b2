//! The files of a folder to pack, in a fixed order.
//!
//! Ignore files apply, also outside of a repository: files that users keep out of version control should not
//! reach a model either. Hidden files (`.env`) are packed on request only, and the folders of version control
//! never: they are not text and may contain credentials.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use crate::files::Identity;
use crate::pack::{PackOptions, Why};

/// The folders of version control.
const STORES: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// A file found in a folder, or an input itself.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// Its size when found; it may change before the file is read.
    pub(crate) size: u64,
    /// Why it cannot be packed, if already known.
    pub(crate) trouble: Option<Why>,
    /// Whether the user named it.
    pub(crate) named: bool,
}

/// The files of a folder, sorted by name; files of a subfolder are at the position of its name.
pub(crate) fn folder(root: &Path, options: &PackOptions) -> Vec<Found> {
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
    // In a worktree, `.git` is a file with the path of the repository.
    STORES.iter().any(|store| entry.file_name() == *store)
}

fn found(entry: DirEntry, options: &PackOptions) -> Option<Found> {
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
        // The size of a link is the length of its target's path.
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

/// Whether it is the file being written.
pub(crate) fn is_output(path: &Path, options: &PackOptions) -> bool {
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

/// The path in an error.
fn path_of(e: &ignore::Error) -> Option<&Path> {
    match e {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

//! The folders that are watched, and their fingerprint.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::folder::ENTRY_FOLDERS;

/// The folders in the root that only mcp-bash uses.
const MCP_BASH_FOLDERS: [&str; 2] = ["server.d", "ui"];

/// The names of the watched folders in the root.
fn watched_folders() -> impl Iterator<Item = &'static str> {
    ENTRY_FOLDERS.into_iter().chain(MCP_BASH_FOLDERS)
}

/// Folders of installed packages: thousands of folders without entries.
const PACKAGES: [&str; 3] = ["node_modules", "__pycache__", "venv"];

/// The depth limit of the reader, plus the root.
const DEEPEST: usize = 9;
/// Limit of watched folders.
const MOST: usize = 2_000;
/// Limit of fingerprinted files.
const MOST_FILES: usize = 50_000;

/// Whether a change of this name in the root is relevant.
pub(super) fn matters_in_root(name: &str) -> bool {
    watched_folders().any(|folder| folder == name)
        || name.starts_with("server.")
        || name == "instructions.md"
}

/// Whether a change of this name in a folder is relevant.
pub(super) fn matters(name: &str) -> bool {
    !name.starts_with('.') && !name.ends_with('~')
}

/// The watched folders; the root is the first. `None` if there are too many, or no root.
#[cfg(target_os = "linux")]
pub(super) fn folders(root: &Path) -> Option<Vec<PathBuf>> {
    let walk = Walk::through(root);
    (!walk.folders.is_empty() && walk.whole).then_some(walk.folders)
}

struct Walk {
    root: PathBuf,
    folders: Vec<PathBuf>,
    seen: HashSet<(u64, u64)>,
    /// The folders to visit, with their depth. Breadth first, so that one huge folder does not hide the others.
    ahead: VecDeque<(PathBuf, usize)>,
    /// Whether the limit was not reached.
    whole: bool,
}

impl Walk {
    fn through(root: &Path) -> Self {
        let mut walk = Self {
            root: root.to_owned(),
            folders: Vec::new(),
            seen: HashSet::new(),
            ahead: VecDeque::new(),
            whole: true,
        };
        if root.is_dir() {
            walk.folders.push(root.to_owned());
            walk.ahead
                .extend(watched_folders().map(|name| (root.join(name), 1)));
        }
        while walk.whole
            && let Some((folder, depth)) = walk.ahead.pop_front()
        {
            walk.enter(folder, depth);
        }
        walk
    }

    fn enter(&mut self, folder: PathBuf, depth: usize) {
        let Ok(metadata) = fs::metadata(&folder) else {
            return;
        };
        let new = metadata.is_dir() && self.seen.insert((metadata.dev(), metadata.ino()));
        if !new || depth > DEEPEST || !self.has_room() {
            return;
        }
        let entries = fs::read_dir(&folder);
        // In these folders every file is served, whatever the names of its folders.
        let all = ["resources", "skills"].map(|name| self.root.join(name));
        let all = all.iter().any(|top| folder.starts_with(top));
        self.folders.push(folder);
        for entry in entries.into_iter().flatten().flatten().take(MOST_FILES) {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if !matters(&name) {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && (all || !PACKAGES.contains(&&*name)) => {
                    self.ahead.push_back((entry.path(), depth + 1));
                }
                Ok(kind) if kind.is_symlink() => self.link(&entry.path(), depth),
                _ => {}
            }
        }
    }

    fn has_room(&mut self) -> bool {
        let room = self.folders.len() < MOST;
        self.whole &= room;
        room
    }

    /// Adds the folder of a link's target, where changes of the target happen.
    fn link(&mut self, link: &Path, depth: usize) {
        let Ok(target) = fs::canonicalize(link) else {
            return;
        };
        if !target.starts_with(&self.root) {
            return;
        }
        if target.is_dir() {
            self.ahead.push_back((target, depth + 1));
            return;
        }
        let Some(parent) = target.parent() else {
            return;
        };
        // A parent that is the root is added once more, so that all of its names are relevant.
        if !self.folders[1..].iter().any(|folder| folder == parent) && self.has_room() {
            self.folders.push(parent.to_owned());
        }
    }
}

/// A hash that differs when anything has changed.
pub(super) fn fingerprint(root: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut left = MOST_FILES;
    // The folders up to the limit: some are better than none.
    let folders = Walk::through(root).folders;
    for (at, folder) in folders.iter().enumerate() {
        let mut names: Vec<_> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name())
            .filter(|name| match at {
                0 => matters_in_root(&name.to_string_lossy()),
                _ => matters(&name.to_string_lossy()),
            })
            .take(left)
            .collect();
        left -= names.len();
        names.sort_unstable();
        for name in names {
            name.hash(&mut hasher);
            if let Ok(metadata) = fs::metadata(folder.join(&name)) {
                metadata.ino().hash(&mut hasher);
                metadata.mode().hash(&mut hasher);
                metadata.len().hash(&mut hasher);
                (metadata.mtime(), metadata.mtime_nsec()).hash(&mut hasher);
            }
        }
    }
    hasher.finish()
}

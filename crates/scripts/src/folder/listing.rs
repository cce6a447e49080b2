//! The contents of one folder: files, subfolders, and metadata files.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::node::Format;
use super::reader::Reader;
use crate::os::MetadataExt as _;
use crate::trust::{Untrusted, WalkError};

/// Limit of names in one folder.
const MOST: usize = 20_000;

/// Folders with helper code, without entries.
const HELPERS: [&str; 4] = ["lib", "node_modules", "__pycache__", "venv"];

/// Temporary and backup files of editors, merges and interpreters.
const LEFTOVERS: [&str; 10] = [
    ".bak",
    ".orig",
    ".rej",
    ".swp",
    ".swo",
    ".swx",
    ".tmp",
    ".pyc",
    "___jb_tmp___",
    "___jb_old___",
];

/// A file or subfolder.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The file name.
    pub(super) name: String,
    /// The path below the root by which it was found.
    pub(super) path: PathBuf,
    /// The path relative to the root, for messages.
    pub(super) shown: PathBuf,
    /// The metadata of the target if it is a symbolic link.
    pub(super) metadata: Metadata,
}

impl Item {
    /// The name up to its last dot.
    pub(super) fn stem(&self) -> &str {
        match self.name.rsplit_once('.') {
            Some((stem, _)) if !stem.is_empty() => stem,
            _ => &self.name,
        }
    }

    pub(super) fn extension(&self) -> &str {
        match self.name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension,
            _ => "",
        }
    }

    /// Whether it is a folder with helper code.
    pub(super) fn is_for_helpers(&self) -> bool {
        HELPERS.contains(&self.name.as_str())
    }

    pub(super) fn is_executable(&self) -> bool {
        self.metadata.mode() & 0o111 != 0
    }
}

/// The contents of one folder, sorted by name.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Vec<Item>,
    pub(super) folders: Vec<Item>,
    /// `X.meta.*` by `X`.
    pub(super) sidecars: BTreeMap<String, Vec<Item>>,
}

impl Listing {
    /// The metadata beside a file: `greet.sh.meta.yaml` and `greet.meta.yaml`.
    pub(super) fn sidecars_of(&self, item: &Item) -> Vec<&Item> {
        let mut found = Vec::new();
        found.extend(self.sidecars.get(&item.name).into_iter().flatten());
        if item.stem() != item.name {
            found.extend(self.sidecars.get(item.stem()).into_iter().flatten());
        }
        found
    }

    /// Subfolders that may contain entries.
    pub(super) fn entry_folders(&self) -> impl Iterator<Item = &Item> {
        self.folders
            .iter()
            .filter(|folder| !folder.is_for_helpers())
    }

    /// Metadata files without the file that they describe.
    pub(super) fn orphans(&self) -> impl Iterator<Item = (&str, &[Item])> {
        let files = self.files.iter();
        let known: HashSet<&str> = files.flat_map(|item| [&*item.name, item.stem()]).collect();
        let all = self.sidecars.iter();
        all.filter(move |(base, _)| !known.contains(base.as_str()))
            .map(|(base, items)| (base.as_str(), items.as_slice()))
    }
}

/// `X` of `X.meta.yaml` and its like.
pub(super) fn sidecar_base(name: &str) -> Option<&str> {
    let (rest, extension) = name.rsplit_once('.')?;
    Format::of_extension(extension)?;
    rest.strip_suffix(".meta").filter(|base| !base.is_empty())
}

/// Why a name is always ignored; `None` if it is not.
pub(super) fn ignored(name: &str) -> Option<String> {
    let first = name.chars().next().filter(|first| ".#_".contains(*first));
    if let Some(first) = first {
        return Some(format!("its name begins with `{first}`"));
    }
    if name.to_ascii_lowercase().starts_with("readme") {
        return Some("it is for people".to_owned());
    }
    let leftover = name.ends_with('~')
        || LEFTOVERS.iter().any(|end| name.ends_with(end))
        || ["Thumbs.db", "desktop.ini"].contains(&name);
    leftover.then(|| "it looks like a leftover of an editor or interpreter".to_owned())
}

impl Reader<'_> {
    /// Lists a folder below the root. Untrusted entries and links to the outside are problems.
    pub(super) fn list(&mut self, folder: &Path) -> Listing {
        let mut listing = Listing::default();
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.error(&self.relative(folder), format!("cannot be read: {error}"));
                return listing;
            }
        };
        for (at, entry) in entries.enumerate() {
            if at == MOST {
                let text = format!("has more than {MOST} files; the others are left out");
                self.error(&self.relative(folder), text);
                break;
            }
            let Ok(entry) = entry else { continue };
            let path = entry.path();
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let text = "its name is not UTF-8, so it is left out".to_owned();
                self.warn(&self.relative(&path), text);
                continue;
            };
            if let Some(why) = ignored(name) {
                self.ignore(&self.relative(&path), why);
                continue;
            }
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            let metadata = if metadata.is_symlink() {
                match self.follow(&path) {
                    Some(metadata) => metadata,
                    None => continue,
                }
            } else {
                metadata
            };
            let item = Item {
                name: name.to_owned(),
                shown: self.relative(&path),
                path,
                metadata,
            };
            if item.metadata.is_dir() {
                listing.folders.push(item);
            } else if !item.metadata.is_file() {
                self.warn(&item.shown, "is neither a file nor a folder".to_owned());
            } else if let Some(base) = sidecar_base(name) {
                let base = base.to_owned();
                listing.sidecars.entry(base).or_default().push(item);
            } else {
                listing.files.push(item);
            }
        }
        listing.files.sort_by(|a, b| a.name.cmp(&b.name));
        listing.folders.sort_by(|a, b| a.name.cmp(&b.name));
        for items in listing.sidecars.values_mut() {
            items.sort_by(|a, b| a.name.cmp(&b.name));
        }
        listing
    }

    /// The target of a symbolic link, if it is inside the root and every folder on the path is trusted.
    pub(super) fn follow(&mut self, link: &Path) -> Option<Metadata> {
        let shown = self.relative(link);
        let target = match fs::canonicalize(link) {
            Ok(target) => target,
            Err(error) => {
                self.warn(&shown, format!("is a broken link: {error}"));
                return None;
            }
        };
        if !target.starts_with(&self.root) {
            self.error(&shown, "is a link that leads out of the folder".to_owned());
            return None;
        }
        // The target itself is checked like every other file.
        if let Err(WalkError::Untrusted(Untrusted { path, why })) =
            self.trust.walk(link, &self.root)
            && path != target
        {
            let (target, path) = (self.relative(&target), self.relative(&path));
            let text = format!(
                "is a link to {}: {}: {why}",
                target.display(),
                path.display()
            );
            self.error(&shown, text);
            return None;
        }
        fs::metadata(target).ok()
    }

    /// Lists a folder of entries, if it exists, is trusted, and was not visited before.
    pub(super) fn enter(&mut self, folder: &Path, metadata: &Metadata) -> Option<Listing> {
        let shown = self.relative(folder);
        if !self.trusted(&shown, folder, metadata) {
            return None;
        }
        if !self.seen.insert((metadata.dev(), metadata.ino())) {
            self.ignore(&shown, "a link to a folder that was visited already");
            return None;
        }
        Some(self.list(folder))
    }

    /// A folder directly below the root.
    pub(super) fn enter_top(&mut self, name: &str) -> Option<Listing> {
        let folder = self.root.join(name);
        let metadata = fs::symlink_metadata(&folder).ok()?;
        let metadata = if metadata.is_symlink() {
            self.follow(&folder)?
        } else {
            metadata
        };
        if !metadata.is_dir() {
            self.warn(Path::new(name), "is no folder".to_owned());
            return None;
        }
        self.enter(&folder, &metadata)
    }
}

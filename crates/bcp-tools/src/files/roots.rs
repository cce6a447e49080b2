//! Confinement: only files in certain folders may be used, even through links.
//!
//! Used by the BCP server, and for the files that a manifest of `encode` names. A path is first resolved
//! component by component, which determines whether it ends inside or outside, existing or not: the answer
//! for a path outside does not depend on what exists there. Then the folder is opened without following
//! links, so that the used file is the checked file.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::{Folder, Identity, Kind, Refused};
use crate::error::BcpError;

/// The maximum number of links in a path; the limit of Linux.
const MOST_LINKS: usize = 40;

/// The folders that may be used, resolved. Relative paths start at the first one.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    folders: Vec<PathBuf>,
    /// Whether all other files may be used as well.
    anywhere: bool,
    /// Folders that may not be used, even inside one of the others.
    closed: Vec<(PathBuf, Option<Identity>)>,
}

/// Why a file may not be used, or cannot be.
#[derive(Debug)]
pub enum Denied {
    /// It is, or would be, outside of all folders.
    Outside,
    /// It is, or would be, in a closed folder.
    Closed,
    /// It is a folder, or does not name a file.
    Folder,
    /// It is a pipe, a socket or a device.
    Special,
    /// It is a link, and files are not written through links.
    Link,
    /// It was replaced while it was opened.
    Changed,
    /// An error of the operating system.
    Io(io::Error),
}

impl From<io::Error> for Denied {
    fn from(e: io::Error) -> Self {
        Self::Io(e)
    }
}

/// A file that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The file.
    pub file: File,
    /// Its metadata.
    pub meta: Metadata,
    /// Its path with all links resolved.
    pub path: PathBuf,
}

/// A path at which a file may be written.
#[derive(Debug)]
pub struct OutputPath {
    pub(super) folder: Arc<Folder>,
    pub(super) name: OsString,
}

impl OutputPath {
    /// The path with all links resolved.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Opens the file that is there now.
    pub fn open(&self) -> Result<File, Refused> {
        self.folder.open_regular(&self.name).map(|(file, _)| file)
    }
}

impl Roots {
    /// These folders, or the current one if none is given.
    pub fn new(folders: &[PathBuf]) -> Result<Self, BcpError> {
        let here = [PathBuf::from(".")];
        let folders = if folders.is_empty() { &here } else { folders };
        let mut roots = Self::default();
        for folder in folders {
            roots.add(folder).map_err(|error| BcpError::Root {
                folder: folder.clone(),
                error,
            })?;
        }
        Ok(roots)
    }

    /// Also allows all files outside of the folders.
    pub fn and_all_else(mut self) -> Self {
        self.anywhere = true;
        self
    }

    /// Resolves a folder and adds it.
    pub fn add(&mut self, folder: &Path) -> io::Result<()> {
        let resolved = fs::canonicalize(folder)?;
        if !resolved.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        if !self.folders.contains(&resolved) {
            self.folders.push(resolved);
        }
        Ok(())
    }

    /// Refuses every path below a folder, for reading and writing.
    pub fn close(&mut self, folder: &Path) -> io::Result<()> {
        let resolved = fs::canonicalize(folder)?;
        let identity = Identity::of(&resolved);
        self.closed.push((resolved, identity));
        Ok(())
    }

    /// The folders, resolved.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Opens the regular file at a path.
    pub fn open(&self, given: &Path) -> Result<Opened, Denied> {
        let path = self.follow(given)?;
        let (folder, name) = part(&path)?;
        match folder.kind(&name)? {
            Kind::File => {}
            Kind::Folder => return Err(Denied::Folder),
            Kind::Link => return Err(Denied::Changed),
            Kind::Special => return Err(Denied::Special),
        }
        let (file, meta) = folder
            .open_regular(&name)
            .map_err(|refused| match refused {
                Refused::NotAFile => Denied::Changed,
                Refused::Io(e) => swapped(e),
            })?;
        Ok(Opened { file, meta, path })
    }

    /// Checks a path at which a file may be written. The file need not exist, its folder must. A link is
    /// refused, whatever its target.
    pub fn place(&self, given: &Path) -> Result<OutputPath, Denied> {
        let joined = self.join(given);
        let (Some(folder), Some(name)) = (joined.parent(), joined.file_name()) else {
            return Err(Denied::Folder);
        };
        let folder = Folder::open(&self.follow(folder)?).map_err(swapped)?;
        match folder.kind(name) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e.into()),
            Ok(Kind::File) => {}
            Ok(Kind::Folder) => return Err(Denied::Folder),
            Ok(Kind::Link) => return Err(Denied::Link),
            Ok(Kind::Special) => return Err(Denied::Special),
        }
        Ok(OutputPath {
            folder: Arc::new(folder),
            name: name.to_owned(),
        })
    }

    fn join(&self, given: &Path) -> PathBuf {
        match self.folders.first() {
            Some(first) => first.join(given),
            None => given.to_owned(),
        }
    }

    /// Resolves a path and its links.
    ///
    /// `..` removes the last component without accessing it. Thus `x/../a` is `a` whether `x` exists or not,
    /// and a path through a folder outside does not reveal whether that folder exists.
    fn follow(&self, given: &Path) -> Result<PathBuf, Denied> {
        let mut at = PathBuf::new();
        let mut ahead = steps(&self.join(given));
        // The first component that does not exist: its depth, and the error.
        let mut missing: Option<(usize, io::Error)> = None;
        let mut links = 0;
        while let Some(step) = ahead.pop() {
            match Path::new(&step).components().next() {
                None | Some(Component::CurDir) => {}
                Some(Component::ParentDir) => {
                    at.pop();
                    let depth = at.components().count();
                    missing = missing.filter(|(missing, _)| *missing <= depth);
                }
                Some(Component::Normal(_)) if missing.is_some() => at.push(step),
                Some(Component::Normal(_)) => {
                    at.push(step);
                    match link(&at) {
                        Ok(None) => {}
                        Ok(Some(to)) if links < MOST_LINKS => {
                            links += 1;
                            at.pop();
                            ahead.extend(steps(&to));
                        }
                        Ok(Some(_)) => {
                            let e = io::Error::other("its links lead in a circle");
                            missing = Some((at.components().count(), e));
                        }
                        Err(e) => missing = Some((at.components().count(), e)),
                    }
                }
                Some(_) => at.push(step),
            }
        }
        let at = spelled(at);
        match missing {
            _ if !self.hold(&at) => Err(Denied::Outside),
            _ if self.is_closed(&at) => Err(Denied::Closed),
            Some((_, e)) => Err(e.into()),
            None => Ok(at),
        }
    }

    fn hold(&self, path: &Path) -> bool {
        self.anywhere || self.folders.iter().any(|root| path.starts_with(root))
    }

    /// Compares paths, because the folder may be removed and created again, and identities, because a file
    /// system may accept several spellings of one folder.
    fn is_closed(&self, path: &Path) -> bool {
        !self.closed.is_empty()
            && path.ancestors().any(|up| {
                let identity = Identity::of(up);
                self.closed.iter().any(|(folder, closed)| {
                    up == folder || identity.is_some() && identity == *closed
                })
            })
    }
}

/// The components of a path in reverse order.
fn steps(path: &Path) -> Vec<OsString> {
    let steps = path.components().map(|step| step.as_os_str().to_owned());
    steps.rev().collect()
}

fn link(path: &Path) -> io::Result<Option<PathBuf>> {
    if fs::symlink_metadata(path)?.is_symlink() {
        fs::read_link(path).map(Some)
    } else {
        Ok(None)
    }
}

/// The folder of a path without links, and the name in it.
fn part(path: &Path) -> Result<(Folder, OsString), Denied> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Denied::Folder);
    };
    Ok((Folder::open(folder).map_err(swapped)?, name.to_owned()))
}

/// The error for a link or a file that has replaced a folder since the check.
fn swapped(e: io::Error) -> Denied {
    match e.kind() {
        io::ErrorKind::NotADirectory => Denied::Changed,
        #[cfg(unix)]
        _ if e.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => Denied::Changed,
        _ => Denied::Io(e),
    }
}

#[cfg(unix)]
fn spelled(path: PathBuf) -> PathBuf {
    path
}

/// The path as [`Roots::add`] resolves it: a drive has several spellings.
#[cfg(not(unix))]
fn spelled(path: PathBuf) -> PathBuf {
    let there = path.ancestors().find_map(|up| {
        let rest = path.strip_prefix(up).ok()?;
        Some(fs::canonicalize(up).ok()?.join(rest))
    });
    there.unwrap_or(path)
}

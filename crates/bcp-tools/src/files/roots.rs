//! Which files may be touched: those in some folders, wherever links lead.
//!
//! For the reader server, and for what a manifest of `encode` names. A path is first followed by its
//! words, link by link; that says on which side it ends, whether there is anything or not: what is
//! outside is outside, and nobody learns what exists there. Then the folder is opened without
//! following any link, so that what was checked and what is used are the same.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::{Folder, Identity, Kind, Refused};

/// Links on one way; the same as Linux has.
const MOST_LINKS: usize = 40;

/// Folders, resolved. Relative paths begin at the first of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots {
    folders: Vec<PathBuf>,
    /// Everything else may be used as well.
    anywhere: bool,
    /// Folders that may not be used, although they may lie in one of the others.
    closed: Vec<(PathBuf, Option<Identity>)>,
}

/// Why a file may not be touched, or cannot be.
#[derive(Debug)]
pub(crate) enum Denied {
    /// It lies in none of the folders, or would.
    Outside,
    /// It lies in a folder that is closed, or would.
    Closed,
    /// It is a folder, or no name of a file.
    Folder,
    /// It is a pipe, a socket or a device.
    Special,
    /// It is a link, and nothing is written through one.
    Link,
    /// Something else took its place while it was opened.
    Changed,
    /// The operating system.
    Io(io::Error),
}

impl From<io::Error> for Denied {
    fn from(e: io::Error) -> Self {
        Self::Io(e)
    }
}

/// A file that was opened.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) file: File,
    pub(crate) meta: Metadata,
    /// Where it really is.
    pub(crate) path: PathBuf,
}

/// Where a file may be written.
#[derive(Debug)]
pub(crate) struct Place {
    pub(super) folder: Arc<Folder>,
    pub(super) name: OsString,
}

impl Place {
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Opens what is there now.
    pub(crate) fn open(&self) -> Result<File, Refused> {
        self.folder.open_regular(&self.name).map(|(file, _)| file)
    }
}

impl Roots {
    /// Not only what is in the folders may be used.
    pub(crate) fn and_all_else(mut self) -> Self {
        self.anywhere = true;
        self
    }

    /// Resolves a folder and adds it.
    pub(crate) fn add(&mut self, folder: &Path) -> io::Result<()> {
        let resolved = fs::canonicalize(folder)?;
        if !resolved.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        if !self.folders.contains(&resolved) {
            self.folders.push(resolved);
        }
        Ok(())
    }

    /// Refuses every path below a folder, for reading and for writing.
    pub(crate) fn close(&mut self, folder: &Path) -> io::Result<()> {
        let resolved = fs::canonicalize(folder)?;
        let identity = Identity::of(&resolved);
        self.closed.push((resolved, identity));
        Ok(())
    }

    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Opens the file that a path leads to. Nothing but a regular file is one.
    pub(crate) fn open(&self, given: &Path) -> Result<Opened, Denied> {
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

    /// Where a file may be written that need not exist. Its folder must. Nothing is written through a
    /// link, wherever it leads.
    pub(crate) fn place(&self, given: &Path) -> Result<Place, Denied> {
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
        Ok(Place {
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

    /// Where a path leads, links and all.
    ///
    /// `..` goes back by words. So `x/../a` is `a` whether there is an `x` or not, and a way through
    /// a folder outside does not tell whether that exists.
    fn follow(&self, given: &Path) -> Result<PathBuf, Denied> {
        let mut at = PathBuf::new();
        let mut ahead = steps(&self.join(given));
        // What is not there, and the depth that it would have.
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

    /// By name, because the folder may be gone and come back, and by identity, because a file system may
    /// know one folder under several spellings.
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

/// The components of a path, the first one last.
fn steps(path: &Path) -> Vec<OsString> {
    let steps = path.components().map(|step| step.as_os_str().to_owned());
    steps.rev().collect()
}

fn link(path: &Path) -> io::Result<Option<PathBuf>> {
    match fs::symlink_metadata(path)?.is_symlink() {
        true => fs::read_link(path).map(Some),
        false => Ok(None),
    }
}

/// The folder of a path without links, and the name in it.
fn part(path: &Path) -> Result<(Folder, OsString), Denied> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Denied::Folder);
    };
    Ok((Folder::open(folder).map_err(swapped)?, name.to_owned()))
}

/// A link or a file is now where there was a folder a moment ago.
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

/// As [`Roots::add`] spells it: there may be several ways to write a drive.
#[cfg(not(unix))]
fn spelled(path: PathBuf) -> PathBuf {
    let there = path.ancestors().find_map(|up| {
        let rest = path.strip_prefix(up).ok()?;
        Some(fs::canonicalize(up).ok()?.join(rest))
    });
    there.unwrap_or(path)
}

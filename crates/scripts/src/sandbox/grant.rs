//! Opens granted paths without any access right.
//!
//! In the served folder no symbolic link is followed: a tool with write access could have replaced a path that
//! another entry declares. Elsewhere the author's paths lead through links as usual (`/var/run`).

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fstat, mkdirat, openat, stat};
use rustix::io::Errno;

/// Opens a path. `folder` is the served folder.
pub(super) fn open(path: &Path, folder: &Path) -> io::Result<OwnedFd> {
    find(path, folder, false)
}

/// As [`open`], but creates missing paths in the served folder: a name with an extension as an empty file, any
/// other as a folder.
pub(super) fn make(path: &Path, folder: &Path) -> io::Result<OwnedFd> {
    find(path, folder, true)
}

/// Opens a path through links. `O_PATH`, because opening a pipe for reading would wait for a writer.
pub(super) fn follow(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(
        path,
        OFlags::PATH | OFlags::CLOEXEC,
        Mode::empty(),
    )?)
}

fn find(path: &Path, folder: &Path, make: bool) -> io::Result<OwnedFd> {
    let served = follow(folder)?;
    let own = fstat(&served)?;
    let is_served = |above: &&Path| {
        stat(*above).is_ok_and(|found| (found.st_dev, found.st_ino) == (own.st_dev, own.st_ino))
    };
    // Compares by identity: the author may name the folder by another path than the served one.
    let Some(above) = path.ancestors().filter(is_served).last() else {
        return follow(path);
    };
    let mut place = above.to_owned();
    let mut here = served;
    let mut parts = path.strip_prefix(above).into_iter().flatten().peekable();
    while let Some(part) = parts.next() {
        place.push(part);
        let is_file = parts.peek().is_none() && place.extension().is_some();
        here = match step(&here, part) {
            Err(Errno::NOENT) if make => {
                make_one(&here, part, is_file).map_err(|e| named(&place, e))?;
                step(&here, part)?
            }
            found => found?,
        };
        if FileType::from_raw_mode(fstat(&here)?.st_mode).is_symlink() {
            return Err(is_link(&place));
        }
    }
    Ok(here)
}

fn step(folder: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(folder, name, flags, Mode::empty())
}

/// Never writable by other users, whatever the umask is: it would not be trusted.
fn make_one(folder: &OwnedFd, name: &OsStr, is_file: bool) -> Result<(), Errno> {
    let made = if is_file {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        openat(folder, name, flags, Mode::from_raw_mode(0o644)).map(drop)
    } else {
        mkdirat(folder, name, Mode::from_raw_mode(0o755))
    };
    match made {
        // Another call created it first.
        Err(Errno::EXIST) => Ok(()),
        made => made,
    }
}

fn named(place: &Path, error: Errno) -> io::Error {
    let error = io::Error::from(error);
    let text = format!("{} cannot be made: {error}", place.display());
    io::Error::new(error.kind(), text)
}

fn is_link(place: &Path) -> io::Error {
    let place = place.display();
    io::Error::other(format!(
        "{place} is a symbolic link, and grants in the served folder follow none"
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    #[test]
    fn the_served_folder_is_recognised_by_identity() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("served/a")).unwrap();
        symlink(at("served"), at("alias")).unwrap();
        symlink(place.path(), at("served/a/x")).unwrap();
        let opened = open(&at("alias/a"), &at("served")).unwrap();
        let inode = fs::metadata(at("served/a")).unwrap().ino();
        assert_eq!(fstat(&opened).unwrap().st_ino, inode);
        for name in ["alias/a/x", "served/a/x", "alias/a/x/served"] {
            let error = open(&at(name), &at("served")).unwrap_err().to_string();
            assert!(error.contains("a/x is a symbolic link"), "{error}");
        }
        assert!(open(&at("alias"), &at("served")).is_ok());
    }
}

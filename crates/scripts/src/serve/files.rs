//! Reads files inside given folders, and refuses paths that lead out of them.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Why a file is not returned.
#[derive(Debug)]
pub(crate) enum NoFile {
    /// It is outside the folders, or a link leads out of them.
    Outside,
    Missing,
    TooLarge(u64),
    Io(io::Error),
}

/// Reads a file if it is inside a folder after resolving links. `root` may be the file itself.
pub(crate) fn read_inside(root: &Path, path: &Path, most: usize) -> Result<Vec<u8>, NoFile> {
    let inner = path.strip_prefix(root).map_err(|_| NoFile::Outside)?;
    if inner.as_os_str().is_empty() {
        read(open_itself(root)?, most)
    } else {
        read(open_beneath(root, inner)?, most)
    }
}

/// The path with links and `..` resolved. If the file is missing, its folder must exist.
pub(super) fn resolved(path: &Path) -> Option<PathBuf> {
    match path.canonicalize() {
        Ok(real) => Some(real),
        Err(e) if e.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
            let name = path.file_name()?;
            Some(path.parent()?.canonicalize().ok()?.join(name))
        }
        Err(_) => None,
    }
}

/// Opens a file that the operator named, unless it has become a link.
#[cfg(unix)]
fn open_itself(path: &Path) -> Result<File, NoFile> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    Ok(open(path, flags, Mode::empty()).map_err(told)?.into())
}

#[cfg(not(unix))]
fn open_itself(path: &Path) -> Result<File, NoFile> {
    File::open(path).map_err(NoFile::Io)
}

fn read(file: File, most: usize) -> Result<Vec<u8>, NoFile> {
    let known = file.metadata().map_err(NoFile::Io)?;
    if !known.is_file() {
        return Err(NoFile::Missing);
    }
    let mut bytes = Vec::new();
    let most = most as u64;
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(NoFile::Io)?;
    if bytes.len() as u64 > most {
        Err(NoFile::TooLarge(known.len().max(most + 1)))
    } else {
        Ok(bytes)
    }
}

/// Opens the file with `RESOLVE_BENEATH`, so that the kernel refuses to leave the folder without a race.
#[cfg(target_os = "linux")]
fn open_beneath(root: &Path, inner: &Path) -> Result<File, NoFile> {
    use rustix::fs::{Mode, OFlags, ResolveFlags, open, openat2};
    use rustix::io::Errno;
    let folder = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = open(root, folder, Mode::empty()).map_err(told)?;
    // Opening a FIFO without a writer must not block.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    match openat2(&folder, inner, flags, Mode::empty(), resolve) {
        Ok(fd) => Ok(File::from(fd)),
        Err(Errno::NOSYS) => open_checked(root, inner),
        Err(e) => Err(told(e)),
    }
}

#[cfg(unix)]
fn told(e: rustix::io::Errno) -> NoFile {
    use rustix::io::Errno;
    match e {
        Errno::XDEV | Errno::LOOP => NoFile::Outside,
        Errno::NOENT | Errno::NOTDIR => NoFile::Missing,
        other => NoFile::Io(other.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(root: &Path, inner: &Path) -> Result<File, NoFile> {
    open_checked(root, inner)
}

/// Fallback without that flag: resolves all links, checks, then opens.
fn open_checked(root: &Path, inner: &Path) -> Result<File, NoFile> {
    let found = |e: io::Error| match e.kind() {
        io::ErrorKind::NotFound => NoFile::Missing,
        _ => NoFile::Io(e),
    };
    let path = root.join(inner).canonicalize().map_err(found)?;
    let root = root.canonicalize().map_err(found)?;
    if path.starts_with(&root) && path.is_file() {
        File::open(&path).map_err(found)
    } else {
        Err(NoFile::Outside)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_lead_nowhere_outside() {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(base.path().join("secret"), "s").unwrap();
        fs::write(root.join("a"), "a").unwrap();
        symlink("a", root.join("inside")).unwrap();
        symlink("../secret", root.join("outside")).unwrap();
        symlink("/etc", root.join("etc")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        fs::create_dir(root.join("folder")).unwrap();
        let read = |path: &str| read_inside(&root, &root.join(path), 10);
        assert_eq!(read("a").unwrap(), b"a");
        assert_eq!(read("inside").unwrap(), b"a");
        for path in [
            "outside",
            "etc/passwd",
            "loop",
            "../secret",
            "folder/../../secret",
        ] {
            assert!(matches!(read(path), Err(NoFile::Outside)), "{path}");
        }
        for path in ["none", "folder", "a/b"] {
            assert!(matches!(read(path), Err(NoFile::Missing)), "{path}");
        }
        assert!(matches!(
            read_inside(&root, Path::new("/etc/passwd"), 10),
            Err(NoFile::Outside)
        ));
        fs::write(root.join("large"), "x".repeat(11)).unwrap();
        assert!(matches!(read("large"), Err(NoFile::TooLarge(11))));
        assert!(matches!(
            open_checked(&root, Path::new("outside")),
            Err(NoFile::Outside)
        ));
    }

    #[test]
    fn a_path_is_resolved_before_it_is_compared() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("root/sub")).unwrap();
        fs::write(base.join("root/a"), "").unwrap();
        fs::write(base.join("secret"), "").unwrap();
        symlink("../secret", base.join("root/link")).unwrap();
        symlink("nowhere", base.join("root/broken")).unwrap();
        let resolved = |path: &str| resolved(&base.join(path));
        assert_eq!(resolved("root/sub/../a"), Some(base.join("root/a")));
        assert_eq!(resolved("root/../secret"), Some(base.join("secret")));
        assert_eq!(resolved("root/link"), Some(base.join("secret")));
        assert_eq!(resolved("root/sub/../later"), Some(base.join("root/later")));
        for path in ["root/none/x", "root/broken", "root/none/..", "root/a/../a"] {
            assert_eq!(resolved(path), None, "{path}");
        }
    }

    #[test]
    fn a_root_may_be_a_file() {
        let base = tempfile::tempdir().unwrap();
        let file = base.path().join("a");
        fs::write(&file, "a").unwrap();
        assert_eq!(read_inside(&file, &file, 10).unwrap(), b"a");
        fs::write(base.path().join("b"), "b").unwrap();
        assert!(read_inside(&file, &base.path().join("b"), 10).is_err());
    }
}

//! Reads the `content_file` of a manifest, from the manifest's own folder only.
//!
//! A manifest may come from an untrusted source, and the files that it names become part of a file that is
//! passed on.

use std::path::{Path, PathBuf};

use super::read_bounded;
use super::roots::{Denied, Opened, Roots};
use crate::error::{BcpError, Result};

/// Reads files of `folder`, each up to a number of bytes; with `allow_outside`, other files too.
pub fn confined_reader(
    folder: &Path,
    allow_outside: bool,
) -> impl Fn(&str, u64) -> Result<Vec<u8>> {
    // `Path::parent` of a plain name is empty, which means the current folder.
    let folder = if folder.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        folder.to_owned()
    };
    move |name, limit| {
        let mut roots = Roots::default();
        roots.add(&folder).map_err(|e| denied(name, e.into()))?;
        if allow_outside {
            roots = roots.and_all_else();
        }
        let opened = roots.open(Path::new(name));
        let opened = opened.map_err(|why| denied(name, why))?;
        read_named(opened, name, limit)
    }
}

/// Reads a file that a manifest names, up to a number of bytes.
pub fn read_named(opened: Opened, name: &str, limit: u64) -> Result<Vec<u8>> {
    read_bounded(opened.file, opened.meta.len(), limit)
        .map_err(|e| denied(name, e.into()))?
        .ok_or_else(|| BcpError::NamedFileTooLarge {
            name: name.to_owned(),
            limit,
        })
}

fn denied(name: &str, denied: Denied) -> BcpError {
    BcpError::NamedFile {
        name: name.to_owned(),
        denied,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn read(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
        confined_reader(folder, false)(name, 100).map_err(|e| e.to_string())
    }

    #[test]
    fn files_of_the_folder_are_read() {
        let scratch = Scratch::new();
        scratch.file("m/src/a.rs", "fn a() {}");
        let folder = scratch.path().join("m");
        for name in ["src/a.rs", "./src/a.rs", "src/../src/a.rs", "../m/src/a.rs"] {
            assert_eq!(read(&folder, name).unwrap(), b"fn a() {}", "{name}");
        }
        let absolute = folder.join("src/a.rs");
        assert!(read(&folder, absolute.to_str().unwrap()).is_ok());
    }

    #[test]
    fn files_outside_are_read_only_with_allow_outside() {
        let scratch = Scratch::new();
        let outside = scratch.file("secret", "s");
        scratch.file("m-too/a", "s");
        scratch.file("m/a", "a");
        let folder = scratch.path().join("m");
        for name in ["../secret", "../m-too/a", outside.to_str().unwrap()] {
            let why = read(&folder, name).unwrap_err();
            assert!(why.contains("--allow-outside"), "{why}");
            assert_eq!(confined_reader(&folder, true)(name, 100).unwrap(), b"s");
        }
        let why = read(&folder, "../none").unwrap_err();
        assert!(why.contains("--allow-outside"), "{why}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_file_outside_is_refused() {
        use std::os::unix::fs::symlink;
        let scratch = Scratch::new();
        scratch.file("secret", "s");
        scratch.file("m/real", "r");
        let folder = scratch.path().join("m");
        symlink("../secret", folder.join("file")).unwrap();
        symlink("..", folder.join("folder")).unwrap();
        symlink("real", folder.join("inner")).unwrap();
        symlink("../nothing", folder.join("dangling")).unwrap();
        for name in ["file", "dangling", "folder/secret", "folder/nothing"] {
            let why = read(&folder, name).unwrap_err();
            assert!(why.contains("--allow-outside"), "{name}: {why}");
        }
        assert_eq!(read(&folder, "inner").unwrap(), b"r");
        // The path of the folder itself may contain a link.
        symlink("m", scratch.path().join("link")).unwrap();
        assert_eq!(read(&scratch.path().join("link"), "real").unwrap(), b"r");
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read() {
        let scratch = Scratch::new();
        scratch.fifo("fifo");
        for name in ["fifo", "."] {
            let why = read(scratch.path(), name).unwrap_err();
            assert!(why.contains("not a regular file"), "{why}");
        }
        let why = confined_reader(scratch.path(), true)("/dev/zero", 100).unwrap_err();
        let why = why.to_string();
        assert!(why.contains("not a regular file"), "{why}");
    }

    #[test]
    fn a_file_that_is_too_large_is_not_read() {
        let scratch = Scratch::new();
        scratch.file("fits", [b'x'; 100]);
        scratch.file("large", [b'x'; 101]);
        assert!(read(scratch.path(), "fits").is_ok());
        let why = read(scratch.path(), "large").unwrap_err();
        assert_eq!(why, "large has more than 100 bytes, which is the limit");
    }
}

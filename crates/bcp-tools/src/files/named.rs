//! `content_file` of a manifest: read, but only from the manifest's own folder.
//!
//! A manifest may come from somebody else; what it names goes into a file that is then handed on.

use std::io;
use std::path::{Path, PathBuf};

use super::confine::{Denied, Opened, Roots};
use super::read_bounded;

/// Reads files of `folder`, each up to a number of bytes. `allow_outside` also reads others.
pub(crate) fn confined_reader(
    folder: &Path,
    allow_outside: bool,
) -> impl Fn(&str, u64) -> Result<Vec<u8>, String> {
    // `Path::parent` of a plain name is empty, and means here.
    let folder = match folder.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => folder.to_owned(),
    };
    move |name, limit| {
        let mut roots = Roots::default();
        roots.add(&folder).map_err(|e| cannot_read(name, &e))?;
        if allow_outside {
            roots = roots.and_all_else();
        }
        let opened = roots.open(Path::new(name));
        let opened = opened.map_err(|denied| in_words(name, &denied))?;
        read_named(opened, name, limit)
    }
}

/// Reads a file that a manifest names, up to a number of bytes.
pub(crate) fn read_named(opened: Opened, name: &str, limit: u64) -> Result<Vec<u8>, String> {
    read_bounded(opened.file, opened.meta.len(), limit)
        .map_err(|e| cannot_read(name, &e))?
        .ok_or_else(|| format!("{name} has more than {limit} bytes, which is the limit"))
}

fn in_words(name: &str, denied: &Denied) -> String {
    match denied {
        Denied::Outside => format!(
            "{name} lies outside the manifest's folder; --allow-outside reads it all the same"
        ),
        Denied::Closed => format!("cannot read {name}: its folder is closed"),
        Denied::Folder | Denied::Special | Denied::Link => {
            format!("cannot read {name}: it is not a regular file")
        }
        Denied::Changed => format!("cannot read {name}: it changed while it was opened"),
        Denied::Io(e) => cannot_read(name, e),
    }
}

fn cannot_read(name: &str, e: &io::Error) -> String {
    match e.kind() {
        io::ErrorKind::NotFound => {
            format!("cannot read {name}: there is no such file, seen from the manifest's folder")
        }
        _ => format!("cannot read {name}: {e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bcp::scratch::Scratch;

    fn read(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
        confined_reader(folder, false)(name, 100)
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
    fn files_outside_are_read_only_if_that_is_allowed() {
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
    fn a_link_does_not_lead_out() {
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
        // The folder itself may be reached by a link.
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

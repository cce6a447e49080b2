//! Copies of configuration files, beside them. Writing files.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The number of copies that are kept of a file.
const MOST_BACKUPS: usize = 10;

/// A copy of a configuration file before a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// Its number; later copies have higher ones.
    pub number: u64,
    /// The copy.
    pub file: PathBuf,
    /// When the copy was made.
    pub time: Option<SystemTime>,
    /// Its length in bytes.
    pub length: u64,
}

/// The copies of a file, the latest first.
pub fn backups(file: &Path) -> Vec<Backup> {
    let (Some(folder), Some(name)) = (folder(file), file.file_name()) else {
        return Vec::new();
    };
    let start = format!("{}.linkspan-", name.to_string_lossy());
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<Backup> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let number = name.strip_prefix(&start)?.strip_suffix(".bak")?;
            let about = entry.metadata().ok().filter(Metadata::is_file)?;
            Some(Backup {
                number: number.parse().ok()?,
                file: entry.path(),
                time: about.modified().ok(),
                length: about.len(),
            })
        })
        .collect();
    found.sort_by_key(|backup| std::cmp::Reverse(backup.number));
    found
}

/// Copies the text of a file, with its permissions, and removes copies above the limit.
pub(crate) fn back_up(file: &Path, text: &str) -> io::Result<PathBuf> {
    let existing = backups(file);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let mut number = existing.first().map_or(0, |latest| latest.number);
    let (copy, out) = loop {
        number += 1;
        let copy = file.with_file_name(format!("{name}.linkspan-{number}.bak"));
        match new_file(&copy) {
            Ok(out) => break (copy, out),
            // Another process has just made it.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    };
    fill(out, text, Some(&fs::metadata(file)?))?;
    for old in existing.iter().skip(MOST_BACKUPS - 1) {
        let _ = fs::remove_file(&old.file);
    }
    Ok(copy)
}

/// Replaces the file atomically; it keeps its permissions and its owner.
pub(crate) fn replace(file: &Path, text: &str) -> io::Result<()> {
    if let Some(above) = folder(file) {
        fs::create_dir_all(above)?;
    }
    let original = fs::metadata(file).ok();
    if original
        .as_ref()
        .is_some_and(|about| about.permissions().readonly())
    {
        let why = "the file is read-only";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let draft = file.with_file_name(format!(".{name}.linkspan-{}", std::process::id()));
    let out = match &original {
        Some(_) => new_file(&draft)?,
        None => File::create_new(&draft)?,
    };
    let written = fill(out, text, original.as_ref()).and_then(|()| fs::rename(&draft, file));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

fn fill(mut out: File, text: &str, original: Option<&Metadata>) -> io::Result<()> {
    out.write_all(text.as_bytes())?;
    if let Some(about) = original {
        own(&out, about)?;
        out.set_permissions(about.permissions())?;
    }
    out.sync_all()
}

/// Gives the file the owner of the original, which is another one for root.
#[cfg(unix)]
fn own(out: &File, original: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let about = out.metadata()?;
    if (about.uid(), about.gid()) == (original.uid(), original.gid()) {
        return Ok(());
    }
    fchown(out, Some(original.uid()), Some(original.gid()))
}

#[cfg(not(unix))]
fn own(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

fn folder(file: &Path) -> Option<&Path> {
    let above = file.parent()?;
    if above.as_os_str().is_empty() {
        return Some(Path::new("."));
    }
    Some(above)
}

/// The file may contain secrets: other users must not read it before it has the permissions of the original.
fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_copies_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        fs::write(&file, "{}").unwrap();
        fs::write(folder.path().join("mcp.json.bak"), "the user's own").unwrap();
        for n in 0..MOST_BACKUPS + 3 {
            back_up(&file, &n.to_string()).unwrap();
        }
        let kept = backups(&file);
        let numbers: Vec<u64> = kept.iter().map(|backup| backup.number).collect();
        assert_eq!(numbers, (4..=13).rev().collect::<Vec<u64>>());
        assert_eq!(fs::read_to_string(&kept[0].file).unwrap(), "12");
        assert!(folder.path().join("mcp.json.bak").exists());
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept_and_a_read_only_file_is_not_replaced() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        fs::write(&file, "{}").unwrap();
        let set = |mode| fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        for mode in [0o600, 0o640, 0o664] {
            set(mode);
            let copy = back_up(&file, "{}").unwrap();
            replace(&file, "{ }").unwrap();
            for one in [&file, &copy] {
                assert_eq!(one.metadata().unwrap().mode() & 0o777, mode, "{one:?}");
            }
        }
        set(0o444);
        let error = replace(&file, "").unwrap_err();
        assert_eq!(error.to_string(), "the file is read-only");
        assert_eq!(fs::read_to_string(&file).unwrap(), "{ }");
    }
}

//! Removes socket folders of conductors that were killed together with their watchdog, or that had none on
//! their system.
//!
//! A conductor holds a lock in its folder until it ends; the system releases the lock however the conductor
//! ends. The process that gets the lock may therefore remove the folder.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

pub(super) const PREFIX: &str = "linkspan-";
pub(super) const LOCK: &str = "mcp.lock";
/// Entries that one sweep reads, and folders that it removes.
const MAX_READ: usize = 10_000;
const MAX_REMOVED: usize = 100;

/// Locks a folder until the file is dropped.
pub(super) fn lock(dir: &Path) -> io::Result<File> {
    let file = File::create_new(dir.join(LOCK))?;
    file.try_lock().map_err(io::Error::from)?;
    Ok(file)
}

/// Removes a folder with everything that a conductor creates there.
pub(super) fn remove(dir: &Path, socket: &str) {
    let _ = std::fs::remove_file(dir.join(socket));
    let _ = std::fs::remove_file(dir.join(LOCK));
    let _ = std::fs::remove_dir(dir);
}

/// Removes folders in `parent` whose conductor has ended.
pub(super) fn sweep(parent: &Path, socket: &str) {
    let Ok(entries) = std::fs::read_dir(parent) else {
        return;
    };
    let stale = entries.take(MAX_READ).filter_map(|entry| {
        let entry = entry.ok()?;
        let named = entry.file_name().to_str()?.starts_with(PREFIX);
        // The metadata of the entry itself: a link is not followed.
        let ours = named && entry.metadata().is_ok_and(|found| is_ours(&found));
        let lock = ours.then(|| stale_lock(&entry.path())).flatten()?;
        Some((entry.path(), lock))
    });
    for (dir, _lock) in stale.take(MAX_REMOVED) {
        tracing::debug!("{} was left behind", dir.display());
        remove(&dir, socket);
    }
}

fn is_ours(found: &Metadata) -> bool {
    let private = found.permissions().mode() & 0o777 == 0o700;
    found.is_dir() && private && found.uid() == rustix::process::geteuid().as_raw()
}

/// The lock of a folder whose conductor has ended. It is held until the folder is removed, so that no other
/// conductor locks it meanwhile. A folder without a lock file belongs to another program.
fn stale_lock(dir: &Path) -> Option<File> {
    let lock = File::open(dir.join(LOCK)).ok()?;
    lock.try_lock().is_ok().then_some(lock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::DirBuilderExt;

    fn folder(parent: &Path, name: &str) -> std::path::PathBuf {
        let dir = parent.join(name);
        std::fs::DirBuilder::new().mode(0o700).create(&dir).unwrap();
        dir
    }

    #[test]
    fn only_folders_of_ended_conductors_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let parent = parent.path();
        let (live, stale) = (folder(parent, "linkspan-1"), folder(parent, "linkspan-2"));
        let _held = lock(&live).unwrap();
        drop(lock(&stale).unwrap());
        std::fs::write(stale.join("s"), "").unwrap();
        let unlocked = folder(parent, "linkspan-3");
        let other = folder(parent, "other");
        drop(lock(&other).unwrap());
        let link = parent.join("linkspan-4");
        std::os::unix::fs::symlink(&other, &link).unwrap();
        sweep(parent, "s");
        assert!(!stale.exists());
        for kept in [live, unlocked, other, link] {
            assert!(kept.exists(), "{} is gone", kept.display());
        }
    }
}

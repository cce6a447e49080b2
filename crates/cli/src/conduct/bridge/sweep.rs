//! Folders of conductors that were killed where the watchdog could not remove them (it was killed too, or
//! there is none on this system).
//!
//! A conductor holds a lock in its folder for as long as it lives; the system lets go of it whatever
//! way the conductor ends. So who gets the lock may take the folder away.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

pub(super) const PREFIX: &str = "linkspan-";
pub(super) const LOCK: &str = "mcp.lock";
/// Entries that are looked at, and folders that are taken away, at one time.
const LOOK: usize = 10_000;
const TAKE: usize = 100;

/// Locks a folder of our own, until the file is dropped.
pub(super) fn lock(dir: &Path) -> io::Result<File> {
    let file = File::create_new(dir.join(LOCK))?;
    file.try_lock().map_err(io::Error::from)?;
    Ok(file)
}

/// Takes away a folder with everything that we put there.
pub(super) fn remove(dir: &Path, socket: &str) {
    let _ = std::fs::remove_file(dir.join(socket));
    let _ = std::fs::remove_file(dir.join(LOCK));
    let _ = std::fs::remove_dir(dir);
}

/// Takes away folders in `place` whose conductor is gone.
pub(super) fn sweep(place: &Path, socket: &str) {
    let Ok(entries) = std::fs::read_dir(place) else {
        return;
    };
    let dead = entries.take(LOOK).filter_map(|entry| {
        let entry = entry.ok()?;
        let named = entry.file_name().to_str()?.starts_with(PREFIX);
        // Of the entry itself: a link is not followed.
        let ours = named && entry.metadata().is_ok_and(|found| is_ours(&found));
        let lock = ours.then(|| dead(&entry.path())).flatten()?;
        Some((entry.path(), lock))
    });
    for (dir, _lock) in dead.take(TAKE) {
        tracing::debug!("{} was left behind", dir.display());
        remove(&dir, socket);
    }
}

fn is_ours(found: &Metadata) -> bool {
    let private = found.permissions().mode() & 0o777 == 0o700;
    found.is_dir() && private && found.uid() == rustix::process::geteuid().as_raw()
}

/// The lock of a folder, if nobody holds it. Kept until the folder is gone: a conductor that is about to
/// take it must not believe that it has. A folder without one is somebody else's business.
fn dead(dir: &Path) -> Option<File> {
    let lock = File::open(dir.join(LOCK)).ok()?;
    lock.try_lock().is_ok().then_some(lock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::DirBuilderExt;

    fn folder(place: &Path, name: &str) -> std::path::PathBuf {
        let dir = place.join(name);
        std::fs::DirBuilder::new().mode(0o700).create(&dir).unwrap();
        dir
    }

    #[test]
    fn only_folders_of_the_dead_are_taken_away() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path();
        let (living, dead) = (folder(place, "linkspan-1"), folder(place, "linkspan-2"));
        let _held = lock(&living).unwrap();
        drop(lock(&dead).unwrap());
        std::fs::write(dead.join("s"), "").unwrap();
        let unlocked = folder(place, "linkspan-3");
        let other = folder(place, "other");
        drop(lock(&other).unwrap());
        let link = place.join("linkspan-4");
        std::os::unix::fs::symlink(&other, &link).unwrap();
        sweep(place, "s");
        assert!(!dead.exists());
        for kept in [living, unlocked, other, link] {
            assert!(kept.exists(), "{} is gone", kept.display());
        }
    }
}

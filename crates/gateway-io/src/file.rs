//! Files that only their owner can read, and that several processes change.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Waits a limited time for a lock. The system releases it when the file is closed, or the process ends.
pub(crate) fn lock_within(file: &File, patience: Duration) -> io::Result<()> {
    let begun = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if begun.elapsed() >= patience => {
                let why = "another process has locked it for too long";
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(pause),
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Opens a file for reading and writing; makes it, and its folder, if there is none.
pub(crate) fn open_or_create(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        private_folder(DirBuilder::new().recursive(true)).create(folder)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = private_file(&mut options).open(path)?;
    regular(file)
}

/// The text of a file of at most `limit` bytes; `None` if there is no file.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Option<String>> {
    let file = match private_file(OpenOptions::new().read(true)).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => regular(opened?)?,
    };
    let mut text = String::new();
    file.take(limit + 1).read_to_string(&mut text)?;
    if text.len() as u64 > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Some(text))
}

/// Replaces a file whole: after a crash there is either the old text or the new one. The caller holds the lock that
/// belongs to the file, so one name is enough for the draft.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    // The target of a symbolic link is replaced, not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let draft = beside(&path, ".new");
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    let mut file = private_file(options.write(true).create_new(true)).open(&draft)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&draft, &path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written?;
    sync_folder(&path);
    Ok(())
}

/// The file with this at the end of its name.
pub(crate) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    let why = "it is not a regular file";
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

#[cfg(unix)]
fn private_file(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    // To open a FIFO without NONBLOCK waits for its other end; files are not changed by it.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    options.mode(0o600).custom_flags(flags)
}

#[cfg(not(unix))]
fn private_file(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(unix)]
fn private_folder(builder: &mut DirBuilder) -> &mut DirBuilder {
    use std::os::unix::fs::DirBuilderExt as _;
    builder.mode(0o700)
}

#[cfg(not(unix))]
fn private_folder(builder: &mut DirBuilder) -> &mut DirBuilder {
    builder
}

/// Makes a rename survive a power failure, where the system can.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let opened = cfg!(unix).then(|| File::open(folder.unwrap_or(Path::new("."))));
    let _ = opened.map(|folder| folder.and_then(|it| it.sync_all()));
}

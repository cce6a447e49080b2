//! Files that a thread of their own writes, to the end of our life but not beyond: whoever reads them may
//! be slow or, if it is a FIFO, not be there at all.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::exit::Failure;
use crate::record::private;

/// How long a writer may get nowhere when we want to end, and how long it may take at all.
const STILL: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(1);

/// Opens a file that only its owner can read, to write at its end.
pub(crate) fn open(path: &Path) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    private(&mut options);
    do_not_wait(&mut options);
    let opened = options.open(path).and_then(wait_in_writes);
    opened.map_err(|e| {
        let failure = Failure::usage(format!("cannot write {}: {e}", path.display()));
        match is_unread(&e) {
            true => failure.hint("no program reads from this pipe; start the reader first"),
            false => failure,
        }
    })
}

/// Waits until a thread has written what there is to write. `waiting` are the bytes that it has not
/// taken yet.
pub(crate) fn finish(writer: JoinHandle<()>, waiting: &AtomicUsize) {
    let begun = Instant::now();
    let (mut left, mut moved) = (waiting.load(Ordering::Relaxed), begun);
    while !writer.is_finished() {
        let now = waiting.load(Ordering::Relaxed);
        if now != left {
            (left, moved) = (now, Instant::now());
        }
        if moved.elapsed() > STILL || begun.elapsed() > LONGEST {
            return tracing::warn!(
                "{left} bytes or more were not written: the reader has stopped reading"
            );
        }
        thread::sleep(LOOK);
    }
    let _ = writer.join();
}

#[cfg(unix)]
fn do_not_wait(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    // To open a FIFO that nobody reads would take until somebody does.
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
}

#[cfg(not(unix))]
fn do_not_wait(_: &mut OpenOptions) {}

#[cfg(unix)]
fn wait_in_writes(file: File) -> std::io::Result<File> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    let flags = fcntl_getfl(&file)?;
    fcntl_setfl(&file, flags & !OFlags::NONBLOCK)?;
    Ok(file)
}

#[cfg(not(unix))]
fn wait_in_writes(file: File) -> std::io::Result<File> {
    Ok(file)
}

#[cfg(unix)]
fn is_unread(error: &std::io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::NXIO)
}

#[cfg(not(unix))]
fn is_unread(_: &std::io::Error) -> bool {
    false
}

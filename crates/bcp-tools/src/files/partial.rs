//! Files that are being written, and what becomes of them if we have to stop.
//!
//! Such a file has a name of its own next to its target, and takes the target's name when it is
//! whole. Its guard removes it if that does not happen. A signal would end us without any guard
//! being dropped, so the unfinished ones are known by name, and a thread that waits for signals
//! removes them. A file without a name (`O_TMPFILE`) would need no removing, but only Linux has
//! those, only on some file systems, and they cannot replace a file: the other way would have to
//! be there as well. What is left: SIGKILL, SIGQUIT and power cuts leave a hidden `.part` file.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::signals::Signals;

/// Locked while such a file is made, renamed or removed, so that a signal finds either all of it
/// or nothing.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file that is removed unless it is finished.
#[derive(Debug)]
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes a file next to `target`, with a name that nobody can foresee.
    pub(super) fn create(target: &Path, options: &mut OpenOptions) -> io::Result<(Self, File)> {
        let mut unfinished = unfinished();
        loop {
            let path = target.with_file_name(name(target)?);
            match options.write(true).create_new(true).open(&path) {
                Ok(file) => {
                    unfinished.insert(path.clone());
                    return Ok((Self(path), file));
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Gives it its target's name.
    pub(super) fn finish(self, target: &Path) -> io::Result<()> {
        let mut unfinished = unfinished();
        fs::rename(&self.0, target)?;
        unfinished.remove(&self.0);
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if unfinished().remove(&self.0) {
            let _ = fs::remove_file(&self.0);
        }
    }
}

fn name(target: &Path) -> io::Result<OsString> {
    let random = getrandom::u64().map_err(io::Error::other)?;
    let mut name = OsString::from(".");
    // Not all of a long name, or the new one would be too long.
    let stem: String = target
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .chars()
        .take(32)
        .collect();
    name.push(format!("{stem}.{random:016x}.part"));
    Ok(name)
}

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // A set of names is never half changed.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every file that is not finished. Whoever ends the process calls it first, because
/// guards on other threads are not dropped then.
pub(crate) fn remove_unfinished() {
    remove(&mut unfinished());
}

fn remove(unfinished: &mut BTreeSet<PathBuf>) {
    while let Some(path) = unfinished.pop_first() {
        let _ = fs::remove_file(path);
    }
}

/// From now on SIGINT, SIGTERM and SIGHUP remove what is not finished and end the process. For commands
/// that do one thing after the other; a server has its own way to stop.
pub(crate) fn clear_up_on_signals() {
    // Without it everything works, except that a signal leaves a `.part` file.
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    else {
        return;
    };
    let signals = {
        let _within = runtime.enter();
        Signals::listen()
    };
    let wait = move || {
        let exit = runtime.block_on(signals.stop());
        // Held until the end, so that nothing new is begun.
        let mut unfinished = unfinished();
        remove(&mut unfinished);
        std::process::exit(exit.code().into());
    };
    let _ = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait);
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::{Command, Stdio};

    use super::*;
    use crate::bcp::files::Output;
    use crate::bcp::scratch::Scratch;

    const TARGET: &str = "LINKSPAN_TEST_TARGET";

    #[test]
    fn a_signal_removes_what_is_not_finished() {
        for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
            // Started with `nohup`, or where we cannot know that, we do not listen.
            let deaf = !cfg!(target_os = "linux") || crate::signals::outlives_its_terminal();
            if signal == "HUP" && deaf {
                continue;
            }
            let scratch = Scratch::new();
            let target = scratch.file("ctx.bcp", "old");
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "--ignored", "--nocapture"])
                .arg("bcp::files::unfinished::tests::a_command_that_writes")
                .env(TARGET, &target)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            // Open until the end: waiting for the child would close it, and the child would go on.
            let _stdin = child.stdin.take();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            assert!(lines.any(|line| line.unwrap().ends_with("writing")));
            assert_eq!(scratch.names().len(), 2);
            let sent = Command::new("kill")
                .args(["-s", signal, &child.id().to_string()])
                .status();
            assert!(sent.unwrap().success());
            assert_eq!(child.wait().unwrap().code(), Some(code));
            assert_eq!(scratch.names(), ["ctx.bcp"]);
            assert_eq!(fs::read(target).unwrap(), b"old");
        }
    }

    /// Not a test but what the one above starts.
    #[test]
    #[ignore = "a part of another test"]
    fn a_command_that_writes() {
        let Some(target) = std::env::var_os(TARGET) else {
            return;
        };
        clear_up_on_signals();
        let mut output = Output::create(Path::new(&target)).unwrap();
        output.write_all(b"half of ").unwrap();
        writeln!(io::stdout(), "writing").unwrap();
        let _ = io::stdin().read(&mut [0]);
    }

    #[test]
    fn all_that_is_unfinished_can_be_removed_at_once() {
        let scratch = Scratch::new();
        let (a, b) = (scratch.file("a", ""), scratch.file("b", ""));
        remove(&mut BTreeSet::from([a, b, scratch.path().join("gone")]));
        assert!(scratch.names().is_empty());
    }
}

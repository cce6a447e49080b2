//! Cleans up if this process is killed: a shell that detects its end, ends the process groups that it started
//! and removes its folders.
//!
//! The watchdog idles as long as our children live, so its size matters. A shell that reads from a pipe has 0.1
//! MB of private memory; this program once more would have most of a megabyte, because the loader writes to
//! every page with a relocation. A parent death signal would cost nothing, but it needs a program between us
//! and every child, does not reach the server behind `npx`, and exists on Linux only. A fork would share most
//! memory, but look like this program in every process list.

use std::io::{self, PipeWriter, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::Signal;

use crate::child::Child;
use crate::command::{Command, spawn_beside};
use crate::descendants::beginning;

/// `+ NUMBER` adds a group and `- NUMBER` removes it; `/ NUMBER FILE:FILE PATH` adds a folder and `. NUMBER`
/// removes it. End of input means that the parent is gone. Then the script removes the named files and their
/// folders; groups have one second to react to the end of their own input, and one more after TERM. Last,
/// processes that left their group are found by their mark ([`crate::Descendants`]), whose prefix is the first
/// argument.
///
/// Each entry is a variable of its own, because there may be thousands, and a shell is slow with long strings.
const SCRIPT: &str = r#"while read -r how key files path; do
  case $how in
    +) eval "group_$key=+" ;;
    -) unset "group_$key" ;;
    /) eval "folder_$key=\$path files_$key=\$files" ;;
    .) unset "folder_$key" "files_$key" ;;
  esac
done
left=
for name in $(set | while IFS== read -r name value; do
  case $name in group_*|folder_*) echo "$name" ;; esac
done); do
  case $name in
    group_*) left="$left ${name#group_}" ;;
    folder_*) (
      eval "folder=\$$name files=\$files_${name#folder_}"
      IFS=:
      for file in $files; do rm -f -- "$folder/$file"; done
      rmdir -- "$folder"
    ) ;;
  esac
done
marked() {
  for round in 1 2 3 4 5; do
    found=$(grep -ls "LINKSPAN_CALL=$1" /proc/[0-9]*/environ)
    [ -n "$found" ] || return
    for file in $found; do
      one=${file#/proc/}
      kill -s KILL "${one%/environ}"
    done
  done
}
for signal in TERM KILL; do
  [ -n "$left" ] || break
  sleep 1
  rest=
  for one in $left; do kill -s "$signal" -- "-$one" && rest="$rest $one"; done
  left=$rest
done
marked "$1"
exit 0"#;

/// How often the end of the watchdog is polled, and the pause between two polls.
const MOST_LOOKS: u32 = 100;
const LOOK: Duration = Duration::from_micros(200);

/// The watchdog of this process; it runs only while there is something to clean up.
static SHARED: Mutex<Weak<SharedWatchdog>> = Mutex::new(Weak::new());

/// While this exists, a group or folder is cleaned up if this process is killed: see [`watch_over`] and
/// [`remove_after`].
#[derive(Debug)]
pub struct Watched {
    watchdog: Arc<SharedWatchdog>,
    /// The line that unregisters the entry when this is dropped.
    release: String,
}

#[derive(Debug)]
struct SharedWatchdog {
    /// The system closes it when this process ends.
    pipe: PipeWriter,
    _leash: Leash,
}

/// Kills the watchdog when it is dropped.
#[derive(Debug)]
struct Leash(Child);

/// Ends a process group if this process is killed before the result is dropped.
///
/// Blocks for about a millisecond if the watchdog has to be started. After the start of a program this costs no
/// time: the program itself needs longer to begin.
pub fn watch_over(group: u32) -> io::Result<Watched> {
    Watched::begin(&format!("+ {group}"), format!("- {group}"))
}

/// Removes these files in a folder, and then the folder if it is empty, if this process is killed before the
/// result is dropped. File names must have neither blanks nor colons.
///
/// Blocks as [`watch_over`] does.
pub fn remove_after(folder: &Path, files: &[&str]) -> io::Result<Watched> {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let is_name = |name: &&str| !name.is_empty() && !name.contains([' ', '\t', ':', '/', '\n']);
    let path = folder.to_str().filter(|path| !path.contains('\n'));
    let path = path.filter(|path| path.starts_with('/') && path.trim_end().len() == path.len());
    let (Some(path), true) = (path, !files.is_empty() && files.iter().all(is_name)) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let key = LAST.fetch_add(1, Ordering::Relaxed);
    let files = files.join(":");
    Watched::begin(&format!("/ {key} {files} {path}"), format!(". {key}"))
}

impl Watched {
    fn begin(line: &str, release: String) -> io::Result<Self> {
        let watchdog = SharedWatchdog::of_this_process()?;
        watchdog.tell(line);
        Ok(Self { watchdog, release })
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.watchdog.tell(&self.release);
    }
}

impl SharedWatchdog {
    fn of_this_process() -> io::Result<Arc<Self>> {
        let mut only = SHARED.lock();
        if let Some(watchdog) = only.upgrade() {
            return Ok(watchdog);
        }
        let watchdog = Arc::new(Self::start()?);
        *only = Arc::downgrade(&watchdog);
        Ok(watchdog)
    }

    fn start() -> io::Result<Self> {
        let (theirs, pipe) = io::pipe()?;
        // A stopped watchdog must not block this process.
        fcntl_setfl(&pipe, OFlags::NONBLOCK)?;
        let nowhere = || std::fs::OpenOptions::new().write(true).open("/dev/null");
        // It may inherit our descriptors: it ends shortly after this process.
        let child = spawn_beside(&Command {
            program: PathBuf::from("/bin/sh"),
            args: ["sh", "-c", SCRIPT, "linkspan-watchdog", beginning()]
                .map(Into::into)
                .into(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            cwd: PathBuf::from("/"),
            fds: vec![
                (OwnedFd::from(theirs), 0),
                (nowhere()?.into(), 1),
                (nowhere()?.into(), 2),
            ],
        })?;
        Ok(Self {
            pipe,
            _leash: Leash(child),
        })
    }

    fn tell(&self, line: &str) {
        // A line shorter than `PIPE_BUF` is written atomically. The error of a watchdog that has ended is
        // ignored.
        let _ = (&self.pipe).write_all(format!("{line}\n").as_bytes());
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        let _ = self.0.signal_group(Signal::KILL);
        // This process may be about to end, and its parent may not reap zombies.
        for _ in 0..MOST_LOOKS {
            match self.0.try_wait() {
                Ok(None) => std::thread::sleep(LOOK),
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::command::spawn;

    /// A program that ignores the end of its input, and TERM if `defiant`.
    fn stubborn(defiant: bool) -> Child {
        let null = || {
            std::fs::OpenOptions::new()
                .read(true)
                .write(true)
                .open("/dev/null")
        };
        let script = if defiant {
            "trap '' TERM; while :; do sleep 1; done"
        } else {
            "sleep 1000"
        };
        spawn(&Command {
            program: "/bin/sh".into(),
            args: ["sh", "-c", script].map(Into::into).into(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            cwd: "/".into(),
            fds: (0..3).map(|fd| (null().unwrap().into(), fd)).collect(),
        })
        .unwrap()
    }

    fn group(child: &Child) -> u32 {
        child.pid().unsigned_abs()
    }

    async fn signal(mut child: Child) -> Option<i32> {
        let ended = tokio::time::timeout(Duration::from_secs(30), child.wait()).await;
        ended.expect("it ends").unwrap().signal
    }

    /// Closes the pipe, as the system does when a process is killed.
    fn orphan(watchdog: SharedWatchdog) -> Leash {
        watchdog._leash
    }

    #[tokio::test]
    async fn groups_get_term_and_then_kill_after_our_end() {
        let watchdog = SharedWatchdog::start().unwrap();
        let (mild, defiant) = (stubborn(false), stubborn(true));
        let spared = stubborn(false);
        for child in [&mild, &spared, &defiant] {
            watchdog.tell(&format!("+ {}", group(child)));
        }
        watchdog.tell(&format!("- {}", group(&spared)));
        let mut watchdog = orphan(watchdog);
        let ended = tokio::join!(signal(mild), signal(defiant), watchdog.0.wait());
        assert_eq!(ended.0, Some(Signal::TERM.as_raw()));
        assert_eq!(ended.1, Some(Signal::KILL.as_raw()));
        assert_eq!(ended.2.unwrap().code, Some(0));
        let mut spared = spared;
        assert!(
            spared.try_wait().unwrap().is_none(),
            "this group was not registered"
        );
    }

    #[tokio::test]
    async fn the_watchdog_ends_at_once_without_groups() {
        let watchdog = SharedWatchdog::start().unwrap();
        let child = stubborn(false);
        watchdog.tell(&format!("+ {}", group(&child)));
        watchdog.tell(&format!("- {}", group(&child)));
        let ended = orphan(watchdog).0.wait().await.unwrap();
        assert_eq!(ended.code, Some(0));
    }

    #[tokio::test]
    async fn named_files_and_their_folders_are_removed() {
        let place = std::env::temp_dir().join(format!("linkspan dog $(x) {}", std::process::id()));
        let _ = std::fs::remove_dir_all(&place);
        let folder = |name: &str, files: &[&str]| {
            let dir = place.join(name);
            std::fs::create_dir_all(&dir).unwrap();
            for file in files {
                std::fs::write(dir.join(file), "").unwrap();
            }
            dir
        };
        let gone = folder("gone", &["s", "l"]);
        let spared = folder("spared", &["s"]);
        let shared = folder("shared", &["s", "other"]);
        let watchdog = SharedWatchdog::start().unwrap();
        for (key, dir) in [&gone, &spared, &shared].iter().enumerate() {
            watchdog.tell(&format!("/ {key} s:l {}", dir.display()));
        }
        watchdog.tell(". 1");
        let ended = orphan(watchdog).0.wait().await.unwrap();
        assert_eq!(ended.code, Some(0));
        assert!(!gone.exists());
        assert!(spared.join("s").exists(), "it was released");
        assert!(shared.join("other").exists() && !shared.join("s").exists());
        std::fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn a_folder_that_the_script_could_misread_is_refused() {
        for path in ["/tmp/a\nb", "relative", "/tmp/x ", ""] {
            assert!(remove_after(Path::new(path), &["s"]).is_err(), "{path:?}");
        }
        for file in ["", "a b", "a:b", "../x"] {
            assert!(
                remove_after(Path::new("/tmp/x"), &[file]).is_err(),
                "{file:?}"
            );
        }
    }

    #[test]
    fn all_groups_share_one_watchdog_and_none_runs_without_groups() {
        let first = watch_over(1 << 30).unwrap();
        let second = watch_over((1 << 30) + 1).unwrap();
        assert!(Arc::ptr_eq(&first.watchdog, &second.watchdog));
        drop((first, second));
        assert!(SHARED.lock().upgrade().is_none());
    }
}

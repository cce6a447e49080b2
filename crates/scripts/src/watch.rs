//! Watches a folder for changes.
//!
//! Uses inotify directly: crates for it also report every opening of a file, and tools are opened all the time.
//! Where inotify is unavailable, because there are too many folders or the files are on another machine, the
//! folder is polled every two seconds.

#[cfg(target_os = "linux")]
mod inotify;
mod tree;

use std::io::{self, PipeReader, PipeWriter};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use tree::fingerprint;

/// An editor that saves a file makes several changes; they count as one once it is quiet.
const QUIET: Duration = Duration::from_millis(120);
/// The longest wait for quiet: a file that is written without pause does not delay the event further.
const LONGEST: Duration = Duration::from_millis(500);
/// The polling interval where the system sends no events.
const INTERVAL: Duration = Duration::from_secs(2);

/// A watched folder, until this is dropped.
#[derive(Debug)]
pub struct Watch {
    /// Closed to end the thread.
    stop: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Watches a folder and calls `on_change` on a thread of its own for each change after this returns; read
    /// the folder afterwards to miss nothing.
    pub fn start(root: &Path, on_change: impl FnMut() + Send + 'static) -> io::Result<Self> {
        let (stopped, stop) = io::pipe()?;
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let watcher = Watcher {
            detector: ChangeDetector::on(&root),
            root,
            stopped,
            on_change,
        };
        let builder = thread::Builder::new().name("linkspan-watch".to_owned());
        let thread = builder.spawn(move || watcher.run())?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop = None;
        let Some(thread) = self.thread.take() else {
            return;
        };
        // A callback that stops the watch runs on that thread.
        if thread.thread().id() != thread::current().id() {
            let _ = thread.join();
        }
    }
}

/// How changes are detected.
enum ChangeDetector {
    /// By notifications of the system.
    #[cfg(target_os = "linux")]
    Inotify(inotify::FolderWatches),
    /// By polling; with the last fingerprint.
    Polling(u64),
}

impl ChangeDetector {
    fn on(root: &Path) -> Self {
        #[cfg(target_os = "linux")]
        match inotify::FolderWatches::about(root) {
            Ok(watches) => return Self::Inotify(watches),
            Err(error) => tracing::info!(%error, "no notifications; looking every two seconds"),
        }
        Self::Polling(fingerprint(root))
    }
}

struct Watcher<F> {
    detector: ChangeDetector,
    root: PathBuf,
    stopped: PipeReader,
    on_change: F,
}

/// Why waiting ended.
#[derive(PartialEq, Eq)]
enum Woken {
    Stopped,
    Ready,
    Late,
}

impl<F: FnMut()> Watcher<F> {
    fn run(mut self) {
        loop {
            match self.wait(None) {
                Woken::Stopped => return,
                Woken::Ready | Woken::Late => {}
            }
            if !self.has_changed() {
                continue;
            }
            if self.settle() == Woken::Stopped {
                return;
            }
            // New folders are watched first: later changes in them are events, and the callback below finds the
            // files that existed before.
            self.detector = match std::mem::replace(&mut self.detector, ChangeDetector::Polling(0))
            {
                #[cfg(target_os = "linux")]
                ChangeDetector::Inotify(watches) => match watches.renewed(&self.root) {
                    Some(watches) => ChangeDetector::Inotify(watches),
                    None => ChangeDetector::on(&self.root),
                },
                ChangeDetector::Polling(_) => ChangeDetector::on(&self.root),
            };
            (self.on_change)();
        }
    }

    /// Waits until it has been quiet for a moment.
    fn settle(&mut self) -> Woken {
        let end = Instant::now() + LONGEST;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.wait(Some(left.min(QUIET))) {
                Woken::Stopped => return Woken::Stopped,
                Woken::Late => return Woken::Late,
                Woken::Ready if left.is_zero() => return Woken::Late,
                Woken::Ready => {
                    self.has_changed();
                }
            }
        }
    }

    /// Reads the pending changes; `true` if any is relevant.
    fn has_changed(&mut self) -> bool {
        match &mut self.detector {
            #[cfg(target_os = "linux")]
            ChangeDetector::Inotify(watches) => watches.take(),
            ChangeDetector::Polling(before) => {
                let now = fingerprint(&self.root);
                std::mem::replace(before, now) != now
            }
        }
    }

    fn wait(&self, most: Option<Duration>) -> Woken {
        let mut fds = vec![PollFd::new(&self.stopped, PollFlags::IN)];
        let most = match &self.detector {
            #[cfg(target_os = "linux")]
            ChangeDetector::Inotify(watches) => {
                fds.push(PollFd::new(watches, PollFlags::IN));
                most
            }
            ChangeDetector::Polling(_) => Some(most.unwrap_or(INTERVAL)),
        };
        let timeout = most.map(|most| Timespec {
            tv_sec: most.as_secs().cast_signed(),
            tv_nsec: most.subsec_nanos().into(),
        });
        loop {
            return match poll(&mut fds, timeout.as_ref()) {
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => Woken::Stopped,
                // The other end is closed.
                Ok(_) if !fds[0].revents().is_empty() => Woken::Stopped,
                Ok(0) => Woken::Late,
                Ok(_) => Woken::Ready,
            };
        }
    }
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;

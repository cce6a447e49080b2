//! A running program, which is ended with all its descendants when the guard is dropped.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_spawn::{Child, Command, Descendants, Signal, Status};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::runner::Runner;
use super::streams::Streams;
use super::temp_files::TempFiles;
use crate::os::UnixStream;

/// How long a killed program may take to die.
pub(super) const DEAD: Duration = Duration::from_secs(5);

/// Dropping it while the program runs marks the call as cancelled, then sends TERM, then KILL.
pub(crate) struct Guard {
    pub(super) child: Option<Child>,
    /// Its descendants.
    descendants: Option<Descendants>,
    /// Its output; read until its end, so that a closed pipe does not kill it.
    pub(super) streams: Option<Streams>,
    runner: Arc<Runner>,
    pub(crate) marker: String,
    grace: Duration,
    cancel: PathBuf,
    pub(crate) temp_files: TempFiles,
    /// Dropped last.
    pub(crate) kept: Option<Box<dyn Send + Sync>>,
    /// The control channel, if the tool has one.
    pub(crate) control: Option<Arc<UnixStream>>,
    /// Whether the program is being ended already.
    ending: bool,
    _alive: Option<mpsc::Sender<()>>,
}

/// The values for a new guard.
pub(crate) struct Begin {
    pub(crate) runner: Arc<Runner>,
    pub(crate) marker: String,
    pub(crate) grace: Duration,
    /// The path of the file that exists once the call is cancelled.
    pub(crate) cancel: PathBuf,
}

impl Begin {
    /// Starts a program in a task of its own: if the caller is dropped meanwhile, the program is running and
    /// must be ended by its guard.
    pub(crate) async fn start(
        self,
        command: Command,
        no_new_privs: bool,
        complete: impl FnOnce(&mut Guard) + Send + 'static,
    ) -> io::Result<Guard> {
        let Self {
            runner,
            marker,
            grace,
            cancel,
        } = self;
        let alive = runner.alive();
        runner.watch_over().await;
        let starting = tokio::spawn(async move {
            let mut guard = Guard {
                child: None,
                descendants: Some(Descendants::with_mark(marker.clone())),
                streams: None,
                marker,
                grace,
                cancel,
                temp_files: TempFiles::default(),
                kept: None,
                control: None,
                ending: false,
                _alive: alive,
                runner,
            };
            complete(&mut guard);
            guard.temp_files.files.push(guard.cancel.clone());
            let child = guard.runner.spawner.spawn(command, no_new_privs).await?;
            guard.child = Some(child);
            Ok(guard)
        });
        starting.await.map_err(io::Error::other)?
    }
}

impl Guard {
    /// Resolves when the program has ended. Its descendants may still run.
    pub(crate) async fn wait(&mut self) -> io::Result<Status> {
        ended(&mut self.child).await
    }

    pub(crate) fn grace(&self) -> Duration {
        self.grace
    }

    /// Sends TERM.
    pub(crate) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Kills the program and its group.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        if let Some(child) = &self.child {
            // The program may have ended already.
            let _ = child.signal_group(signal);
        }
    }

    /// Creates the file that tells the tool of the cancellation.
    pub(crate) fn mark_cancelled(&self) {
        if let Err(e) = std::fs::write(&self.cancel, b"") {
            tracing::debug!("cannot notify the tool of its cancellation: {e}");
        }
        if let Some(control) = &self.control {
            // The line break ends a partially written line.
            let _ = control.try_write(b"\n{\"method\":\"cancel\"}\n");
        }
    }

    /// Cleans up after the end of the program: kills its descendants.
    pub(crate) async fn clear(mut self) {
        self.kill();
        self.child = None;
        self.sweep().await;
        if let Some(last) = self.descendants.take().filter(|all| !all.are_gone()) {
            // An orphan without a mark, and no other program runs that it could descend from.
            let _ = tokio::task::spawn_blocking(|| last.end()).await;
        }
        std::mem::take(&mut self.temp_files).remove().await;
    }

    pub(crate) async fn sweep(&self) {
        let swept = self.runner.spawner.sweep(&self.marker).await;
        if swept.killed > 0 {
            tracing::info!("{} processes were left behind and ended", swept.killed);
        }
    }

    async fn listen_to_the_end(&mut self) {
        let (child, streams) = (&mut self.child, &mut self.streams);
        tokio::select! {
            _ = ended(child) => {}
            never = drain(streams) => match never {},
        }
    }

    async fn end(mut self) {
        self.mark_cancelled();
        self.terminate();
        if timeout(self.grace, self.listen_to_the_end()).await.is_err() {
            self.kill();
            let _ = timeout(DEAD, self.wait()).await;
        }
        self.clear().await;
    }
}

/// Resolves when a program has ended.
pub(super) async fn ended(child: &mut Option<Child>) -> io::Result<Status> {
    match child {
        Some(child) => child.wait().await,
        None => std::future::pending().await,
    }
}

/// Reads and discards output without end.
async fn drain(streams: &mut Option<Streams>) -> std::convert::Infallible {
    match streams {
        Some(streams) => loop {
            streams.read().await;
        },
        None => std::future::pending().await,
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // A runtime that shuts down drops new tasks at once, which would run this again.
        if self.child.is_none() || self.ending {
            // Kills the rest of the group.
            self.child = None;
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let whole = Self {
            child: self.child.take(),
            descendants: self.descendants.take(),
            streams: self.streams.take(),
            runner: self.runner.clone(),
            marker: std::mem::take(&mut self.marker),
            grace: self.grace,
            cancel: std::mem::take(&mut self.cancel),
            temp_files: std::mem::take(&mut self.temp_files),
            kept: self.kept.take(),
            control: self.control.take(),
            ending: true,
            _alive: self._alive.take(),
        };
        runtime.spawn(whole.end());
    }
}

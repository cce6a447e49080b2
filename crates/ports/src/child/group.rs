//! The process group of a child, and how it is ended.

use std::process::ExitStatus;

use linkspan_spawn::{Descendants, Watched, watch_over};
use tokio::process::Child;
use tokio::time::timeout;

use super::GRACE;

/// Kills a process group when it is dropped.
pub(super) struct Group {
    id: Option<u32>,
    /// Processes that have left the group.
    descendants: Option<Descendants>,
    /// If we are killed ourselves.
    _watched: Option<Watched>,
}

impl Group {
    pub(super) fn new(id: Option<u32>, descendants: Descendants) -> Self {
        let watched = id.map(watch_over).transpose();
        let watched = watched.inspect_err(|e| {
            tracing::debug!("if linkspan is killed, its children will keep running: {e}");
        });
        Self {
            id,
            descendants: Some(descendants),
            _watched: watched.ok().flatten(),
        }
    }

    /// Kills the rest of the group, then the processes that have left it.
    pub(super) async fn end(mut self) {
        signal_group(self.id, Signal::Kill);
        let Some(descendants) = self.descendants.take() else {
            return;
        };
        if descendants.are_gone() {
            return;
        }
        let swept = tokio::task::spawn_blocking(|| descendants.end()).await;
        if let Some(swept) = swept.ok().filter(|swept| swept.killed > 0) {
            tracing::info!(
                "{} processes had left their group and were ended",
                swept.killed
            );
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        signal_group(self.id, Signal::Kill);
    }
}

/// Waits for the child to exit, and sends SIGTERM, then SIGKILL, to its group if it does not.
pub(super) async fn reap(child: &mut Child) -> Option<ExitStatus> {
    let group = child.id();
    let mut status = timeout(GRACE, child.wait()).await.ok();
    if status.is_none() {
        signal_group(group, Signal::Term);
        status = timeout(GRACE, child.wait()).await.ok();
    }
    if status.is_none() {
        signal_group(group, Signal::Kill);
        status = timeout(GRACE, child.wait()).await.ok();
    }
    status.and_then(Result::ok)
}

#[derive(Clone, Copy)]
enum Signal {
    Term,
    Kill,
}

#[cfg(unix)]
fn signal_group(group: Option<u32>, signal: Signal) {
    use rustix::process::{Pid, kill_process_group};
    let signal = match signal {
        Signal::Term => rustix::process::Signal::TERM,
        Signal::Kill => rustix::process::Signal::KILL,
    };
    let pid = group.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    if let Some(pid) = pid {
        // Fails only if the group is already empty.
        let _ = kill_process_group(pid, signal);
    }
}

#[cfg(not(unix))]
fn signal_group(_: Option<u32>, _: Signal) {}

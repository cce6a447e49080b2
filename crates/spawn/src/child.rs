//! A process that we started.

use std::io;
use std::os::fd::OwnedFd;
use std::thread;

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, getpgid, kill_process, kill_process_group,
    waitid,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::oneshot;

use crate::registry;
use crate::status::Status;

/// A process that we started, and the group that it leads.
///
/// It stays a zombie after its end until this is dropped, so that [`Child::signal_group`] never signals an
/// unrelated group. Dropping it kills the rest of the group without waiting for it to end.
#[derive(Debug)]
pub struct Child {
    pid: Pid,
    end: End,
}

/// How its end is noticed.
#[derive(Debug)]
enum End {
    Pidfd(OwnedFd),
    Polled(AsyncFd<OwnedFd>),
    /// There are no pidfds on this system.
    Unwatched,
    Watched(oneshot::Receiver<io::Result<Status>>),
    Over(Status),
}

impl Child {
    /// Takes charge of a process that is in the registry. If that fails the process is gone.
    pub(crate) fn new(pid: Pid) -> io::Result<Self> {
        let mut this = Self {
            pid,
            end: End::Unwatched,
        };
        #[cfg(target_os = "linux")]
        match rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
            Ok(pidfd) => this.end = End::Pidfd(pidfd),
            // Before Linux 5.3, or forbidden by a filter that is older than that.
            Err(Errno::NOSYS | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(this)
    }

    /// The number of the process and of its group.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw_pid()
    }

    /// Waits for the end of the process. Others of its group may still run. May be dropped and called
    /// again; must be called within a runtime that has IO.
    pub async fn wait(&mut self) -> io::Result<Status> {
        if let Some(status) = self.try_wait()? {
            return Ok(status);
        }
        self.end = match std::mem::replace(&mut self.end, End::Unwatched) {
            End::Pidfd(pidfd) => End::Polled(polled(pidfd)?),
            End::Unwatched => End::Watched(watch(self.pid)?),
            end => end,
        };
        let status = match &mut self.end {
            End::Polled(pidfd) => loop {
                let mut ready = pidfd.readable().await?;
                match look(self.pid)? {
                    Some(status) => break status,
                    None => ready.clear_ready(),
                }
            },
            End::Watched(end) => end.await.map_err(io::Error::other)??,
            End::Over(status) => *status,
            End::Pidfd(_) | End::Unwatched => unreachable!("replaced above"),
        };
        self.end = End::Over(status);
        Ok(status)
    }

    /// How the process ended, if it did.
    pub fn try_wait(&mut self) -> io::Result<Option<Status>> {
        if let End::Over(status) = &self.end {
            return Ok(Some(*status));
        }
        let Some(status) = look(self.pid)? else {
            return Ok(None);
        };
        self.end = End::Over(status);
        Ok(Some(status))
    }

    /// Sends a signal to the process and its group, also after its own end. An empty group is no error.
    pub fn signal_group(&self, signal: Signal) -> io::Result<()> {
        // It may have joined another group, even ours. A signal other than SIGKILL should arrive once; killing
        // twice does no harm, and covers a change of group after the check.
        let elsewhere = || getpgid(Some(self.pid)).is_ok_and(|group| group != self.pid);
        if signal == Signal::KILL || elsewhere() {
            let _ = kill_process(self.pid, signal);
        }
        match kill_process_group(self.pid, signal) {
            // macOS says that of groups in which all are dead.
            Err(Errno::PERM) if !cfg!(target_os = "linux") => Ok(()),
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// As on a system that has no pidfds.
    #[cfg(test)]
    pub(crate) fn without_pidfd(mut self) -> Self {
        self.end = End::Unwatched;
        self
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // The leader is not reaped yet, so that the number is still its group's.
        let _ = self.signal_group(Signal::KILL);
        registry::reap(self.pid);
    }
}

/// How the process ended, if it did; it stays a zombie.
fn look(pid: Pid) -> io::Result<Option<Status>> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    Ok(waitid(WaitId::Pid(pid), options)?.map(status))
}

fn polled(pidfd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open until it is dropped and always the same; the `AsyncFd` owns it, and
    // never gives it away.
    unsafe { AsyncFd::register_with_interest(pidfd, Interest::READABLE) }.map_err(io::Error::from)
}

/// Waits on a thread, for systems without pidfds. The thread ends with the process, which a dropped
/// `Child` kills.
fn watch(pid: Pid) -> io::Result<oneshot::Receiver<io::Result<Status>>> {
    let (say, end) = oneshot::channel();
    thread::Builder::new()
        .name("linkspan-wait".into())
        .stack_size(64 << 10)
        .spawn(move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            let ended = loop {
                match waitid(WaitId::Pid(pid), options) {
                    Ok(Some(ended)) => break Ok(status(ended)),
                    Ok(None) | Err(Errno::INTR) => {}
                    Err(error) => break Err(error.into()),
                }
            };
            // The receiver is gone if the `Child` was dropped.
            let _ = say.send(ended);
        })?;
    Ok(end)
}

fn status(ended: WaitIdStatus) -> Status {
    Status {
        code: ended.exit_status(),
        signal: ended.terminating_signal(),
    }
}

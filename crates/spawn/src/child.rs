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

/// A process that we started, and the leader of its group.
///
/// It stays a zombie after its end until this is dropped, so [`Child::signal_group`] never signals an unrelated
/// group. Dropping it kills the rest of the group without waiting for it to end.
#[derive(Debug)]
pub struct Child {
    pid: Pid,
    end: End,
}

/// How the end of the process is detected.
#[derive(Debug)]
enum End {
    Pidfd(OwnedFd),
    Polled(AsyncFd<OwnedFd>),
    /// The system has no pidfds; a thread waits instead.
    Unwatched,
    Watched(oneshot::Receiver<io::Result<Status>>),
    Over(Status),
}

impl Child {
    /// Takes ownership of a registered process. On failure the process is killed and reaped.
    pub(crate) fn new(pid: Pid) -> io::Result<Self> {
        let mut this = Self {
            pid,
            end: End::Unwatched,
        };
        #[cfg(target_os = "linux")]
        match rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
            Ok(pidfd) => this.end = End::Pidfd(pidfd),
            // Before Linux 5.3, or refused by an older seccomp filter.
            Err(Errno::NOSYS | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(this)
    }

    /// The pid, which is also the process group id.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw_pid()
    }

    /// Waits for the end of the process; others of its group may still run. Cancel-safe. Must run in a runtime
    /// with IO.
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

    /// The exit status, if the process has ended.
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

    /// Sends a signal to the process and its group, also after the process has ended. An empty group is no
    /// error.
    pub fn signal_group(&self, signal: Signal) -> io::Result<()> {
        // The process may have joined another group, even ours. SIGKILL twice is harmless, and covers a change
        // of group after the check; other signals are sent once.
        let elsewhere = || getpgid(Some(self.pid)).is_ok_and(|group| group != self.pid);
        if signal == Signal::KILL || elsewhere() {
            let _ = kill_process(self.pid, signal);
        }
        match kill_process_group(self.pid, signal) {
            // macOS returns EPERM for a group whose members are all dead.
            Err(Errno::PERM) if !cfg!(target_os = "linux") => Ok(()),
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// As on a system without pidfds.
    #[cfg(test)]
    pub(crate) fn without_pidfd(mut self) -> Self {
        self.end = End::Unwatched;
        self
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // The leader is not reaped yet, so the id still belongs to its group.
        let _ = self.signal_group(Signal::KILL);
        registry::reap(self.pid);
    }
}

/// The exit status, if the process has ended; it stays a zombie.
fn look(pid: Pid) -> io::Result<Option<Status>> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    Ok(waitid(WaitId::Pid(pid), options)?.map(status))
}

fn polled(pidfd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` stays open and unchanged until it is dropped; the `AsyncFd` owns it and never hands
    // it out.
    unsafe { AsyncFd::register_with_interest(pidfd, Interest::READABLE) }.map_err(io::Error::from)
}

/// Waits on a thread, for systems without pidfds. Dropping the `Child` kills the process, which ends the
/// thread.
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
            // The send fails if the `Child` was dropped.
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

//! SIGINT, SIGTERM and SIGHUP. SIGQUIT is left alone: who sends it wants us to drop everything.

use std::pin::Pin;

use crate::exit::Exit;

/// Something besides signals that ends us.
type End = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Listens from the moment it is made, so that no signal meets the default of dying at once.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: Option<tokio::signal::unix::Signal>,
    terminate: Option<tokio::signal::unix::Signal>,
    hang_up: Option<tokio::signal::unix::Signal>,
    end: Option<End>,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self {
            interrupt: signal(SignalKind::interrupt()).ok(),
            terminate: signal(SignalKind::terminate()).ok(),
            hang_up: match outlives_its_terminal() {
                true => None,
                false => signal(SignalKind::hangup()).ok(),
            },
            end: None,
        }
    }

    /// We also stop, with exit code 0, when this resolves.
    pub(crate) fn or(mut self, end: impl Future<Output = ()> + Send + 'static) -> Self {
        self.end = Some(Box::pin(end));
        self
    }

    /// Resolves when we are asked to stop, with the exit code for it.
    pub(crate) async fn stop(mut self) -> Exit {
        let (Some(interrupt), Some(terminate)) = (&mut self.interrupt, &mut self.terminate) else {
            return std::future::pending().await;
        };
        let hang_up = async {
            match &mut self.hang_up {
                Some(hang_up) => _ = hang_up.recv().await,
                None => std::future::pending().await,
            }
        };
        let end = async {
            match &mut self.end {
                Some(end) => end.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = interrupt.recv() => Exit::Interrupted,
            _ = terminate.recv() => Exit::Terminated,
            () = hang_up => Exit::HungUp,
            () = end => Exit::Ok,
        }
    }
}

/// Whether we were started to go on when the terminal is gone (`nohup`): then SIGHUP is ignored, and
/// to listen to it would end that.
#[cfg(target_os = "linux")]
pub(crate) fn outlives_its_terminal() -> bool {
    const SIGHUP: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & SIGHUP != 0)
}

/// The same on systems that do not tell: `nohup` leaves no terminal to any of these.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn outlives_its_terminal() -> bool {
    use std::io::{IsTerminal, stderr, stdin, stdout};
    !stdin().is_terminal() && !stdout().is_terminal() && !stderr().is_terminal()
}

/// Listens for Ctrl-C.
#[cfg(not(unix))]
#[derive(Default)]
pub(crate) struct Signals {
    end: Option<End>,
}

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn listen() -> Self {
        Self::default()
    }

    /// We also stop, with exit code 0, when this resolves.
    pub(crate) fn or(self, end: impl Future<Output = ()> + Send + 'static) -> Self {
        Self {
            end: Some(Box::pin(end)),
        }
    }

    /// Resolves when we are asked to stop, with the exit code for it.
    pub(crate) async fn stop(self) -> Exit {
        let end = async {
            match self.end {
                Some(end) => end.await,
                None => std::future::pending().await,
            }
        };
        let interrupted = async {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = interrupted => Exit::Interrupted,
            () = end => Exit::Ok,
        }
    }
}

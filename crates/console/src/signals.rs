//! SIGINT, SIGTERM and SIGHUP. SIGQUIT keeps its default, which ends the process at once.

use std::pin::Pin;

/// Why the program stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Its work is over.
    Done,
    /// SIGINT, or Ctrl-C.
    Interrupted,
    /// SIGTERM.
    Terminated,
    /// SIGHUP: the terminal was closed.
    HungUp,
}

/// A condition besides signals that ends the program.
type End = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Listens for signals from its creation on, so that they do not end the process at once.
pub struct Signals {
    received: Received,
    end: Option<End>,
}

impl Signals {
    /// Begins to listen.
    #[must_use]
    pub fn listen() -> Self {
        Self {
            received: Received::listen(),
            end: None,
        }
    }

    /// The program is also done when this resolves.
    #[must_use]
    pub fn or(mut self, end: impl Future<Output = ()> + Send + 'static) -> Self {
        self.end = Some(Box::pin(end));
        self
    }

    /// Resolves when the program has to stop.
    pub async fn stop(self) -> Stop {
        let end = async {
            match self.end {
                Some(end) => end.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            stop = self.received.next() => stop,
            () = end => Stop::Done,
        }
    }
}

/// Calls `then` on a thread of its own when a signal arrives, for a program without a runtime. From here on, signals do
/// not end the process at once, unless the thread cannot be started.
pub fn when_stopped(then: impl FnOnce(Stop) + Send + 'static) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else {
        return;
    };
    let signals = {
        let _within = runtime.enter();
        Signals::listen()
    };
    let wait = move || then(runtime.block_on(signals.stop()));
    let _ = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait);
}

/// The signals of the system.
#[cfg(unix)]
struct Received {
    interrupt: Option<tokio::signal::unix::Signal>,
    terminate: Option<tokio::signal::unix::Signal>,
    hang_up: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Received {
    fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let on_hang_up = (!outlives_its_terminal()).then(SignalKind::hangup);
        Self {
            interrupt: signal(SignalKind::interrupt()).ok(),
            terminate: signal(SignalKind::terminate()).ok(),
            hang_up: on_hang_up.and_then(|kind| signal(kind).ok()),
        }
    }

    async fn next(self) -> Stop {
        let wait = async |signal: Option<tokio::signal::unix::Signal>| match signal {
            Some(mut signal) => _ = signal.recv().await,
            None => std::future::pending().await,
        };
        tokio::select! {
            () = wait(self.interrupt) => Stop::Interrupted,
            () = wait(self.terminate) => Stop::Terminated,
            () = wait(self.hang_up) => Stop::HungUp,
        }
    }
}

/// Whether the program was started with `nohup`: then SIGHUP is ignored, and a handler would change that.
#[cfg(target_os = "linux")]
pub fn outlives_its_terminal() -> bool {
    const SIGHUP: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & SIGHUP != 0)
}

/// The same on systems without `/proc`: with `nohup`, none of these is a terminal.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn outlives_its_terminal() -> bool {
    use std::io::{IsTerminal, stderr, stdin, stdout};
    !stdin().is_terminal() && !stdout().is_terminal() && !stderr().is_terminal()
}

/// Ctrl-C.
#[cfg(not(unix))]
struct Received;

#[cfg(not(unix))]
impl Received {
    fn listen() -> Self {
        Self
    }

    async fn next(self) -> Stop {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Stop::Interrupted
    }
}

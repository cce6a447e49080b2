//! One run of a program: starts it within its limits, reads its output, and ends it with all its descendants.

pub(crate) mod argv;
pub(crate) mod capture;
#[cfg_attr(not(unix), path = "run/no_channel.rs")]
pub(crate) mod channel;
pub(crate) mod clock;
pub(crate) mod control;
mod conversation;
pub(crate) mod env;
pub(crate) mod guard;
mod kinds;
pub(crate) mod observer;
pub(crate) mod outbox;
mod process;
pub(crate) mod result;
mod runner;
pub(crate) mod spill;
mod streams;
pub(crate) mod temp_files;
pub(crate) mod throttle;
#[cfg_attr(not(unix), path = "run/no_watchdog.rs")]
pub(crate) mod watchdog;

pub use process::{Ended, Job, Outcome, Stdin, run};
pub(crate) use runner::RunnerOptions;
pub use runner::{Busy, RunPermit, Runner};

/// A name that cannot be guessed: 128 random bits in hexadecimal.
pub fn random_name() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // Without a source of randomness the name is still unique on this machine.
        static LAST: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let last = LAST.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        bytes[..8].copy_from_slice(&last.to_be_bytes());
        bytes[8..12].copy_from_slice(&std::process::id().to_be_bytes());
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// JSON without line breaks. In valid JSON they are white space.
pub fn on_one_line(json: &str) -> std::borrow::Cow<'_, str> {
    if json.contains(['\r', '\n']) {
        json.replace(['\r', '\n'], "").into()
    } else {
        json.into()
    }
}

//! One run of a program: started within its bounds, listened to, ended with everything it began.

pub(crate) mod argv;
pub(crate) mod call_observer;
pub(crate) mod capture;
pub(crate) mod channel;
pub(crate) mod clock;
pub(crate) mod control;
mod conversation;
pub(crate) mod env;
pub(crate) mod guard;
mod kinds;
pub(crate) mod outbox;
mod process;
pub(crate) mod result;
mod runner;
pub(crate) mod spill;
mod streams;
pub(crate) mod temp_files;
pub(crate) mod throttle;
pub(crate) mod watchdog;

pub(crate) use process::{Ended, Job, Outcome, Stdin, run};
pub(crate) use runner::{Runner, RunnerOptions};

/// A name that nobody guesses.
pub(crate) fn random_name() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // Without randomness there is still no other name like it.
        static LAST: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let last = LAST.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        bytes[..8].copy_from_slice(&last.to_be_bytes());
        bytes[8..12].copy_from_slice(&std::process::id().to_be_bytes());
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// JSON without line breaks. In valid JSON they are white space.
pub(crate) fn on_one_line(json: &str) -> std::borrow::Cow<'_, str> {
    match json.contains(['\r', '\n']) {
        true => json.replace(['\r', '\n'], "").into(),
        false => json.into(),
    }
}

//! A program that runs to its end, within a limit.

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use linkspan_testkit::end_within;

use crate::log;

const LIMIT: Duration = Duration::from_secs(60);

/// Runs the command and returns its output; a failure fails the test.
pub fn run(name: &str, command: &mut Command) -> String {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log::file(name))
        .spawn()
        .unwrap_or_else(|error| panic!("{name} does not start: {error}"));
    let mut stdout = child.stdout.take().expect("its output is piped");
    let reader = thread::spawn(move || {
        let mut text = String::new();
        let _ = stdout.read_to_string(&mut text);
        text
    });
    let Some(status) = end_within(LIMIT, &mut child) else {
        panic!("{name} has not finished after {LIMIT:?}; see .peers/logs");
    };
    let text = reader.join().expect("reading does not panic");
    assert!(
        status.success(),
        "{name}: {status}; see .peers/logs; it printed: {text}"
    );
    text
}

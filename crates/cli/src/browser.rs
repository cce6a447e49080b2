//! The user's browser, started without our secrets in its environment.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::environment::{own_program, secret_variables};

/// How long an answer is waited for. Some browsers keep the caller waiting until their window is closed.
const PATIENCE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(20);

/// Opens a page, by a process of ours whose environment the browser inherits. Returns whether a browser was started.
pub(crate) fn open(url: &str) -> bool {
    let Ok(program) = own_program() else {
        return false;
    };
    let mut command = Command::new(program);
    // Every user of the machine can read arguments.
    command.args(["auth", "browser"]).stdin(Stdio::piped());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    for name in secret_variables() {
        command.env_remove(name);
    }
    let Ok(mut child) = command.spawn() else {
        return false;
    };
    if let Some(mut stdin) = child.stdin.take() {
        // One that has ended already says so by its status.
        let _ = stdin.write_all(url.as_bytes());
    }
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if start.elapsed() < PATIENCE => sleep(LOOK),
            Ok(None) | Err(_) => return true,
        }
    }
}

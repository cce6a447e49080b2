//! Runs a command to its end: bytes in, bytes out.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use crate::LIMIT;
use crate::wait::found_within;

/// Runs a command with that stdin.
///
/// # Panics
/// When it does not start, or does not end within [`LIMIT`].
#[track_caller]
pub fn run(command: &mut Command, stdin: impl Into<Vec<u8>>) -> Output {
    run_watched(command, stdin, |_| ())
}

/// The same; `watch` is called with the process id while it runs.
///
/// # Panics
/// As [`run`] does.
#[track_caller]
pub fn run_watched(
    command: &mut Command,
    stdin: impl Into<Vec<u8>>,
    mut watch: impl FnMut(u32),
) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let stdout = collect(child.stdout.take().expect("stdout is piped"));
    let stderr = collect(child.stderr.take().expect("stderr is piped"));
    let (mut input, bytes) = (child.stdin.take().expect("stdin is piped"), stdin.into());
    // Many commands never read stdin, and one that fails may stop in the middle.
    let writer = thread::spawn(move || drop(input.write_all(&bytes)));
    let pid = child.id();
    let ended = found_within(LIMIT, || {
        watch(pid);
        child.try_wait().expect("the child is ours")
    });
    let status = ended.or_else(|| end_within(Duration::ZERO, &mut child));
    let status = status.unwrap_or_else(|| panic!("it never ended: {command:?}"));
    writer.join().expect("writing does not panic");
    // A process that the command left behind may hold the pipes.
    let rest = |from: Receiver<Vec<u8>>| {
        let all = from.recv_timeout(LIMIT);
        all.unwrap_or_else(|_| panic!("the output of {command:?} never ended"))
    };
    Output {
        status,
        stdout: rest(stdout),
        stderr: rest(stderr),
    }
}

fn collect(mut from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let mut all = Vec::new();
        from.read_to_end(&mut all).expect("a pipe can be read");
        let _ = sender.send(all);
    });
    receiver
}

/// Ends a process as a supervisor does: with SIGTERM, so that it can end its own children, then with SIGKILL.
#[cfg(unix)]
pub fn terminate(limit: Duration, child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process};
    // The process may have exited already.
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
    end_within(limit, child);
}

/// Waits for a process to exit. If it does not in that time, it is killed, and the result is `None`.
///
/// # Panics
/// When it is not a child that can be waited for.
pub fn end_within(limit: Duration, child: &mut Child) -> Option<ExitStatus> {
    let ended = found_within(limit, || {
        child.try_wait().expect("a child can be waited for")
    });
    if ended.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    ended
}

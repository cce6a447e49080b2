//! Child processes, each with a time limit.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::pipe::Pipe;
use crate::tree;

/// The output of a child, and how it ended.
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    pub ended: Result<(), String>,
}

/// Runs the command on our own terminal; an error says how it ended.
pub fn run(command: &mut Command, limit: Duration) -> Result<(), String> {
    println!("$ {}", shown(command));
    let mut child = spawn(command.stdin(Stdio::null()))?;
    wait(&mut child, limit)
}

/// Runs the command and returns its standard output; an error contains the end of the output.
pub fn capture(command: &mut Command, limit: Duration) -> Result<String, String> {
    let Output {
        stdout,
        stderr,
        ended,
    } = output(command, limit)?;
    match ended {
        Ok(()) => Ok(stdout),
        Err(why) => Err(format!(
            "{why}: {}",
            last_lines(&format!("{stdout}\n{stderr}"))
        )),
    }
}

/// Runs the command and returns all its output; an error means that it did not start.
pub fn output(command: &mut Command, limit: Duration) -> Result<Output, String> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = spawn(command)?;
    let stdout = child.stdout.take().map(Pipe::read);
    let stderr = child.stderr.take().map(Pipe::read);
    let ended = wait(&mut child, limit);
    let text = |pipe: Option<Pipe>| pipe.map(Pipe::text).unwrap_or_default();
    Ok(Output {
        stdout: text(stdout),
        stderr: text(stderr),
        ended,
    })
}

fn spawn(command: &mut Command) -> Result<Child, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    command
        .spawn()
        .map_err(|error| format!("`{name}` does not start: {error}"))
}

fn wait(child: &mut Child, limit: Duration) -> Result<(), String> {
    let end = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(status.to_string()),
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(20)),
            Ok(None) => {
                tree::kill(child);
                return Err(format!("not finished after {} s", limit.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn last_lines(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let last: Vec<&str> = lines.rev().take(2).collect();
    last.into_iter().rev().collect::<Vec<_>>().join(" | ")
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_child_over_its_limit_is_killed_with_its_descendants() {
        let start = Instant::now();
        let late = output(
            &mut sh("sh -c 'sleep 50; true' & echo on; wait"),
            Duration::from_millis(300),
        );
        let late = late.unwrap();
        assert_eq!(late.stdout, "on\n");
        assert_eq!(late.ended, Err("not finished after 0 s".to_owned()));
        // A descendant that lived on would hold the pipe for the whole grace period.
        assert!(start.elapsed() < Duration::from_secs(2));
    }

    #[test]
    fn a_failure_carries_the_end_of_what_was_printed() {
        let failed = capture(
            &mut sh("echo one; echo two; echo three >&2; exit 7"),
            Duration::from_secs(9),
        );
        assert_eq!(failed, Err("exit status: 7: two | three".to_owned()));
    }
}

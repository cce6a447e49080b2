//! The programs of the demo, found by their names and shown as a user types them.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use crate::{child, paths};

/// The width of a terminal.
const COLUMNS: usize = 80;
const STEP: Duration = Duration::from_secs(30);

/// A command of the demo, in `folder`.
fn command(words: &[&str], folder: &Path) -> Command {
    let built = paths::built();
    let program = built
        .join(words[0])
        .with_extension(std::env::consts::EXE_EXTENSION);
    let mut command = Command::new(program);
    command
        .args(&words[1..])
        .current_dir(folder)
        .env("PATH", path(&built));
    command
}

/// `PATH` with the built programs, so that commands can be shown without folders.
fn path(built: &Path) -> OsString {
    let before = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(built.to_owned()).chain(std::env::split_paths(&before));
    std::env::join_paths(folders).unwrap_or(before)
}

/// Shows a command and the first `most` lines of its output, which must contain `part`.
pub fn show(words: &[&str], folder: &Path, most: usize, part: &str) -> Result<(), String> {
    println!("  $ {}", typed(words));
    let printed = child::capture(&mut command(words, folder), STEP)?;
    print(&printed, most);
    contains(&printed, part)
}

/// Fails if a text lacks what the scene says to look at.
pub fn contains(text: &str, part: &str) -> Result<(), String> {
    let found = text.contains(part).then_some(());
    found.ok_or_else(|| format!("`{part}` is not in the output:\n{text}"))
}

/// The first `most` lines of a text, indented, none longer than the terminal is wide.
pub fn print(text: &str, most: usize) {
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().take(most) {
        println!("  {}", cut(line));
    }
    if lines.len() > most {
        println!("  … {} lines more", lines.len() - most);
    }
}

fn cut(line: &str) -> String {
    let room = COLUMNS - 3;
    match line.char_indices().nth(room) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// The words of a command in shell syntax, wrapped where they are too long.
pub fn typed(words: &[&str]) -> String {
    let mut text = String::new();
    let mut column = "  $ ".len();
    for word in words {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,".contains(c);
        let word = if word.chars().all(is_plain) {
            (*word).to_owned()
        } else {
            format!("'{word}'")
        };
        if column + word.chars().count() + 3 > COLUMNS {
            text.push_str("\\\n      ");
            column = 6;
        }
        column += word.chars().count() + 1;
        text.push_str(&word);
        text.push(' ');
    }
    text.trim_end().to_owned()
}

/// A program with a dialogue, one line at a time. It ends when this is dropped.
pub struct Talk {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Talk {
    pub fn start(words: &[&str]) -> Result<Self, String> {
        let mut child = command(words, &paths::root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("`{}` does not start: {error}", words[0]))?;
        let stdout = child.stdout.take().ok_or("stdout is piped")?;
        let (tx, lines) = sync_channel(16);
        thread::spawn(move || {
            let mut read = BufReader::new(stdout).lines().map_while(Result::ok);
            while read.next().is_some_and(|line| tx.send(line).is_ok()) {}
        });
        Ok(Self {
            stdin: child.stdin.take(),
            child,
            lines,
        })
    }

    pub fn say(&mut self, line: &str) -> Result<(), String> {
        let stdin = self.stdin.as_mut().ok_or("stdin is piped")?;
        writeln!(stdin, "{line}").map_err(|error| error.to_string())
    }

    pub fn hear(&mut self) -> Result<String, String> {
        let line = self.lines.recv_timeout(STEP);
        line.map_err(|error| format!("no line of output: {error}"))
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // Programs of the demo exit with their stdin; one that does not is killed.
        drop(self.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_is_typed() {
        assert_eq!(
            typed(&["linkspan", "call", "a", "{}"]),
            "linkspan call a '{}'"
        );
    }

    #[test]
    fn a_scene_without_what_it_shows_fails() {
        assert_eq!(contains("a 0.10 b", "0.10"), Ok(()));
        assert!(contains("a 0.1 b", "0.10").is_err());
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let long = ["linkspan", &"a".repeat(40), &"b".repeat(40)];
        let lines = typed(&long);
        assert!(
            lines.lines().all(|line| line.chars().count() < COLUMNS - 4),
            "{lines}"
        );
        assert_eq!(cut(&"é".repeat(100)).chars().count(), COLUMNS - 2);
    }
}

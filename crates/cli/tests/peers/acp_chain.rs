//! A chain: an editor that sends one prompt, a conductor, components, and an agent at its end.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use linkspan_testkit::end_within;

use crate::{installed, log};

/// The editor has no limit of its own: it waits for ever if a session cannot be opened.
const LIMIT: Duration = Duration::from_secs(60);
/// Limits the output that a failure shows.
const SHOWN: u64 = 64 * 1024;

/// The agent's answer to a sad prompt.
pub const COMFORT: &str = "Can you explain what made you sad?";

/// The chain behind the editor, as words of a command line.
pub struct Chain(Vec<String>);

impl Chain {
    /// The conductor under test with these components, and the agent.
    pub fn of(components: &[&str]) -> Self {
        Self::with(&[], components)
    }

    /// The same, with flags of our own conductor.
    pub fn with(flags: &[&str], components: &[&str]) -> Self {
        let mut words = installed::conductor();
        words.extend(flags.iter().map(|one| (*one).to_owned()));
        Self::behind(words, components)
    }

    /// One of the installed conductors with these components, and the agent.
    pub fn of_their(conductor: &str, components: &[&str]) -> Self {
        Self::behind(vec![program(conductor), "agent".to_owned()], components)
    }

    fn behind(mut words: Vec<String>, components: &[&str]) -> Self {
        words.extend(components.iter().map(|one| (*one).to_owned()));
        words.push(agent());
        Self(words)
    }

    /// The agent's answer to a prompt, as the editor prints it.
    pub fn says(&self, prompt: &str) -> String {
        let mut editor = Command::new(installed::acp("yopo"));
        editor.arg(prompt).arg("--").args(&self.0);
        let said = run(&mut editor).unwrap_or_else(|why| panic!("{why}: {:?}", self.0));
        said.trim().to_owned()
    }
}

/// Our component on the official crate: `pass`, `arrow` or `tool`.
pub fn v5(kind: &str) -> String {
    format!("{} {kind}", program("acp5"))
}

/// The same on its version 2, whose MCP servers have connections.
pub fn v2(kind: &str) -> String {
    format!("{} {kind}", program("acp2"))
}

/// The same with the previous generation.
pub fn sacp11(kind: &str) -> String {
    format!("{} {kind}", program("acp11"))
}

/// A chain of components as one component, by a conductor within the conductor.
pub fn nested(conductor: &[String], components: &[&str]) -> String {
    let quoted = components.iter().map(|one| format!("'{one}'"));
    let words = conductor.iter().cloned().chain(quoted);
    words.collect::<Vec<_>>().join(" ")
}

/// An installed program, as a word of a component.
pub fn program(name: &str) -> String {
    let path = installed::acp(name);
    path.to_str()
        .expect("the paths of tests are text")
        .to_owned()
}

fn agent() -> String {
    format!("{} --deterministic acp", program("elizacp"))
}

fn run(command: &mut Command) -> Result<String, String> {
    let left = Left::new(command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log::file("acp"))
        .spawn()
        .map_err(|error| format!("the editor does not start: {error}"))?;
    let stdout = child.stdout.take().expect("its output is piped");
    let reader = thread::spawn(move || {
        let mut text = String::new();
        let _ = stdout.take(SHOWN).read_to_string(&mut text);
        text
    });
    let ended = wait(&mut child);
    // Before further reading: the rest of the chain may hold the pipe.
    drop(left);
    let text = reader.join().expect("reading does not panic");
    match ended {
        Ok(()) => Ok(text),
        Err(why) => Err(format!("{why}; see .peers/logs; it printed: {text}")),
    }
}

fn wait(child: &mut Child) -> Result<(), String> {
    match end_within(LIMIT, child) {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(status.to_string()),
        None => Err(format!("no answer after {LIMIT:?}")),
    }
}

/// The processes that a chain leaves behind. The editor kills its conductor, and the agent does not exit when its input
/// ends: other conductors leave it running, and our watchdog takes two seconds. The processes are recognized by a
/// variable that they all inherit.
struct Left(String);

impl Left {
    fn new(first: &mut Command) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let value = format!("{}-{number}", std::process::id());
        first.env("LINKSPAN_CHAIN", &value);
        Self(format!("LINKSPAN_CHAIN={value}"))
    }

    fn pids(&self) -> Vec<String> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries
            .filter(|entry| {
                let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
                let mut variables = environment.split(|byte| *byte == 0);
                variables.any(|one| one == self.0.as_bytes())
            })
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
            .collect()
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        // Ends when two scans find no process: a process that is being killed may be starting another, and during exec
        // a process has no environment to be recognized by.
        let mut quiet = 0;
        for _ in 0..100 {
            let pids = self.pids();
            quiet = if pids.is_empty() { quiet + 1 } else { 0 };
            if quiet == 2 {
                return;
            }
            if !pids.is_empty() {
                let _ = Command::new("sh")
                    .args(["-c", "kill -KILL \"$@\"", "sh"])
                    .args(pids)
                    .stderr(Stdio::null())
                    .status();
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

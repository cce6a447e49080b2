//! A person's machine in a sign-in: a state folder, a browser, and the processes of linkspan.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use linkspan_testkit::{Bridge, Message, wait_within};
use serde_json::Value;
use tempfile::TempDir;

use crate::{installed, once};

/// A sign-in starts several programs, on a machine that is busy with other tests.
const LIMIT: Duration = Duration::from_secs(60);

pub struct Machine {
    folder: TempDir,
    browser: PathBuf,
    more: Vec<(String, String)>,
}

impl Machine {
    /// With a browser script that fills in every form.
    pub fn new() -> Self {
        Self::with_browser("login.mjs")
    }

    /// With another of our scripts as the browser.
    pub fn with_browser(script: &str) -> Self {
        Self {
            folder: TempDir::new().expect("a temporary folder can be made"),
            browser: installed::npm_script(script),
            more: Vec::new(),
        }
    }

    /// Sets a further variable of the environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.more.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The environment of a process on this machine.
    pub fn environment(&self) -> Vec<(String, String)> {
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let path = std::env::var("PATH").unwrap_or_default();
        let bin = text(installed::folder().join("bin"));
        let mut environment = vec![
            ("PATH".to_owned(), format!("{bin}:{path}")),
            ("BROWSER".to_owned(), text(self.browser.clone())),
            ("LOGIN_LOG".to_owned(), text(self.log())),
            ("LINKSPAN_STATE".to_owned(), text(self.state())),
            // For the bridge that LINKSPAN_BRIDGE may put in our place.
            ("MCP_REMOTE_CONFIG_DIR".to_owned(), text(self.state())),
        ];
        environment.extend(self.more.iter().cloned());
        environment
    }

    /// The bridge to a URL, before the handshake.
    pub fn start(&self, url: &str, flags: &[&str]) -> Bridge {
        self.launch(&Self::words(url, flags))
    }

    /// Any bridge, before the handshake.
    pub fn launch(&self, words: &[String]) -> Bridge {
        let mut launch = Bridge::launch(&words[0]).args(&words[1..]);
        for (name, value) in self.environment() {
            launch = launch.env(&name, &value);
        }
        let mut bridge = launch.start();
        bridge.set_limit(LIMIT);
        bridge
    }

    /// The bridge to a URL, for a client that has shaken hands.
    pub fn connect(&self, url: &str, flags: &[&str]) -> Bridge {
        let bridge = self.start(url, flags);
        bridge.initialize("2025-11-25");
        bridge
    }

    /// The words of the bridge, with flags.
    pub fn words(url: &str, flags: &[&str]) -> Vec<String> {
        let mut words = installed::bridge(url);
        let last = words.len() - 1;
        words.splice(last..last, flags.iter().map(|flag| (*flag).to_owned()));
        words
    }

    /// Runs a command of linkspan to its end; returns its output.
    pub fn run(&self, words: &[&str]) -> String {
        let mut command = Command::new(installed::linkspan());
        command.args(words).envs(self.environment());
        once::run(words[0], &mut command)
    }

    /// The URLs that a browser was opened with.
    pub fn opened(&self) -> Vec<String> {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// The folder that `linkspan` keeps its state in.
    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("browsers.log")
    }
}

/// Polls until `look` returns a value, with the limit of a sign-in.
pub fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    wait_within(LIMIT, what, look)
}

/// The text that a tool gave.
pub fn text(answer: &Message) -> String {
    let answer = answer.json();
    let text = &answer["result"]["content"][0]["text"];
    match text {
        Value::String(text) => text.clone(),
        _ => panic!("no text in {answer}"),
    }
}

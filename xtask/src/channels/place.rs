//! An installed program, and what it must be able to do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::setup::Setup;
use crate::child;
use crate::report::Outcome;

/// The first start under Wine makes its folder, which takes a minute.
const LIMIT: Duration = Duration::from_secs(5 * 60);
const SAID: &str = "carried over";

/// How the program is started: the first words of a command line, and its environment.
pub struct Place {
    words: Vec<OsString>,
    env: Vec<(&'static str, OsString)>,
    folder: Option<PathBuf>,
}

impl Place {
    pub fn new(words: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
            env: Vec::new(),
            folder: None,
        }
    }

    pub fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// The folder that it is started in.
    pub fn within(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Version, `tools`, `call`, and `connect` with a client that we did not write.
    pub fn check(&self, setup: &Setup) -> Outcome {
        self.try_out(setup).into()
    }

    fn try_out(&self, setup: &Setup) -> Result<(), String> {
        let url = setup.url.as_str();
        let version = format!("linkspan {}", setup.version);
        self.says(setup, &version, &["--version"])?;
        self.says(setup, "echo", &["tools", url])?;
        let argument = format!("message={SAID}");
        self.says(setup, SAID, &["call", "echo", &argument, url])?;
        let mut client = self.prepared(setup, Command::new(&setup.node))?;
        client.arg(setup.peers.join("channel.mjs")).arg(SAID);
        said(SAID, client.args(&self.words).args(["connect", url]))
    }

    fn says(&self, setup: &Setup, text: &str, args: &[&str]) -> Result<(), String> {
        let mut words = self.words.iter();
        let program = words.next().ok_or("there is no program")?;
        let mut command = self.prepared(setup, Command::new(program))?;
        said(text, command.args(words).args(args))
    }

    /// In an environment of its own, without our home and our variables.
    fn prepared(&self, setup: &Setup, mut command: Command) -> Result<Command, String> {
        let home = setup.home()?;
        command.env_clear().env("HOME", &home).current_dir(&home);
        command.env("PATH", setup.path_with(&setup.node));
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        Ok(command)
    }
}

/// Runs a command whose output must contain a text.
pub fn said(text: &str, command: &mut Command) -> Result<(), String> {
    println!(
        "{} {:?}",
        command.get_program().to_string_lossy(),
        command.get_args().collect::<Vec<_>>()
    );
    let output = child::capture(command, LIMIT)?;
    if output.contains(text) {
        return Ok(());
    }
    Err(format!("`{text}` is not in its output: {output}"))
}

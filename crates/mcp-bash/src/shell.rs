//! Runs a project's own scripts in a shell, with limits.
//!
//! These functions block; call them on a blocking thread.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::os::CommandExt;
use linkspan_scripts::host::{Start, Trust};

/// What every script finds.
const PRELUDE: &str = include_str!("hooks-prelude.sh");

const BASH: &str = "bash";

/// Poll interval for the end of a script.
const LOOK: Duration = Duration::from_millis(2);

/// A script of a project.
pub struct Script<'a> {
    /// The mode: see the prelude.
    pub mode: &'a str,
    /// Arguments, beginning with the script.
    pub words: Vec<OsString>,
    /// The complete environment.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory.
    pub cwd: &'a Path,
    /// Its stdin.
    pub input: Vec<u8>,
    /// Time limit.
    pub timeout: Duration,
    /// Output limit.
    pub most: usize,
    /// Whether a shell that other users can write is run nevertheless.
    pub accept_writable: bool,
}

/// The records that a script reported, and how it ended.
#[derive(Debug)]
pub struct Ran {
    /// The reported records: names and values.
    pub said: Vec<(String, String)>,
    /// The end of its stderr.
    pub stderr: String,
    /// Whether it timed out.
    pub late: bool,
    /// Whether it exceeded the output limit.
    pub too_much: bool,
}

impl Ran {
    /// The last value reported under a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut said = self.said.iter().rev();
        said.find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Runs a script and waits for it. Kills the rest of its process group afterwards.
pub fn run(script: &Script<'_>) -> io::Result<Ran> {
    let mut child = Command::new(trusted_bash(script)?)
        .arg0(BASH)
        .args([
            "--noprofile",
            "--norc",
            "-c",
            PRELUDE,
            "linkspan",
            script.mode,
        ])
        .args(&script.words)
        .env_clear()
        .envs(
            script
                .env
                .iter()
                .filter(|(name, _)| name != OsStr::new("BASH_ENV"))
                .cloned(),
        )
        .current_dir(script.cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let input = script.input.clone();
        thread::spawn(move || stdin.write_all(&input));
    }
    let most = script.most;
    let out = child
        .stdout
        .take()
        .map(|out| thread::spawn(move || read(out, most)));
    let err = child
        .stderr
        .take()
        .map(|err| thread::spawn(move || read(err, most)));
    let late = wait(&mut child, Instant::now() + script.timeout)?;
    let out = out.and_then(|t| t.join().ok()).unwrap_or_default();
    let err = err.and_then(|t| t.join().ok()).unwrap_or_default();
    Ok(Ran {
        too_much: out.len() > most,
        said: pairs(&out),
        stderr: String::from_utf8_lossy(&err).into_owned(),
        late,
    })
}

/// The path of bash, if it is trusted. It is looked up in the `PATH` of the script, like every program.
fn trusted_bash(script: &Script<'_>) -> io::Result<PathBuf> {
    let start = Start {
        words: &[BASH.into()],
        env: &script.env,
        cwd: script.cwd,
    };
    let trust = Trust::new(script.accept_writable);
    let bash = start.program()?;
    let checked = trust.program(&bash, start, script.cwd);
    checked.map_err(|error| io::Error::new(io::ErrorKind::PermissionDenied, error.to_string()))?;
    Ok(bash)
}

/// Waits for the end or the deadline, then kills the process group.
fn wait(child: &mut Child, until: Instant) -> io::Result<bool> {
    let late = loop {
        if child.try_wait()?.is_some() {
            break false;
        }
        if Instant::now() >= until {
            break true;
        }
        thread::sleep(LOOK);
    };
    // The pipes stay open while a process of the group holds them.
    crate::os::kill_group(child.id());
    if late {
        let _ = child.wait();
    }
    Ok(late)
}

/// Reads slightly more than `most`, to detect an excess.
fn read(from: impl Read, most: usize) -> Vec<u8> {
    let mut all = Vec::new();
    let _ = from.take(most as u64 + 1).read_to_end(&mut all);
    all
}

fn pairs(out: &[u8]) -> Vec<(String, String)> {
    let mut texts = out
        .split(|&b| b == 0)
        .map(|t| String::from_utf8_lossy(t).into_owned());
    let mut pairs = Vec::new();
    while let (Some(name), Some(value)) = (texts.next(), texts.next()) {
        pairs.push((name, value));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script<'a>(mode: &'a str, file: &Path, cwd: &'a Path) -> Script<'a> {
        Script {
            mode,
            words: vec![file.into()],
            env: vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())],
            cwd,
            input: Vec::new(),
            timeout: Duration::from_secs(20),
            most: 1 << 20,
            accept_writable: false,
        }
    }

    #[test]
    fn an_endless_script_is_killed_with_its_group() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("register.sh");
        std::fs::write(&file, "sleep 60 & sleep 60\n").unwrap();
        let mut script = script("register", &file, root.path());
        script.timeout = Duration::from_millis(100);
        let ran = run(&script).unwrap();
        assert!(ran.late);
    }

    #[test]
    fn stdout_is_separate_from_the_records() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("register.sh");
        let text = "echo noise\nmcp_register_tool '{\"a\":\n1}'\nmcp_register_tool ''\nexit 3\n";
        std::fs::write(&file, text).unwrap();
        let ran = run(&script("register", &file, root.path())).unwrap();
        assert_eq!(ran.get("tools"), Some("{\"a\":\n1}"));
        assert_eq!(ran.said.iter().filter(|(k, _)| k == "tools").count(), 1);
        assert_eq!(ran.get("printed"), Some("noise"));
        assert_eq!(ran.get("status"), Some("3"));
    }
}

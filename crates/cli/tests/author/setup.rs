//! A folder for each test, in which the binary runs.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use linkspan_testkit::run;
use serde_json::Value;

/// A temporary folder. `home` in it is the home folder of the processes.
pub struct Workspace {
    pub root: PathBuf,
}

impl Workspace {
    pub fn new(name: &str) -> Self {
        let name = format!("author-{name}-{}", std::process::id());
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&root);
        make(&root.join("home"));
        Self { root }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// A file that other users cannot write, with any umask.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        make(path.parent().expect("it lies in the folder"));
        fs::write(&path, text).expect("a file can be written");
        mode(&path, 0o644);
    }

    /// Writes an executable file.
    pub fn program(&self, name: &str, text: &str) {
        self.write(name, text);
        mode(&self.path(name), 0o755);
    }

    /// Runs the binary in this folder.
    pub fn run(&self, args: &[&str]) -> Ran {
        self.runs(args).end()
    }

    pub fn runs(&self, args: &[&str]) -> Run<'_> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkspan"));
        command.args(args).current_dir(&self.root);
        for name in ["CLICOLOR_FORCE", "NO_COLOR", "TERM", "COLUMNS", "DEBUG"] {
            command.env_remove(name);
        }
        command.env_remove("XDG_CONFIG_HOME").env_remove("TMPDIR");
        command.env("HOME", self.root.join("home"));
        Run {
            workspace: self,
            command,
            stdin: String::new(),
        }
    }

    /// Every file below a folder, sorted, with `*` behind what can be executed.
    pub fn files(&self, name: &str) -> Vec<String> {
        let top = self.path(name);
        let mut found = Vec::new();
        let mut folders = vec![top.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder can be read") {
                let path = entry.expect("a folder can be read").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let mark = if is_program(&path) { "*" } else { "" };
                let path = path
                    .strip_prefix(&top)
                    .expect("it lies below")
                    .display()
                    .to_string();
                found.push(path + mark);
            }
        }
        found.sort();
        found
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn make(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder can be made");
    mode(folder, 0o755);
}

#[cfg(unix)]
pub fn mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
}

#[cfg(not(unix))]
pub fn mode(_: &Path, _: u32) {}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().expect("it is there").permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_program(_: &Path) -> bool {
    false
}

/// A run that has not started yet.
#[must_use]
pub struct Run<'a> {
    workspace: &'a Workspace,
    command: Command,
    stdin: String,
}

impl Run<'_> {
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn inside(mut self, folder: &str) -> Self {
        self.command.current_dir(self.workspace.path(folder));
        self
    }

    pub fn stdin(mut self, text: &str) -> Self {
        text.clone_into(&mut self.stdin);
        self
    }

    #[track_caller]
    pub fn end(mut self) -> Ran {
        let output = run(&mut self.command, self.stdin);
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Ran {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            here: self.workspace.root.display().to_string(),
        }
    }
}

/// The output of a run, without the differences between machines.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    here: String,
}

impl Ran {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{self}"))
    }

    fn tidy(&self, text: &str) -> String {
        let text = text.replace(&self.here, "HERE");
        let text = text.replace(env!("CARGO_BIN_EXE_linkspan"), "LINKSPAN");
        text.lines()
            .map(|line| line.trim_end().to_owned() + "\n")
            .collect()
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tidy(&self.stdout))?;
        if !self.stderr.is_empty() {
            write!(f, "[stderr]\n{}", self.tidy(&self.stderr))?;
        }
        match self.code {
            Some(0) => Ok(()),
            code => write!(f, "[exit {}]", code.unwrap_or(-1)),
        }
    }
}

//! Running the binary to its end, and servers to run it against.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use linkspan_testkit::{Conn, Flow, Request, Server, run};

/// Every command there is.
pub const COMMANDS: [&str; 32] = [
    "connect",
    "expose",
    "gateway",
    "shrink",
    "conduct",
    "agent",
    "mcp",
    "login",
    "logout",
    "auth",
    "pins",
    "audit",
    "tools",
    "call",
    "resources",
    "read",
    "prompts",
    "prompt",
    "ping",
    "serve",
    "new",
    "scaffold",
    "validate",
    "run-tool",
    "config",
    "doctor",
    "sdk",
    "jq",
    "bcp",
    "completions",
    "man",
    "licenses",
];

/// Runs the binary with these arguments to its end.
pub fn linkspan(args: &[&str]) -> Ran {
    Run::new(args).end()
}

/// A run that is not started yet. Variables of the tester's machine for proxies, colours and logs are unset.
#[must_use]
pub struct Run {
    command: Command,
    stdin: String,
}

impl Run {
    pub fn new(args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkspan"));
        command.args(args);
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
            command.env_remove(name).env_remove(name.to_lowercase());
        }
        for name in ["CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR", "TERM", "COLUMNS"] {
            command.env_remove(name);
        }
        command.env_remove("DEBUG").env_remove("RUST_LOG");
        command.env("LINKSPAN_STATE", env!("CARGO_TARGET_TMPDIR"));
        Self {
            command,
            stdin: String::new(),
        }
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn stdin(mut self, text: &str) -> Self {
        text.clone_into(&mut self.stdin);
        self
    }

    /// For a run that does not end, or not over pipes.
    pub fn into_command(self) -> Command {
        self.command
    }

    /// Runs it.
    #[track_caller]
    pub fn end(mut self) -> Ran {
        let output = run(&mut self.command, self.stdin);
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Ran {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// The outcome of a run, printed as a user sees it and without machine-dependent parts.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&tidy(&self.stdout))?;
        if !self.stderr.is_empty() {
            write!(f, "[stderr]\n{}", tidy(&self.stderr))?;
        }
        match self.code {
            Some(0) => Ok(()),
            code => write!(f, "[exit {}]", code.unwrap_or(-1)),
        }
    }
}

/// Removes port numbers, error numbers and white space at the ends of lines.
fn tidy(text: &str) -> String {
    let text = hide_number(text, "127.0.0.1:", "PORT");
    let text = hide_number(&text, "os error ", "N");
    text.lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

/// Puts `word` in place of the number that follows each `front`.
pub fn hide_number(text: &str, front: &str, word: &str) -> String {
    let mut parts = text.split(front);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        out = out + front + if rest.len() < part.len() { word } else { "" } + rest;
    }
    out
}

/// A server that answers these methods with these results, besides the usual ones.
pub fn serving(results: &[(&str, &str)]) -> Server {
    let results: Vec<_> = results
        .iter()
        .map(|(method, result)| ((*method).to_owned(), format!(r#""result":{result}"#)))
        .collect();
    let hook = move |request: &Request, conn: &mut Conn| {
        let found = results.iter().find(|(m, _)| request.rpc() == Some(m));
        found.map_or(Flow::Pass, |(_, result)| answer(request, conn, result))
    };
    Server::legacy().intercept(hook).start()
}

/// Answers a request with `"result":…` or `"error":…`.
pub fn answer(request: &Request, conn: &mut Conn, outcome: &str) -> Flow {
    let id = request.message.as_ref().and_then(|m| m.id.clone());
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{},{outcome}}}"#,
        id.expect("a request has an id")
    );
    Flow::written(conn.json(200, &body))
}

/// A directory for one test, removed afterwards.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let name = format!("cli-{name}-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).expect("the directory can be made");
        Self(path)
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> String {
        self.0
            .join(name)
            .to_str()
            .expect("the path is UTF-8")
            .to_owned()
    }

    /// Writes a file with that text.
    pub fn write(&self, name: &str, text: &str) -> String {
        let file = self.file(name);
        std::fs::write(&file, text).expect("the file can be written");
        file
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

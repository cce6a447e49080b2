//! A tool under test, and the server's end of its channel.

use linkspan_scripts::sdk::{self, Installed};
use serde_json::Value;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// The SDK, installed once for all tests.
pub fn installed() -> &'static Installed {
    static SDK: OnceLock<(tempfile::TempDir, Installed)> = OnceLock::new();
    let (_, sdk) = SDK.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let jq = PathBuf::from(env!("CARGO_BIN_EXE_linkspan-test-jq"));
        let sdk = sdk::install_in(folder.path(), &jq).expect("installed");
        (folder, sdk)
    });
    sdk
}

/// The outcome of a tool.
#[derive(Debug)]
pub struct Ended {
    pub out: String,
    pub err: String,
    pub code: i32,
    /// Messages on the channel that the test has not read.
    pub said: Vec<Value>,
}

/// A tool with a channel.
pub struct Tool {
    child: Child,
    lines: BufReader<UnixStream>,
    server: UnixStream,
}

/// The environment that a server gives to a tool.
pub fn environment(command: &mut Command, args: &str) {
    let sdk = installed();
    command
        .env("MCP_SDK", &sdk.sdk)
        .env("MCPBASH_JSON_TOOL", "jq")
        .env("MCPBASH_JSON_TOOL_BIN", &sdk.jq)
        .env("MCP_TOOL_ARGS_JSON", args)
        .env("MCP_TOOL_META_JSON", r#"{"user":"me"}"#)
        .env("MCP_ELICIT_SUPPORTED", "1")
        .env("MCP_CAPABILITIES", "elicitation sampling roots");
    let args: Value = serde_json::from_str(args).expect("arguments");
    for (name, value) in args.as_object().into_iter().flatten() {
        let name: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        match value {
            Value::String(text) => command.env(format!("MCP_ARG_{name}"), text),
            Value::Bool(_) | Value::Number(_) => {
                command.env(format!("MCP_ARG_{name}"), value.to_string())
            }
            _ => continue,
        };
    }
}

impl Tool {
    /// Starts a program with the socket as descriptor 3: it is passed as stdin and moved by a shell, because a
    /// test may not run code between fork and exec.
    pub fn start(program: &[&str], args: &str, more: &[(&str, &str)]) -> Self {
        let (server, tool) = UnixStream::pair().expect("a pair");
        server
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("a timeout");
        let mut command = Command::new("bash");
        let words: Vec<OsString> = program.iter().map(OsString::from).collect();
        command
            .args(["-c", r#"exec 3<&0 </dev/null; exec "$@""#, "move"])
            .args(words)
            .stdin(Stdio::from(OwnedFd::from(tool)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        environment(&mut command, args);
        command.env("MCP_CTRL_FD", "3").envs(more.iter().copied());
        let child = command.spawn().expect("started");
        // The command keeps our copy of the tool's end open.
        drop(command);
        let lines = BufReader::new(server.try_clone().expect("a second handle"));
        Self {
            child,
            lines,
            server,
        }
    }

    /// The next message of the tool.
    pub fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a line in time");
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"))
    }

    /// Sends a message to the tool.
    pub fn say(&mut self, message: &Value) {
        writeln!(self.server, "{message}").expect("written");
    }

    /// Waits for the end.
    pub fn end(mut self) -> Ended {
        let mut said = Vec::new();
        for line in self.lines.lines() {
            let line = line.expect("a line");
            said.push(serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}")));
        }
        let _ = &mut self.child;
        let output = self.child.wait_with_output().expect("ended");
        Ended {
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
            code: output.status.code().unwrap_or(-1),
            said,
        }
    }
}

/// A Bash tool with the SDK sourced.
pub fn bash(script: &str, args: &str) -> Tool {
    bash_with(script, args, &[])
}

/// As [`bash`], with additional variables.
pub fn bash_with(script: &str, args: &str, more: &[(&str, &str)]) -> Tool {
    let script = format!("set -euo pipefail\n. \"${{MCP_SDK:?}}/tool-sdk.sh\"\n{script}");
    Tool::start(&["bash", "-c", &script], args, more)
}

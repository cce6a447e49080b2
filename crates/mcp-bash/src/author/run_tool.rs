//! `mcp-bash run-tool`: one call of a tool, and its result as one line of JSON.

mod request;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use linkspan_scripts::host::Env;
use linkspan_scripts::sdk::Installed;
use linkspan_wire::{Id, Json, JsonKind, Kind, Message, quote};

pub use self::request::{RunToolAction, RunToolRequest};
use super::error::shown;
use crate::env::Tooling;
use crate::policy::{self, Asker};
use crate::{EnvFileError, Project};

/// Sources the given files, then prints the environment.
const SOURCE: &str = r#"set -a; for file do . "$file" || exit 1; done; exec env -0"#;

/// A call.
#[derive(Debug, Clone, Default)]
pub struct ToolRun {
    /// The project.
    pub root: PathBuf,
    /// The name of the tool.
    pub name: String,
    /// A JSON object.
    pub arguments: String,
    /// Roots in place of the client's.
    pub roots: Vec<PathBuf>,
    /// The time limit in seconds.
    pub timeout: Option<String>,
    /// The allowed tools, overriding the environment.
    pub allow: Option<String>,
    /// Files that a shell reads into the environment.
    pub source: Vec<PathBuf>,
    /// The environment file of the project, if requested.
    pub server_env: Option<PathBuf>,
}

/// Why a call was not made.
#[derive(Debug, thiserror::Error)]
pub enum RunToolError {
    /// A server in minimal mode has no tools.
    #[error("JSON tooling required; minimal mode has no tools")]
    Minimal,
    /// The project has no tool of this name.
    #[error("tool not found: {0}")]
    NoTool(String),
    /// The registry does not exist.
    #[error("registry cache missing (expected {})", shown(.0))]
    NoRegistry(PathBuf),
    /// The registry is not a list of tools.
    #[error("invalid tools registry cache: {}", shown(.0))]
    BadRegistry(PathBuf),
    /// The environment file of the project is not trusted.
    #[error(transparent)]
    EnvFile(#[from] EnvFileError),
    /// An environment file does not exist.
    #[error("env file not found: {}", .0.display())]
    NoEnvFile(PathBuf),
    /// bash could not be started.
    #[error("bash does not start: {0}")]
    Bash(io::Error),
    /// Sourcing a file failed.
    #[error("an env file failed")]
    Failed,
}

/// Checks that the registry written by `registry refresh` is usable.
fn check_registry(registry: &Path) -> Result<(), RunToolError> {
    let Ok(text) = std::fs::read_to_string(registry) else {
        return Err(RunToolError::NoRegistry(registry.to_owned()));
    };
    let items = Json::parse(&text).ok().and_then(|cache| cache.get("items"));
    if items.is_some_and(|items| items.kind() == JsonKind::Array) {
        Ok(())
    } else {
        Err(RunToolError::BadRegistry(registry.to_owned()))
    }
}

impl ToolRun {
    /// The environment of the call: `ours`, plus the variables that the files of the project set.
    pub fn environment(&self, ours: Env) -> Result<Env, RunToolError> {
        let there = self.server_env.iter().filter(|file| file.is_file());
        if there.clone().next().is_some() {
            crate::check_env_file(&self.root)?;
        }
        let files: Vec<&Path> = there.chain(&self.source).map(PathBuf::as_path).collect();
        if let Some(missing) = files.iter().find(|file| !file.is_file()) {
            return Err(RunToolError::NoEnvFile((*missing).to_owned()));
        }
        let mut env = if files.is_empty() {
            ours
        } else {
            sourced(&files, ours)?
        };
        let mut set = |name: &str, value: &str| {
            env.retain(|(other, _)| other != name);
            env.push((name.into(), value.into()));
        };
        set("LINKSPAN_SERVER_ENV", "off");
        if let Some(allow) = &self.allow {
            set("MCPBASH_TOOL_ALLOWLIST", allow);
        }
        Ok(env)
    }

    /// The error of a call that the project's policy refuses, or `None`. The server checks the policy as well,
    /// but its error gives advice for clients, not for a terminal.
    pub fn refusal(
        &self,
        project: &Project,
        tooling: &Tooling,
    ) -> Result<Option<Message>, RunToolError> {
        let tool = project.tool(&self.name);
        let tool = tool.ok_or_else(|| RunToolError::NoTool(self.name.clone()))?;
        let (vars, places) = (&project.vars, &project.places);
        let leave = policy::check(tool, Asker::Terminal, vars, places, tooling);
        Ok(leave.err().map(|error| error.answer(&Id::number(0))))
    }

    /// Writes the variables of the call that belong to mcp-bash.
    pub fn write_env(&self, installed: &Installed, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "MCPBASH_PROJECT_ROOT={}", shown(&self.root))?;
        writeln!(out, "MCPBASH_HOME={}", shown(&installed.home))?;
        writeln!(out, "MCP_SDK={}", shown(&installed.sdk))?;
        writeln!(out, "MCPBASH_MODE=full")?;
        if let Some(file) = &self.server_env {
            let place = if file.is_file() {
                shown(file)
            } else {
                format!("(not found: {})", shown(file))
            };
            writeln!(out, "WILL_SOURCE_SERVER_ENV={place}")?;
        }
        for (n, file) in self.source.iter().enumerate() {
            writeln!(out, "WILL_SOURCE[{n}]={}", shown(file))?;
        }
        for (n, root) in self.roots.iter().enumerate() {
            writeln!(out, "ROOT[{n}]={}", shown(root))?;
        }
        if self.roots.is_empty() {
            writeln!(out, "ROOTS=none")?;
        }
        Ok(())
    }

    /// Describes the call for `--dry-run`.
    pub fn write_plan(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "Tool: {}", self.name)?;
        writeln!(out, "Args: {} bytes", self.arguments.len())?;
        writeln!(out, "Roots: {}", self.roots.len())?;
        let timeout = self.timeout.as_deref().unwrap_or("none");
        writeln!(out, "Timeout: {timeout}")?;
        writeln!(out, "Status: Ready to execute (nothing was run)")
    }

    /// The parameters of `tools/call`.
    pub fn params(&self) -> String {
        let digits = |text: &&String| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let timeout = self.timeout.as_ref().filter(digits);
        let timeout = timeout.map_or_else(String::new, |secs| format!(r#","timeoutSecs":{secs}"#));
        format!(
            r#"{{"name":{},"arguments":{}{timeout}}}"#,
            quote(&self.name),
            self.arguments
        )
    }

    /// The answer as one line, and the exit code. An error is a JSON line as well, so that a script can parse
    /// it. Scripts select the line of a tool by its name, which clients do not see.
    pub fn line(&self, answer: &Message) -> (String, u8) {
        let body = answer.body();
        if answer.kind() != Kind::Error {
            let mut line = format!(r#"{{"name":{}"#, quote(&self.name));
            for (name, value) in body.iter().flat_map(|body| body.members()) {
                if name != "name" {
                    line.push_str(&format!(",{}:{}", quote(&name), value.text()));
                }
            }
            line.push('}');
            return (line, 0);
        }
        let part = |name: &str, none: &'static str| {
            let part = body.and_then(|error| error.get(name));
            part.map_or(none.to_owned(), |part| part.text().to_owned())
        };
        let line = format!(
            r#"{{"_mcpToolError":true,"code":{},"message":{},"data":{}}}"#,
            part("code", "-32603"),
            part("message", "\"\""),
            part("data", "null")
        );
        (line, 1)
    }
}

/// The environment after a shell has sourced the files.
fn sourced(files: &[&Path], env: Env) -> Result<Env, RunToolError> {
    let ran = Command::new("bash")
        .args(["-c", SOURCE, "bash"])
        .args(files)
        .env_clear()
        .envs(env)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(RunToolError::Bash)?;
    if !ran.status.success() {
        return Err(RunToolError::Failed);
    }
    let lines = ran.stdout.split(|byte| *byte == 0);
    Ok(lines
        .filter_map(|line| {
            let at = line.iter().position(|byte| *byte == b'=')?;
            Some((os(&line[..at]), os(&line[at + 1..])))
        })
        .collect())
}

#[cfg(unix)]
fn os(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn os(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_sourced_with_the_given_environment_only() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("more.sh");
        std::fs::write(&file, "GIVEN=\"$GIVEN and more\"\nHOME_SEEN=${HOME-none}\n").unwrap();
        let run = ToolRun {
            root: folder.path().to_owned(),
            source: vec![file],
            allow: Some("t".to_owned()),
            ..ToolRun::default()
        };
        let path = std::env::var_os("PATH").unwrap_or_default();
        let given: Env = vec![("PATH".into(), path), ("GIVEN".into(), "this".into())];
        let env = run.environment(given).unwrap();
        let get = |name: &str| env.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        assert_eq!(get("GIVEN").unwrap(), "this and more");
        assert_eq!(get("HOME_SEEN").unwrap(), "none");
        assert_eq!(get("MCPBASH_TOOL_ALLOWLIST").unwrap(), "t");
        assert_eq!(get("LINKSPAN_SERVER_ENV").unwrap(), "off");
        let missing = ToolRun {
            source: vec![folder.path().join("not-there")],
            ..run
        };
        assert!(matches!(
            missing.environment(Env::new()),
            Err(RunToolError::NoEnvFile(_))
        ));
    }

    #[test]
    fn an_invalid_timeout_is_ignored() {
        let mut run = ToolRun {
            name: "t".to_owned(),
            arguments: "{}".to_owned(),
            timeout: Some("5".to_owned()),
            ..ToolRun::default()
        };
        assert_eq!(
            run.params(),
            r#"{"name":"t","arguments":{},"timeoutSecs":5}"#
        );
        run.timeout = Some("5s".to_owned());
        assert_eq!(run.params(), r#"{"name":"t","arguments":{}}"#);
    }
}

//! `mcp-bash run-tool`: one line of JSON, whatever comes out.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use linkspan_client::Client;
use linkspan_mcp::names;
use linkspan_scripts::compat::policy::{self, Asker};
use linkspan_scripts::compat::{self, Project};
use linkspan_wire::{Id, Json, JsonKind, Kind, Message, quote};

use super::{flag, folder_args, root, usage, value};
use crate::exit::{Exit, Failure};
use crate::serve::open;
use crate::serve::reading::{self, refused};
use crate::show::{path as shown, raw, say};
use crate::status::Status;

/// Reads files as the shell does, then prints the environment.
const SOURCE: &str = r#"set -a; for file do . "$file" || exit 1; done; exec env -0"#;

struct Asked {
    root: PathBuf,
    name: String,
    arguments: String,
    roots: Vec<PathBuf>,
    timeout: Option<String>,
    allow: Option<String>,
    source: Vec<PathBuf>,
    server_env: Option<PathBuf>,
}

pub(super) fn run(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let dry_run = flag(&mut words, "--dry-run");
    let print_env = flag(&mut words, "--print-env");
    let no_refresh = flag(&mut words, "--no-refresh");
    let minimal = flag(&mut words, "--minimal");
    let _ = flag(&mut words, "--verbose");
    if flag(&mut words, "--help") {
        raw(super::USAGE);
        return Ok(0);
    }
    let asked = match Asked::read(words) {
        Ok(asked) => asked,
        Err(why) => return complain(&why),
    };
    if minimal {
        return complain("JSON tooling required; minimal mode has no tools");
    }
    let registry = asked.root.join(".registry/tools.json");
    if no_refresh && let Err(why) = cached(&registry) {
        return complain(&why);
    }
    if print_env {
        return asked.print_env();
    }
    if dry_run {
        asked.print_plan();
        return Ok(0);
    }
    let env = match asked.environment() {
        Ok(env) => env,
        Err(why) => return complain(&why),
    };
    asked.call(env)
}

/// Whether what `registry refresh` has left can be relied on.
fn cached(registry: &Path) -> Result<(), String> {
    let Ok(text) = std::fs::read_to_string(registry) else {
        let expected = shown(registry);
        return Err(format!("registry cache missing (expected {expected})"));
    };
    let items = Json::parse(&text).ok().and_then(|cache| cache.get("items"));
    match items.is_some_and(|items| items.kind() == JsonKind::Array) {
        true => Ok(()),
        false => Err(format!("invalid tools registry cache: {}", shown(registry))),
    }
}

fn complain(why: &str) -> Result<u8, Failure> {
    anstream::eprintln!("run-tool: {}", crate::show::indented(why, "  "));
    Ok(1)
}

impl Asked {
    fn read(mut words: VecDeque<String>) -> Result<Self, String> {
        let told = |failure: Failure| failure.in_words();
        let args = value(&mut words, "--args").map_err(told)?;
        let roots = value(&mut words, "--roots").map_err(told)?;
        let timeout = value(&mut words, "--timeout").map_err(told)?;
        let mut allow = flag(&mut words, "--allow-all").then(|| "*".to_owned());
        let allow_self = flag(&mut words, "--allow-self");
        while let Some(name) = value(&mut words, "--allow").map_err(told)? {
            allow = Some(allow.map_or(name.clone(), |all| format!("{all} {name}")));
        }
        let mut source = Vec::new();
        while let Some(file) = value(&mut words, "--source").map_err(told)? {
            source.push(PathBuf::from(file));
        }
        let wanted = std::env::var("MCPBASH_RUN_TOOL_SOURCE_SERVER_ENV");
        let wanted = wanted.is_ok_and(|wanted| wanted == "1" || wanted == "true");
        let server_env = flag(&mut words, "--with-server-env") || wanted;
        let root = root(&mut words).map_err(told)?;
        if let Some(unknown) = words.iter().find(|word| word.starts_with("--")) {
            return Err(usage(&format!("run-tool: unknown option {unknown}")).in_words());
        }
        let name = words.pop_front().ok_or("tool name required")?;
        if let Some(more) = words.pop_front() {
            return Err(format!("unexpected argument: {more}"));
        }
        if allow_self {
            allow = Some(name.clone());
        }
        let arguments = args.filter(|args| !args.is_empty());
        let arguments = arguments.unwrap_or_else(|| "{}".to_owned());
        let is_object = Json::parse(&arguments).is_ok_and(|json| json.kind() == JsonKind::Object);
        if !is_object {
            return Err("--args must be a JSON object".to_owned());
        }
        let roots = roots.unwrap_or_default();
        let roots = roots.split(',').filter(|root| !root.is_empty());
        let roots: Result<Vec<PathBuf>, String> = roots
            .map(|root| {
                let real = std::fs::canonicalize(root);
                real.map_err(|e| format!("invalid --roots value: {root}: {e}"))
            })
            .collect();
        let whole = |file: &PathBuf| root.join(file);
        Ok(Self {
            source: source.iter().map(whole).collect(),
            server_env: server_env.then(|| root.join("server.d/env.sh")),
            name,
            arguments,
            roots: roots?,
            timeout,
            allow,
            root,
        })
    }

    fn print_env(&self) -> Result<u8, Failure> {
        let installed = reading::installed()?;
        say!("MCPBASH_PROJECT_ROOT={}", shown(&self.root));
        say!("MCPBASH_HOME={}", shown(&installed.home));
        say!("MCP_SDK={}", shown(&installed.sdk));
        say!("MCPBASH_MODE=full");
        if let Some(file) = &self.server_env {
            match file.is_file() {
                true => say!("WILL_SOURCE_SERVER_ENV={}", shown(file)),
                false => say!("WILL_SOURCE_SERVER_ENV=(not found: {})", shown(file)),
            }
        }
        for (n, file) in self.source.iter().enumerate() {
            say!("WILL_SOURCE[{n}]={}", shown(file));
        }
        for (n, root) in self.roots.iter().enumerate() {
            say!("ROOT[{n}]={}", shown(root));
        }
        if self.roots.is_empty() {
            say!("ROOTS=none");
        }
        Ok(0)
    }

    fn print_plan(&self) {
        say!("Tool: {}", self.name);
        say!("Args: {} bytes", self.arguments.len());
        say!("Roots: {}", self.roots.len());
        say!("Timeout: {}", self.timeout.as_deref().unwrap_or("none"));
        say!("Status: Ready to execute (nothing was run)");
    }

    /// Our environment, with what the project's files add to it.
    fn environment(&self) -> Result<Vec<(OsString, OsString)>, String> {
        let there = self.server_env.iter().filter(|file| file.is_file());
        if there.clone().next().is_some() {
            compat::check_env_file(&self.root)?;
        }
        let files: Vec<&Path> = there.chain(&self.source).map(PathBuf::as_path).collect();
        if let Some(missing) = files.iter().find(|file| !file.is_file()) {
            return Err(format!("env file not found: {}", missing.display()));
        }
        let mut env: Vec<(OsString, OsString)> = match files.is_empty() {
            true => std::env::vars_os().collect(),
            false => sourced(&files)?,
        };
        env.retain(|(name, _)| name != "LINKSPAN_SERVER_ENV");
        env.push(("LINKSPAN_SERVER_ENV".into(), "off".into()));
        if let Some(allow) = &self.allow {
            env.retain(|(name, _)| name != "MCPBASH_TOOL_ALLOWLIST");
            env.push(("MCPBASH_TOOL_ALLOWLIST".into(), allow.into()));
        }
        Ok(env)
    }

    fn call(&self, env: Vec<(OsString, OsString)>) -> Result<u8, Failure> {
        let tooling = reading::tooling()?;
        let vars = env.iter().cloned().collect();
        let project = Project::read(&self.root, &vars, &tooling).map_err(|e| refused(&e))?;
        let Some(tool) = project.tool(&self.name) else {
            return complain(&format!("tool not found: {}", self.name));
        };
        // The server asks as well; but what to do about it is another thing at a terminal.
        let leave = policy::check(
            tool,
            Asker::Terminal,
            &project.vars,
            &project.places,
            &tooling,
        );
        if let Err(error) = leave {
            return Ok(self.printed(&error.answer(&Id::number(0))));
        }
        let mut options = open::options(&folder_args())?;
        options.env = env;
        let mut code = 1;
        crate::block_on(async {
            let folder = open::folder(&self.root, options)?;
            let mut client = Client::new(folder.port(), None).observed(Status::new());
            if !self.roots.is_empty() {
                client = client.offering(&self.roots);
            }
            let done = async {
                client.open().await?;
                client.answer(names::TOOLS_CALL, Some(&self.params())).await
            };
            let done = done.await;
            client.close().await;
            folder.close().await;
            code = self.printed(&done?);
            Ok(Exit::Ok)
        })?;
        Ok(code)
    }

    fn params(&self) -> String {
        let digits = |text: &&String| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let timeout = self.timeout.as_ref().filter(digits);
        let timeout = timeout.map_or_else(String::new, |secs| format!(r#","timeoutSecs":{secs}"#));
        format!(
            r#"{{"name":{},"arguments":{}{timeout}}}"#,
            quote(&self.name),
            self.arguments
        )
    }

    /// An error is a line as well, so that a script can look into it. Scripts pick the line of a tool by its
    /// name, which clients do not see.
    fn printed(&self, answer: &Message) -> u8 {
        let body = answer.body();
        if answer.kind() != Kind::Error {
            let mut line = format!(r#"{{"name":{}"#, quote(&self.name));
            for (name, value) in body.iter().flat_map(|body| body.members()) {
                if name != "name" {
                    line.push_str(&format!(",{}:{}", quote(&name), value.text()));
                }
            }
            line.push('}');
            raw(&line);
            return 0;
        }
        let part = |name: &str, none: &'static str| {
            let part = body.and_then(|error| error.get(name));
            part.map_or(none.to_owned(), |part| part.text().to_owned())
        };
        raw(&format!(
            r#"{{"_mcpToolError":true,"code":{},"message":{},"data":{}}}"#,
            part("code", "-32603"),
            part("message", "\"\""),
            part("data", "null")
        ));
        1
    }
}

/// What the environment is after the shell has read some files.
fn sourced(files: &[&Path]) -> Result<Vec<(OsString, OsString)>, String> {
    let ran = Command::new("bash")
        .args(["-c", SOURCE, "bash"])
        .args(files)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("bash does not start: {e}"))?;
    if !ran.status.success() {
        return Err("an env file failed".to_owned());
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

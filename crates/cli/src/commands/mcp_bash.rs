//! mcp-bash's command line, as far as its projects use it: `linkspan mcp-bash …`, or linkspan under the name
//! `mcp-bash`. Exit codes and messages are those of mcp-bash, because scripts depend on them.

mod bundle;
mod config;
mod run_tool;
mod serve;
mod validate;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use linkspan_mcp_bash::author::{self, AuthorError, UsageError, Words};
use linkspan_mcp_bash::env::VERSION;
use linkspan_mcp_bash::{FolderLayout, Places, Project, Vars, health, registry};

use crate::args::folder::FolderArgs;
use crate::doctor;
use crate::environment::environment_of_children;
use crate::exit::{Exit, Failure};
use crate::folder::tooling;
use crate::show::{raw, say};

const USAGE: &str = "\
Usage: mcp-bash [--project-root DIR]                 serve on stdin and stdout
       mcp-bash new NAME [--no-hello]                a project in a folder of its own
       mcp-bash init [--name NAME] [--no-hello]      a project in the current folder
       mcp-bash scaffold tool NAME [--ui] | prompt NAME | resource NAME | completion NAME
                | ui NAME | ui --tool TOOL | test | server NAME
       mcp-bash config [--show | --json | --client NAME | --wrapper | --wrapper-env | --inspector]
       mcp-bash bundle [--output DIR] [--name NAME] [--version VERSION] [--platform NAME] [--validate]
                [--without-server] [--verbose]
       mcp-bash run-tool NAME [--args JSON] [--roots A,B] [--timeout SECS] [--allow-self|--allow NAME|--allow-all]
                [--dry-run] [--print-env] [--with-server-env] [--source FILE] [--no-refresh] [--minimal] [--verbose]
       mcp-bash validate [--fix] [--json] [--strict]
       mcp-bash registry refresh|status
       mcp-bash --health|--ready [--timeout SECS]
       mcp-bash --version
Each takes --project-root DIR; otherwise it is MCPBASH_PROJECT_ROOT, or the nearest folder above with
server.d/server.meta.json. This is linkspan; linkspan --help has more.";

/// Runs mcp-bash; returns the exit code.
pub(crate) fn run(words: Vec<OsString>) -> Result<u8, Failure> {
    let mut words: Words = words.into_iter().collect();
    let serves = |word: &str| word == "--project-root" || word.starts_with("--project-root=");
    if words.first().is_none_or(serves) {
        return serve::run(words);
    }
    let verb = words.take().unwrap_or_default();
    match verb.as_str() {
        "--version" | "-v" => raw(&format!(
            "mcp-bash {VERSION} (linkspan {})",
            env!("CARGO_PKG_VERSION")
        )),
        "--help" | "-h" | "help" => raw(USAGE),
        "init" | "new" | "scaffold" | "config" | "bundle"
            if words.flag("--help") || words.flag("-h") =>
        {
            raw(USAGE);
        }
        "--health" | "--ready" => return health_of(words),
        "run-tool" => return run_tool::run(words),
        "validate" => return validate::run(words),
        "registry" => return registry_of(words),
        "doctor" => return doctor_of(words),
        "init" => author::init(words, std::env::current_dir(), &tell)?,
        "new" => author::new(words, &here().unwrap_or_default(), &tell)?,
        "scaffold" => author::scaffold_entry(words, &vars(), here().as_deref(), &tell)?,
        "config" => return config::run(words),
        "bundle" => return bundle::run(words),
        other => {
            return Err(
                Failure::usage(format!("mcp-bash: unknown command `{other}`")).hint(
                    "mcp-bash --help lists the supported commands; linkspan --help lists more",
                ),
            );
        }
    }
    Ok(0)
}

fn health_of(mut words: Words) -> Result<u8, Failure> {
    let timeout = words.value("--timeout")?;
    let timeout = timeout.and_then(|text| text.parse().ok()).unwrap_or(5);
    let root = match root(&mut words) {
        Ok(root) => root,
        Err(error) => {
            anstream::eprintln!("mcp-bash health: project root not found: {error}");
            return Ok(2);
        }
    };
    let (line, code) = health::probe(&root, &vars(), &tooling()?, Duration::from_secs(timeout));
    if !line.is_empty() {
        raw(&line);
    }
    Ok(code as u8)
}

fn registry_of(mut words: Words) -> Result<u8, Failure> {
    let verb = words.take().unwrap_or_default();
    let _ = words.flag("--no-notify");
    let _ = words.flag("--quiet");
    let _ = words.value("--filter")?;
    let root = root(&mut words)?;
    match verb.as_str() {
        "status" => {
            raw(&registry::status(&Places::of(&root, &vars())));
            Ok(0)
        }
        "refresh" => {
            let (text, code) = registry::refresh(&found_anew(&root)?).map_err(|e| {
                Failure::new(Exit::Invalid, format!("cannot write the registry: {e}"))
                    .hint("is the project folder writable?")
            })?;
            raw(&text);
            Ok(code as u8)
        }
        _ => Err(UsageError::Form("registry refresh|status").into()),
    }
}

/// Scripts look at its exit code.
fn doctor_of(mut words: Words) -> Result<u8, Failure> {
    let json = words.flag("--json");
    doctor::check(root(&mut words).ok().as_deref(), json).map(Exit::code)
}

/// The project that a flag or the environment names, else the nearest one above the current folder.
fn root(words: &mut Words) -> Result<PathBuf, UsageError> {
    words.project(&vars(), here().as_deref())
}

fn here() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

fn tell(line: &str) {
    say!("{line}");
}

/// The project as it is now, without its registry.
fn found_anew(root: &Path) -> Result<Project, Failure> {
    Ok(Project::read_anew(root, &vars(), &tooling()?)?)
}

fn vars() -> Vars {
    environment_of_children().collect()
}

fn folder_args() -> FolderArgs {
    FolderArgs {
        compat: FolderLayout::McpBash,
        ..FolderArgs::default()
    }
}

impl From<UsageError> for Failure {
    fn from(error: UsageError) -> Self {
        AuthorError::Usage(error).into()
    }
}

impl From<AuthorError> for Failure {
    fn from(error: AuthorError) -> Self {
        let exit = match error {
            AuthorError::Name(_) => Exit::Usage,
            _ => Exit::Invalid,
        };
        Self::new(exit, error.to_string()).hinted(error.hint())
    }
}

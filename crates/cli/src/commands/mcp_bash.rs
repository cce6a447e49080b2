//! mcp-bash's command line, as far as its projects use it: `linkspan mcp-bash …`, or linkspan under the name
//! `mcp-bash`. Exit codes and messages are those of mcp-bash, because scripts depend on them.

mod bundle;
mod config;
mod init;
mod run_tool;
mod scaffold;
mod serve;
mod validate;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use linkspan_mcp_bash::author::AuthorError;
use linkspan_mcp_bash::{Places, Project, Vars, env::Tooling, health, registry};

use crate::args::folder::{Compat, FolderArgs};
use crate::doctor;
use crate::exit::{Exit, Failure};
use crate::folder::{self, refused};
use crate::show::{path as shown, raw};

/// The release whose conventions these are.
const THEIRS: &str = "1.3.0";

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

/// Runs it; gives the exit code.
pub(crate) fn run(words: Vec<OsString>) -> Result<u8, Failure> {
    let words = words.into_iter().map(|w| w.to_string_lossy().into_owned());
    let mut words: VecDeque<String> = words.collect();
    match words.front().map(String::as_str) {
        None => serve::run(words),
        Some(word) if word == "--project-root" || word.starts_with("--project-root=") => {
            serve::run(words)
        }
        Some("--version" | "-v") => {
            raw(&format!(
                "mcp-bash {THEIRS} (linkspan {})",
                env!("CARGO_PKG_VERSION")
            ));
            Ok(0)
        }
        Some("--help" | "-h" | "help") => {
            raw(USAGE);
            Ok(0)
        }
        Some("--health" | "--ready") => health_of(words),
        Some("run-tool") => {
            words.pop_front();
            run_tool::run(words)
        }
        Some("validate") => {
            words.pop_front();
            validate::run(words)
        }
        Some("registry") => {
            words.pop_front();
            registry_of(words)
        }
        Some("doctor") => doctor_of(words),
        Some(verb @ ("init" | "new" | "scaffold" | "config" | "bundle")) => {
            let verb = verb.to_owned();
            words.pop_front();
            if flag(&mut words, "--help") || flag(&mut words, "-h") {
                raw(USAGE);
                return Ok(0);
            }
            match verb.as_str() {
                "init" => init::init(words),
                "new" => init::new(words),
                "scaffold" => scaffold::run(words),
                "config" => config::run(words),
                _ => bundle::run(words),
            }
        }
        Some(other) => Err(
            Failure::usage(format!("mcp-bash: `{other}` is not known here"))
                .hint("mcp-bash --help lists the supported commands; linkspan --help lists more"),
        ),
    }
}

/// Refuses words that are left.
fn unexpected(verb: &str, words: &VecDeque<String>) -> Result<(), Failure> {
    let Some(word) = words.front() else {
        return Ok(());
    };
    let kind = if word.starts_with('-') {
        "option"
    } else {
        "argument"
    };
    Err(usage(&format!("{verb}: unexpected {kind} {word}")))
}

fn health_of(mut words: VecDeque<String>) -> Result<u8, Failure> {
    words.pop_front();
    let timeout = value(&mut words, "--timeout")?;
    let timeout = timeout.and_then(|text| text.parse().ok()).unwrap_or(5);
    let root = match root(&mut words) {
        Ok(root) => root,
        Err(failure) => {
            anstream::eprintln!(
                "mcp-bash health: project root not found: {}",
                failure.what()
            );
            return Ok(2);
        }
    };
    let (line, code) = health::probe(&root, &vars(), &tooling()?, Duration::from_secs(timeout));
    if !line.is_empty() {
        raw(&line);
    }
    Ok(code as u8)
}

fn registry_of(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let verb = words.pop_front().unwrap_or_default();
    let _ = flag(&mut words, "--no-notify");
    let _ = flag(&mut words, "--quiet");
    let _ = value(&mut words, "--filter")?;
    let root = root(&mut words)?;
    match verb.as_str() {
        "status" => {
            raw(&registry::status(&Places::of(&root, &vars())));
            Ok(0)
        }
        "refresh" => {
            let project = found_anew(&root)?;
            let (text, code) = registry::refresh(&project).map_err(|e| {
                Failure::new(Exit::Invalid, format!("cannot write the registry: {e}"))
                    .hint("is the project a folder of yours?")
            })?;
            raw(&text);
            Ok(code as u8)
        }
        _ => Err(usage("registry refresh|status")),
    }
}

/// Scripts look at its exit code.
fn doctor_of(mut words: VecDeque<String>) -> Result<u8, Failure> {
    words.pop_front();
    let json = flag(&mut words, "--json");
    doctor::check(root(&mut words).ok().as_deref(), json).map(Exit::code)
}

fn project(root: &Path) -> Result<Project, Failure> {
    Project::read(root, &vars(), &tooling()?).map_err(|e| refused(&e))
}

/// The project as it is now, without its registry.
fn found_anew(root: &Path) -> Result<Project, Failure> {
    let mut vars = vars();
    vars.unset("MCPBASH_STATIC_REGISTRY");
    Project::read(root, &vars, &tooling()?).map_err(|e| refused(&e))
}

fn vars() -> Vars {
    std::env::vars_os().collect()
}

fn tooling() -> Result<Tooling, Failure> {
    folder::tooling()
}

fn folder_args() -> FolderArgs {
    FolderArgs {
        compat: Compat::McpBash,
        ..FolderArgs::default()
    }
}

/// The project that a flag or the environment names, else the nearest one above the current folder.
fn root(words: &mut VecDeque<String>) -> Result<PathBuf, Failure> {
    let found = named_root(words)?.or_else(nearest);
    found.ok_or_else(|| {
        let what = "No MCP project found: MCPBASH_PROJECT_ROOT is not set, and neither this folder \
                    nor one above it has server.d/server.meta.json";
        Failure::new(Exit::Invalid, what)
            .hint("mcp-bash init makes a project here; --project-root DIR names one")
    })
}

/// The project that a flag or the environment names.
fn named_root(words: &mut VecDeque<String>) -> Result<Option<PathBuf>, Failure> {
    let said = value(words, "--project-root")?;
    let said = said.map(PathBuf::from).or_else(|| {
        let set = std::env::var_os("MCPBASH_PROJECT_ROOT");
        set.filter(|set| !set.is_empty()).map(PathBuf::from)
    });
    match said {
        Some(root) if !root.is_dir() => Err(Failure::new(
            Exit::Invalid,
            format!("{} does not exist", shown(&root)),
        )
        .hint("MCPBASH_PROJECT_ROOT or --project-root names the folder of the project")),
        said => Ok(said),
    }
}

/// The project that the current folder is in. mcp-bash's own folder is not one.
fn nearest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let home = std::env::var_os("MCPBASH_HOME").filter(|home| !home.is_empty());
    let home = home.and_then(|home| Path::new(&home).canonicalize().ok());
    let is_project = |dir: &&Path| {
        let is_theirs = home.as_ref().is_some_and(|home| dir.starts_with(home));
        !is_theirs && dir.join("server.d/server.meta.json").is_file()
    };
    here.ancestors().find(is_project).map(Path::to_owned)
}

/// Takes a flag out.
fn flag(words: &mut VecDeque<String>, name: &str) -> bool {
    let at = words.iter().position(|word| word == name);
    at.and_then(|at| words.remove(at)).is_some()
}

/// Takes a flag and its value out.
fn value(words: &mut VecDeque<String>, name: &str) -> Result<Option<String>, Failure> {
    let with = format!("{name}=");
    let Some(at) = words
        .iter()
        .position(|word| word == name || word.starts_with(&with))
    else {
        return Ok(None);
    };
    let word = words.remove(at).unwrap_or_default();
    if let Some(value) = word.strip_prefix(&with) {
        return Ok(Some(value.to_owned()));
    }
    match words.remove(at) {
        Some(value) => Ok(Some(value)),
        None => Err(usage(&format!("{name} needs a value"))),
    }
}

fn failed(error: AuthorError) -> Failure {
    let failure = match error {
        AuthorError::Name(_) => Failure::usage(error.to_string()),
        _ => Failure::new(Exit::Invalid, error.to_string()),
    };
    failure.hint(error.hint())
}

fn usage(what: &str) -> Failure {
    Failure::new(Exit::Invalid, format!("usage: mcp-bash {what}")).hint("mcp-bash --help")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> VecDeque<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn flags_are_taken_out_wherever_they_stand() {
        let mut all = words(&["a", "--x", "1", "--y=2", "--z", "b"]);
        assert_eq!(value(&mut all, "--x").unwrap().as_deref(), Some("1"));
        assert_eq!(value(&mut all, "--y").unwrap().as_deref(), Some("2"));
        assert!(flag(&mut all, "--z") && !flag(&mut all, "--z"));
        assert_eq!(all, words(&["a", "b"]));
        assert!(value(&mut words(&["--x"]), "--x").is_err());
    }
}

//! TARGET: a URL, a folder of scripts, or a command after `--`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use linkspan_bridge::Backend;
use linkspan_ports::ChildOptions;
use linkspan_wire::Limits;

use crate::args::RemoteArgs;
use crate::exit::{Exit, Failure};
use crate::mistakes;
use crate::remote::remote;
use crate::serve::{self, args::FolderArgs};
use crate::show::on_one_line;
use crate::show::shown_line;
use linkspan_bridge::masked_url;

/// What to talk to.
#[derive(Debug)]
pub(crate) enum Target {
    Url(String),
    Folder(PathBuf),
    Command(OsString, Vec<OsString>),
}

impl Target {
    /// Exactly one of `url` and `command` must be there.
    pub(crate) fn new(url: Option<String>, command: Vec<OsString>) -> Result<Self, Failure> {
        let mut words = command.into_iter();
        match (url, words.next()) {
            (Some(word), None) => Self::of_word(word),
            (None, Some(program)) => match not_a_command(&program) {
                Some(failure) => Err(failure),
                None => Ok(Self::Command(program, words.collect())),
            },
            (None, None) => Err(missing()),
            (Some(url), Some(_)) => Err(Failure::usage(format!(
                "two targets: `{url}` and a command after `--`"
            ))
            .hint("give one of them")),
        }
    }

    /// A URL has a scheme, and a folder is there.
    fn of_word(word: String) -> Result<Self, Failure> {
        if word.contains("://") {
            return Ok(Self::Url(word));
        }
        match Path::new(&word).is_dir() {
            true => Ok(Self::Folder(word.into())),
            false => Err(no_target(&word)),
        }
    }

    /// How to open it. A command does not get the environment variable `without_env`.
    pub(crate) fn backend(
        self,
        args: &RemoteArgs,
        without_env: Option<&str>,
    ) -> Result<Backend, Failure> {
        let is_agent = args.acp.acp;
        match self {
            Self::Url(_) | Self::Folder(_) if is_agent => {
                Err(Failure::usage("--acp is for a command that is an agent")
                    .hint("the command goes after `--`: --acp -- ./my-agent acp"))
            }
            Self::Url(url) => {
                let remote = remote(&url, args)?;
                Ok(Backend::url(remote.options, remote.secrets))
            }
            Self::Folder(dir) => serve::backend(&dir, &FolderArgs::default()),
            Self::Command(program, words) => {
                let child = ChildOptions {
                    label: None,
                    program,
                    args: words,
                    limits: Limits::new(args.max_message),
                    env: Vec::new(),
                    without_env: without_env.map(OsString::from).into_iter().collect(),
                };
                if is_agent {
                    // The agent itself is started by the first call only.
                    is_there(&child.program)?;
                    return Ok(linkspan_agent::backend(child, (&args.acp).into()));
                }
                Ok(Backend::command(child))
            }
        }
    }
}

/// Whether a word can be a target.
pub(crate) fn is_target(word: &str) -> bool {
    word.contains("://") || Path::new(word).is_dir()
}

/// There is none.
pub(crate) fn missing() -> Failure {
    Failure::usage("no target")
        .hint("the target comes last: a URL, a folder, or a command after `--`")
}

/// Programs that start servers, for machines that do not have them.
const LAUNCHERS: [&str; 11] = [
    "npx", "uvx", "bunx", "node", "python", "python3", "deno", "docker", "uv", "pnpm", "bun",
];

/// Whether a word is the name of a program, or an executable file.
pub(crate) fn is_program(word: &str) -> bool {
    let path = Path::new(word);
    match path.components().count() {
        1 => LAUNCHERS.contains(&word) || in_path(path.as_os_str()),
        _ => path.is_file(),
    }
}

/// The command line that was typed, without the program's name.
fn typed() -> Vec<String> {
    let typed = std::env::args_os().skip(1);
    typed
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// The target is not the last word.
pub(crate) fn comes_last(target: &str) -> Failure {
    let mut typed = typed();
    if let Some(at) = typed.iter().rposition(|word| word == target) {
        let word = typed.remove(at);
        typed.push(word);
    }
    Failure::usage(format!(
        "the target `{}` comes last",
        on_one_line(&masked_url(target))
    ))
    .hint(line_of(&typed))
}

/// A command without `--` before it.
pub(crate) fn needs_dashes(program: &str) -> Failure {
    let typed = typed();
    match typed.iter().position(|word| word == program) {
        Some(at) => mistakes::command_without_dashes(&typed, at),
        None => no_target(program),
    }
}

/// Why the first word after `--` cannot be a command, and what was probably meant.
fn not_a_command(program: &OsStr) -> Option<Failure> {
    let word = program.to_str()?;
    if word.contains("://") {
        return Some(
            Failure::usage("a URL goes without `--`; what follows `--` is a command")
                .hint(line_without_dashes()),
        );
    }
    let path = Path::new(word);
    if path.is_file() || (path.components().count() == 1 && in_path(program)) {
        return None;
    }
    let shown = on_one_line(word);
    if path.is_dir() {
        let failure = format!("`{shown}` is a folder, and a folder goes without `--`");
        return Some(Failure::usage(failure).hint(line_without_dashes()));
    }
    let words: Vec<&str> = word.split_whitespace().collect();
    if words.len() > 1 && is_program(words[0]) {
        let failure = format!("there is no program `{shown}`: the words of a command are separate");
        return Some(Failure::usage(failure).hint(right_line(word, &words)));
    }
    let (name, _) = word.split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| {
        Failure::usage(format!("`{shown}` is an argument, not a command")).hint(
            "arguments come before the target: linkspan call TOOL NAME=VALUE (URL | FOLDER | -- COMMAND…)",
        )
    })
}

/// The command line that was typed, without its `--`.
fn line_without_dashes() -> String {
    let mut typed = typed();
    if let Some(at) = typed.iter().position(|word| word == "--") {
        typed.remove(at);
    }
    line_of(&typed)
}

/// A command line of `linkspan` for a hint, without its secrets.
fn line_of(words: &[String]) -> String {
    shown_line(std::iter::once("linkspan").chain(words.iter().map(String::as_str)))
}

/// Whether a word that is no folder is something else: a file, a program, or a URL without its scheme.
pub(crate) fn is_something_else(word: &str) -> bool {
    Path::new(word).is_file() || is_program(word) || with_scheme(word).is_some()
}

/// Why a word is no target, and what was probably meant.
pub(crate) fn no_target(word: &str) -> Failure {
    let path = Path::new(word);
    if path.is_file() {
        let program = match path.components().count() {
            1 => format!("./{word}"),
            _ => word.to_owned(),
        };
        return Failure::usage(format!("`{}` is a file, not a folder", on_one_line(word))).hint(
            format!(
                "a command goes after `--`: {}",
                right_line(word, &["--", &program])
            ),
        );
    }
    if is_program(word) {
        return Failure::usage(format!(
            "`{}` is a command, and a command goes after `--`",
            on_one_line(word)
        ))
        .hint(right_line(word, &["--", word]));
    }
    if let Some(url) = with_scheme(word) {
        return Failure::usage(format!(
            "`{}` is not a URL: the scheme is missing",
            on_one_line(word.split(['?', '#']).next().unwrap_or_default())
        ))
        .hint(right_line(word, &[&url]));
    }
    let word = on_one_line(word);
    let is_path = matches!(&*word, "." | "..") || word.contains(std::path::is_separator);
    match is_path {
        true => Failure::usage(format!("there is no folder `{word}`")).hint(
            "a folder of scripts has tools, prompts or resources in it; a URL begins with https://; a command goes after `--`",
        ),
        false => Failure::usage(format!("`{word}` is not a URL, and there is no folder of that name")).hint(
            "a URL begins with https://, for example https://mcp.example.com/mcp; a command goes after `--`",
        ),
    }
}

/// The command line that was typed, with other words in place of this one.
fn right_line(word: &str, instead: &[&str]) -> String {
    let mut typed = typed();
    let Some(at) = typed.iter().rposition(|typed| typed == word) else {
        return shown_line(instead.iter().copied());
    };
    typed.splice(at..=at, instead.iter().map(|word| (*word).to_owned()));
    line_of(&typed)
}

/// The URL that is meant by `localhost:8808/mcp` or `mcp.example.com/mcp`.
fn with_scheme(word: &str) -> Option<String> {
    let (place, path) = word.split_once('/').unwrap_or((word, ""));
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (place, None),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
    let is_host = host.starts_with(|c: char| c.is_ascii_alphanumeric()) && host.chars().all(plain);
    let is_port = port.is_some_and(|port| port.parse::<u16>().is_ok());
    let named = host == "localhost" || (host.contains('.') && word.contains('/'));
    if !is_host || (port.is_some() && !is_port) || !(is_port || named) {
        return None;
    }
    let is_here = host == "localhost" || host.starts_with("127.");
    let scheme = if is_here { "http" } else { "https" };
    let path = if path.is_empty() { "mcp" } else { path };
    Some(format!("{scheme}://{place}/{path}"))
}

/// Whether a backend can work, as far as that is known before it is opened.
pub(crate) fn check(backend: &Backend) -> Result<(), Failure> {
    backend.check()?;
    backend.program().map_or(Ok(()), is_there)
}

/// Whether a program is found.
pub(crate) fn is_there(program: &std::ffi::OsStr) -> Result<(), Failure> {
    if in_path(program) {
        return Ok(());
    }
    let shown = program.to_string_lossy();
    Err(Failure::new(
        Exit::Unreachable,
        format!("cannot start `{shown}`: there is no such program"),
    )
    .hint(format!("install `{shown}`, or give its full path")))
}

/// Whether a program of that name would be found.
fn in_path(program: &std::ffi::OsStr) -> bool {
    let program = std::path::Path::new(program);
    if program.components().count() > 1 || cfg!(windows) {
        // Windows looks in more places, and for more endings, than we know.
        return cfg!(windows) || program.exists();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_without_its_scheme_is_recognised() {
        for (word, url) in [
            ("localhost:1/mcp", "http://localhost:1/mcp"),
            ("localhost", "http://localhost/mcp"),
            ("127.0.0.1:8808", "http://127.0.0.1:8808/mcp"),
            ("mcp.example.com/mcp", "https://mcp.example.com/mcp"),
            ("my-host:443", "https://my-host:443/mcp"),
        ] {
            assert_eq!(with_scheme(word).as_deref(), Some(url), "{word}");
        }
        for word in [
            "foo",
            "server.py",
            "./my-server",
            "../a.b/c",
            "/a/b",
            "a:b",
            "a/b",
            "",
        ] {
            assert_eq!(with_scheme(word), None, "{word}");
        }
    }
}

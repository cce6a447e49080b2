//! TARGET: a URL, a folder of scripts, or a command after `--`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use linkspan_mcp::Era;
use linkspan_ports::{ChildOptions, HttpOptions, child, http, reach};
use linkspan_session::Port;
use linkspan_wire::Limits;

use crate::agent::{self, Terms};
use crate::args::RemoteArgs;
use crate::exit::{Exit, Failure};
use crate::mask::{shown_line, shown_url};
use crate::mistakes;
use crate::remote::{explain, remote};
use crate::serve::{self, args::FolderArgs};
use crate::show::on_one_line;

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

    /// Reads what is needed to open it, as often as somebody wants to.
    pub(crate) fn opener(self, args: &RemoteArgs) -> Result<Opener, Failure> {
        let is_agent = args.acp.acp;
        match self {
            Self::Url(_) | Self::Folder(_) if is_agent => {
                Err(Failure::usage("--acp is for a command that is an agent")
                    .hint("the command goes after `--`: --acp -- ./my-agent acp"))
            }
            Self::Url(url) => {
                let remote = remote(&url, args)?;
                Ok(Opener {
                    door: Door::Http(Box::new(remote.options)),
                    secrets: remote.secrets,
                })
            }
            Self::Folder(dir) => serve::opener(&dir, &FolderArgs::default()),
            Self::Command(program, args_of_it) => {
                let child = ChildOptions {
                    label: None,
                    program,
                    args: args_of_it,
                    limits: Limits::new(args.max_message),
                    env: Vec::new(),
                    without_env: Vec::new(),
                };
                if is_agent {
                    let opener = Opener::agent(agent::Door::new(child, Terms::usual(&args.acp)));
                    // It would be started by the first call only.
                    opener.check()?;
                    return Ok(opener);
                }
                Ok(Opener {
                    door: Door::Command(child),
                    secrets: Vec::new(),
                })
            }
        }
    }

    pub(crate) fn open(self, args: &RemoteArgs) -> Result<Port, Failure> {
        self.opener(args)?.open()
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
        on_one_line(&shown_url(target))
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

/// How to open a target.
pub(crate) struct Opener {
    door: Door,
    /// What must never be shown.
    pub(crate) secrets: Vec<String>,
}

enum Door {
    Http(Box<HttpOptions>),
    Command(ChildOptions),
    /// An agent behind a desk of our own.
    Agent(Box<agent::Door>),
    /// Something that we speak to ourselves, and its era if that is known.
    Port(Box<dyn Fn() -> Port + Send + Sync>, Option<Era>),
}

impl Opener {
    /// A server of our own, opened anew for every connection. It speaks the legacy era.
    pub(crate) fn local(open: impl Fn() -> Port + Send + Sync + 'static) -> Self {
        Self::port(open, Some(Era::Legacy))
    }

    /// A port of another kind, opened anew for every connection; `era` if it is known.
    pub(crate) fn port(open: impl Fn() -> Port + Send + Sync + 'static, era: Option<Era>) -> Self {
        Self {
            door: Door::Port(Box::new(open), era),
            secrets: Vec::new(),
        }
    }

    /// An agent, started anew for every connection that needs it. Its desk speaks the legacy era.
    pub(crate) fn agent(door: agent::Door) -> Self {
        Self {
            door: Door::Agent(Box::new(door)),
            secrets: Vec::new(),
        }
    }

    pub(crate) fn open(&self) -> Result<Port, Failure> {
        match &self.door {
            Door::Http(options) => http((**options).clone()).map_err(explain),
            Door::Command(options) => child(options.clone()).map_err(|e| {
                let failure = Failure::new(Exit::Unreachable, chain(&e));
                if e.is_not_found() {
                    let shown = options.program.to_string_lossy();
                    failure.hint(format!("install `{shown}`, or give its full path"))
                } else {
                    failure.hint("is it an executable file?")
                }
            }),
            Door::Agent(door) => Ok(door.open()),
            Door::Port(open, _) => Ok(open()),
        }
    }

    /// Keeps an environment variable from the command.
    pub(crate) fn without_env(mut self, name: Option<&str>) -> Self {
        match &mut self.door {
            Door::Command(options) => options.without_env.extend(name.map(OsString::from)),
            Door::Agent(door) => door.without_env(name),
            Door::Http(_) | Door::Port(..) => {}
        }
        self
    }

    /// Whether it can work at all, before anybody needs it.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match &self.door {
            Door::Http(options) => http((**options).clone()).map(drop).map_err(explain),
            Door::Port(..) => Ok(()),
            Door::Agent(door) => is_there(door.program()),
            Door::Command(options) => is_there(&options.program),
        }
    }

    /// Tries, in the background, whether a URL can be reached, and logs a warning if not: a server that
    /// is asked later is not an error yet, but a person should not have to guess.
    pub(crate) fn warn_if_unreachable(&self, wanted: bool) {
        let Door::Http(options) = &self.door else {
            return;
        };
        if wanted {
            let options = (**options).clone();
            tokio::spawn(async move {
                if let Err(why) = reach(&options).await {
                    tracing::warn!(
                        "{why}; start the server or check the URL; each request tries again"
                    );
                }
            });
        }
    }

    /// What it speaks, if we know better than anybody could tell us.
    pub(crate) fn era(&self) -> Option<Era> {
        match self.door {
            Door::Agent(_) => Some(Era::Legacy),
            Door::Port(_, era) => era,
            Door::Http(_) | Door::Command(_) => None,
        }
    }

    /// Whether it is a process of ours, which may die of a question that it does not know.
    pub(crate) fn is_command(&self) -> bool {
        matches!(self.door, Door::Command(_))
    }

    /// Whether its calls build on each other, so that one client's must all come to the same one. It
    /// says to which of them each of its questions belongs.
    pub(crate) fn keeps_sessions(&self) -> bool {
        matches!(self.door, Door::Agent(_))
    }
}

/// Whether a program can be started, as far as one can tell without doing so.
fn is_there(program: &std::ffi::OsStr) -> Result<(), Failure> {
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

fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
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

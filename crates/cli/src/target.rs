//! TARGET: a URL, a folder of scripts, or a command after `--`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use linkspan_mcp::Era;
use linkspan_ports::{ChildOptions, HttpOptions, child, http, reach};
use linkspan_session::Port;
use linkspan_wire::Limits;

use crate::agent::{self, Terms};
use crate::args::RemoteArgs;
use crate::exit::{Exit, Failure};
use crate::remote::{explain, remote};
use crate::serve::{self, args::FolderArgs};

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
            (None, Some(program)) => Ok(Self::Command(program, words.collect())),
            (None, None) => Err(Failure::usage("no target")
                .hint("the target comes last: a URL, a folder, or a command after `--`")),
            (Some(url), Some(_)) => Err(Failure::usage(format!(
                "two targets: `{url}` and a command after `--`"
            ))
            .hint("give one of them")),
        }
    }

    /// A folder if it is there, or can be nothing else; a URL otherwise.
    fn of_word(word: String) -> Result<Self, Failure> {
        let path = Path::new(&word);
        if word.contains("://") {
            return Ok(Self::Url(word));
        }
        if path.is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        let is_path = matches!(&*word, "." | "..") || word.contains(std::path::is_separator);
        match is_path {
            true => Err(Failure::usage(format!("`{word}` is not a folder"))
                .hint("a folder of scripts has tools, prompts or resources in it; a URL begins with https://; a command goes after `--`")),
            false => Ok(Self::Url(word)),
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

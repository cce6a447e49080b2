//! Errors of the libraries as failures of this program: an exit code and a hint.

use std::error::Error;
use std::io;

use linkspan_acp::{BreakReason, ChainBroken};
use linkspan_bridge::BridgeError;
use linkspan_client::{ArgumentsError, CallArgumentsError, ClientError, RequestError};
use linkspan_client_config::{EditError, MergeError};
use linkspan_conduct::ConductError;
use linkspan_conduct::handshake::ConnectError;
use linkspan_ports::{OptionsError, SpawnError};
use linkspan_scripts::author::names::NameError;
use linkspan_scripts::author::scaffold::ScaffoldError;
use linkspan_session::Fault;
use linkspan_shrink_layer::ShrinkError;

use crate::exit::{Exit, Failure};
use crate::show;

impl From<BridgeError> for Failure {
    fn from(error: BridgeError) -> Self {
        let what = error.to_string();
        match error {
            BridgeError::Options(error) => error.into(),
            BridgeError::Spawn(error) => error.into(),
            BridgeError::ServerClosed(fault) => fault.into(),
            BridgeError::Listen(_) => Self::new(Exit::Unreachable, what),
            BridgeError::Bind { source, .. } => {
                Self::new(Exit::Unreachable, what).hint(match source.kind() {
                    io::ErrorKind::AddrInUse => {
                        "another program listens there; --port 0 takes a free port"
                    }
                    io::ErrorKind::PermissionDenied => {
                        "ports below 1024 belong to the system; take a higher one"
                    }
                    _ => "--host must be an address of this machine",
                })
            }
            BridgeError::Output { unread_fifo, .. } => {
                let failure = Self::usage(what);
                if unread_fifo {
                    failure.hint("no program reads from this pipe; start the reader first")
                } else {
                    failure
                }
            }
        }
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Arguments(error) => error.into(),
            RequestError::Client { error, hint: None } => error.into(),
            RequestError::Client {
                error,
                hint: Some(hint),
            } => Self::from(error).hint(hint),
        }
    }
}

impl From<CallArgumentsError> for Failure {
    fn from(error: CallArgumentsError) -> Self {
        let failure = Self::usage(error.to_string());
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<ShrinkError> for Failure {
    fn from(error: ShrinkError) -> Self {
        match error {
            ShrinkError::Store { folder, source } => Self::new(
                Exit::Invalid,
                format!("--store {}: {source}", show::path(&folder)),
            )
            .hint("it must be a folder of yours for originals and nothing else, or one that can be made"),
            ShrinkError::StoreInRoots { folder, source } => {
                Self::usage(format!("--store {}: {source}", folder.display()))
            }
            ShrinkError::Roots(error) => error.into(),
        }
    }
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        let what = match &error {
            MergeError::Read { file, source } => {
                format!("cannot read {}: {source}", show::path(file))
            }
            MergeError::Write { file, source } => {
                format!("cannot write {}: {source}", show::path(file))
            }
            MergeError::Edit { file, source } => {
                let file = show::path(file);
                match source {
                    EditError::Syntax(why) => format!("{file} is not JSON: {why}"),
                    EditError::NoObject(what) => format!("{what} in {file} is not an object"),
                    EditError::Duplicate(name) => {
                        format!("`{name}` stands in {file} more than once")
                    }
                    EditError::Unsafe => {
                        format!("{file} is written in a way that we cannot add to")
                    }
                }
            }
        };
        Self::new(Exit::Invalid, what).hint(match error {
            MergeError::Read { .. } => "nothing was changed; without --write it is only printed",
            MergeError::Edit { .. } => {
                "nothing was changed; fix it, or add by hand what is printed without --write"
            }
            MergeError::Write { .. } => {
                "nothing was changed; add by hand what is printed without --write"
            }
        })
    }
}

impl From<NameError> for Failure {
    fn from(error: NameError) -> Self {
        Self::usage(show::on_one_line(&error.to_string())).hint(NameError::HINT)
    }
}

impl From<ScaffoldError> for Failure {
    fn from(error: ScaffoldError) -> Self {
        let what = show::on_one_line(&error.to_string());
        match error {
            ScaffoldError::Name(error) => error.into(),
            ScaffoldError::NotEmpty(dir) => Self::usage(what).hint(format!(
                "linkspan scaffold tool NAME {} adds to an existing folder",
                show::path(&dir)
            )),
            ScaffoldError::NotAFolder(dir) => {
                Self::usage(what).hint(format!("linkspan new {} makes one", show::path(&dir)))
            }
            ScaffoldError::NoArgument(_) => {
                Self::usage(what).hint("write PROMPT.ARGUMENT, for example review.language")
            }
            ScaffoldError::Exists(_) => {
                Self::new(Exit::Invalid, what).hint("take another name, or remove it")
            }
            ScaffoldError::Write { .. } => {
                Self::new(Exit::Invalid, what).hint("is it a folder of yours, on a disk with room?")
            }
        }
    }
}

impl From<SpawnError> for Failure {
    fn from(error: SpawnError) -> Self {
        let what = match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        Self::new(Exit::Unreachable, what).hint(if error.is_not_found() {
            format!("install `{}`, or give its full path", error.program())
        } else {
            "is it an executable file?".to_owned()
        })
    }
}

/// Options that cannot work are mistakes on the command line.
impl From<OptionsError> for Failure {
    fn from(error: OptionsError) -> Self {
        let hint = match &error {
            OptionsError::PlainHttp(_) => {
                "use https://, or --insecure-http if the network is yours alone"
            }
            OptionsError::Url(_) | OptionsError::Scheme(_) => {
                "for example https://mcp.example.com/mcp; a command goes after `--`"
            }
            OptionsError::Proxy { .. } => {
                "give an http:// or socks5:// URL, or unset the variable; NO_PROXY names hosts that need no proxy"
            }
            OptionsError::Framing(_) => {
                "leave out this -H (--header); linkspan sends it where it is needed"
            }
            OptionsError::Header(_) => "a header has the form 'NAME: VALUE', on one line",
            _ => "check the file given with --ca",
        };
        Self::usage(error.to_string()).hint(hint)
    }
}

impl From<ConductError> for Failure {
    fn from(error: ConductError) -> Self {
        let what = error.to_string();
        match error {
            ConductError::DebugFolder { .. } => Self::usage(what),
            ConductError::Output(error) => error.into(),
            ConductError::Broken(broken) => of_component(what, &broken),
        }
    }
}

/// A component of a chain has failed.
fn of_component(what: String, broken: &ChainBroken) -> Failure {
    let exit = match &broken.why {
        BreakReason::NotStarted(_) => Exit::Unreachable,
        BreakReason::Silent(_) => Exit::Timeout,
        BreakReason::Ended(_) | BreakReason::Noise | BreakReason::Stuck => Exit::Broken,
    };
    let failure = Failure::new(exit, what);
    match &broken.why {
        BreakReason::NotStarted(_) => failure.hint("install it, or give its full path"),
        BreakReason::Silent(_) => failure.hint("raise --start-timeout if it needs longer"),
        BreakReason::Ended(Fault::Ended { last_words, .. }) if !last_words.is_empty() => {
            failure.hint(format!("last lines of its stderr:\n{last_words}"))
        }
        _ => failure,
    }
}

/// The connection of `linkspan mcp` to its conductor.
impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        let (exit, hint) = match &error {
            ConnectError::NoListener { .. } => (
                Exit::Unreachable,
                "its session may have ended; a new session has a new endpoint",
            ),
            ConnectError::NotAPort(_) => (Exit::Usage, "this system has no Unix sockets"),
            ConnectError::NotTheConductor { .. } => (
                Exit::Broken,
                "its session may have ended, or another program has taken the port",
            ),
            ConnectError::Broken(_) => (
                Exit::Broken,
                "it is not reconnected: start the server again; if the conductor has ended, start a new session",
            ),
        };
        Self::new(exit, error.to_string()).hint(hint)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let what = error.to_string();
        match error {
            ClientError::Fault(fault) => fault.into(),
            ClientError::NoFirstAnswer { .. } => Self::new(Exit::Timeout, what)
                .hint("is it an MCP server? -v shows what it prints; --timeout 120 waits longer"),
            ClientError::EndedAtOnce { .. } => Self::new(Exit::Broken, what).hint(
                "an MCP server stays and answers on stdout; check the command and its arguments",
            ),
            ClientError::Echo(_) => {
                Self::new(Exit::Broken, what).hint("check the command and its arguments")
            }
            ClientError::Refused {
                method, code, data, ..
            } => {
                let mut failure = Self::new(Exit::ServerError, what);
                if let Some(data) = data {
                    failure = failure.data(data);
                }
                if code == "-32601" {
                    failure = failure.hint(format!("this server does not offer `{method}`"));
                }
                failure
            }
            ClientError::BadAnswer(_) => Self::new(Exit::Broken, what)
                .hint("-v shows more; a large answer may need --max-message"),
            ClientError::Gone => Self::new(Exit::Broken, what),
            ClientError::CannotAnswer(_) => Self::new(Exit::Broken, what)
                .hint("a question to a person is answered at a terminal; nothing else is here"),
            ClientError::TooManyQuestions => {
                Self::new(Exit::Broken, what).hint("this is a mistake of the server")
            }
        }
    }
}

impl From<ArgumentsError> for Failure {
    fn from(error: ArgumentsError) -> Self {
        Self::usage(error.to_string()).hint(format!(
            "{}; --unchecked sends them as they are",
            error.takes()
        ))
    }
}

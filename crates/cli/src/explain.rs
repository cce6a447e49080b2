//! Errors of the libraries as failures of this program: an exit code and a hint.

use std::error::Error;
use std::io;

use linkspan_bridge::BridgeError;
use linkspan_client_config::{EditError, MergeError};
use linkspan_ports::{OptionsError, SpawnError};
use linkspan_scripts::author::names::NameError;
use linkspan_scripts::author::scaffold::ScaffoldError;
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
        Self::usage(show::on_one_line(&error.to_string())).hint(
            "letters, digits, _ and -, at most 64 of them, beginning with a letter or a digit",
        )
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

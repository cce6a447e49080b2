//! Exit codes, and errors with hints for the user.

use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use linkspan_console::Stop;
use linkspan_session::Fault;

use crate::harmless::indented;

/// The exit codes. They are documented in `--help` and the manual page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It worked; for `connect`, the client closed its side.
    Ok,
    /// The server answered with a JSON-RPC error.
    ServerError,
    /// A file is not valid, or cannot be read or written.
    Invalid,
    /// The command line is wrong, or names a folder that does not exist.
    Usage,
    /// The target cannot be reached or started.
    Unreachable,
    /// The peer violated the protocol or exited.
    Broken,
    /// The tool reports that it failed (`isError`).
    ToolError,
    /// No answer in time.
    Timeout,
    /// The terminal was closed (SIGHUP).
    HungUp,
    /// Interrupted (SIGINT).
    Interrupted,
    /// Terminated (SIGTERM).
    Terminated,
}

/// The end of `--help` and of the manual page. A macro, so that it can be a part of longer texts.
macro_rules! exit_codes {
    () => {
        "\
Exit codes:
  0    it worked (connect: the client closed its side)
  1    the server answered with an error; audit, bcp, validate: not valid
  2    the command line is wrong, or names a folder that does not exist
  3    the target cannot be reached or started
  4    the peer broke the protocol or died
  5    the tool says that it failed (isError)
  6    no answer in time
  129  hung up (SIGHUP)
  130  interrupted (SIGINT)
  143  terminated (SIGTERM)"
    };
}
pub(crate) use exit_codes;

impl From<Stop> for Exit {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Done => Self::Ok,
            Stop::Interrupted => Self::Interrupted,
            Stop::Terminated => Self::Terminated,
            Stop::HungUp => Self::HungUp,
        }
    }
}

impl Exit {
    /// The number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::ServerError | Self::Invalid => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::Broken => 4,
            Self::ToolError => 5,
            Self::Timeout => 6,
            Self::HungUp => 129,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// The prefix of further lines of a message, which may contain text of a peer.
const MORE: &str = "  ";

/// Prints a warning. For commands that do one thing and end; a server logs.
pub(crate) fn warn(what: &str) {
    let yellow = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
    anstream::eprintln!("{yellow}warning{yellow:#}: {}", indented(what, MORE));
}

/// Prints what the user can do next.
pub(crate) fn print_hint(hint: &str) {
    let cyan = Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()));
    anstream::eprintln!("{cyan}hint{cyan:#}: {}", indented(hint, MORE));
}

/// An error with its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) what: String,
    data: Option<String>,
    hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self {
            exit,
            what: what.into(),
            data: None,
            hint: None,
        }
    }

    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what)
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a hint, if there is one.
    #[must_use]
    pub(crate) fn hinted(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into);
        self
    }

    /// Adds the data of the server's error.
    #[must_use]
    pub(crate) fn data(mut self, data: impl Into<String>) -> Self {
        self.data = Some(data.into());
        self
    }

    /// The message and its hint in one sentence, for a model.
    pub(crate) fn in_words(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}; {hint}", self.what),
            None => self.what.clone(),
        }
    }

    pub(crate) fn print(&self) {
        let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
        let cyan = Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()));
        anstream::eprintln!("{red}error{red:#}: {}", indented(&self.what, MORE));
        if let Some(data) = &self.data {
            anstream::eprintln!("{cyan}data{cyan:#}: {}", indented(data, MORE));
        }
        if let Some(hint) = &self.hint {
            print_hint(hint);
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let exit = match fault {
            Fault::ConnectFailed { .. } => Exit::Unreachable,
            Fault::HttpStatus { .. } => Exit::ServerError,
            Fault::Timeout { .. } => Exit::Timeout,
            _ => Exit::Broken,
        };
        Self::new(exit, fault.to_string()).hint(fault.last_hint())
    }
}

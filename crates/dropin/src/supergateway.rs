//! The command line of supergateway: `supergateway (--stdio COMMAND | --sse URL | --streamableHttp URL) [FLAGS]`.
//!
//! The words are read as yargs reads them for the original: names in camel case or with dashes, `--name=value`, lists
//! that take every word up to the next flag.

mod command;
mod flags;
mod line;
mod translate;
mod words;

use std::net::IpAddr;
use std::time::Duration;

pub use flags::{FLAGS, supergateway_help};

use crate::note::Note;

/// A command line of supergateway, as values.
#[derive(Debug)]
pub struct Supergateway {
    /// What is bridged to what.
    pub mode: Mode,
    /// Headers for requests to the remote server, or for responses to clients.
    pub headers: Vec<(String, String)>,
    /// What is logged.
    pub log: LogLevel,
    /// What the user should know.
    pub notes: Vec<Note>,
}

/// What is bridged to what.
#[derive(Debug)]
pub enum Mode {
    /// A client on stdio and a server at a URL.
    ToStdio {
        /// The URL.
        url: String,
        /// Whether it is an HTTP+SSE server; Streamable HTTP otherwise.
        sse: bool,
    },
    /// Clients on the network and a server that is a command.
    ToNetwork(Network),
}

/// How a command is served.
#[derive(Debug)]
pub struct Network {
    /// Its words.
    pub command: Vec<String>,
    /// How clients reach it.
    pub output: Output,
    /// The port.
    pub port: u16,
    /// The address, if not all.
    pub host: Option<IpAddr>,
    /// Origins of web pages that may call: texts, `/expressions/`, or `*`.
    pub cors: Vec<String>,
    /// Paths that answer `ok`.
    pub health: Vec<String>,
}

/// How clients reach a command.
#[derive(Debug, PartialEq, Eq)]
pub enum Output {
    /// HTTP+SSE.
    Sse {
        /// The prefix of the endpoint that clients are told.
        base_url: String,
        /// Where the stream is.
        path: String,
        /// Where messages are POSTed.
        message_path: String,
    },
    /// WebSocket.
    Ws {
        /// Where.
        path: String,
    },
    /// Streamable HTTP.
    StreamableHttp {
        /// Where.
        path: String,
        /// Whether clients have sessions, and after which time without use they end.
        sessions: Option<Duration>,
        /// The revision for clients that have no session and name none.
        version: String,
    },
}

/// What is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// Everything.
    Debug,
    /// What a user wants to know.
    Info,
    /// Nothing.
    None,
}

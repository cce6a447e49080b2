//! Options of a served folder.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

/// Options of a served folder.
#[derive(Clone)]
pub struct Options {
    /// This program: the trampoline of the sandbox, and the jq for tools.
    pub exe: PathBuf,
    /// Whether the folder is watched for changes.
    pub watch: bool,
    /// The minimum sandbox level of every script.
    pub sandbox: Option<u8>,
    /// Limit of concurrent scripts, overriding the folder's.
    pub concurrency: Option<usize>,
    /// Folders whose files may be read by their `file://` address.
    pub roots: Vec<PathBuf>,
    /// Reads `https://` addresses; `None` refuses them.
    pub https: Option<Arc<dyn Fetch>>,
    /// Whether `git` addresses may be read.
    pub git: bool,
    /// Resolves allowed hosts; without it git reads only repositories of this machine.
    pub hosts: Option<Arc<dyn Hosts>>,
    /// Whether folders and files that other users can write are accepted.
    pub accept_writable: bool,
    /// Whether only the handshake, ping and logging are offered.
    pub minimal: bool,
    /// Whether the client may end the server with `shutdown` and `exit`: only for a single client.
    pub shutdown: bool,
    /// Log only the problems of the tool with this name.
    pub problems_of: Option<String>,
    /// Our environment, of which scripts see a part.
    pub env: Vec<(OsString, OsString)>,
    /// The folder for temporary files.
    pub temp: PathBuf,
}

impl Options {
    /// The usual options.
    pub fn new(exe: PathBuf, env: Vec<(OsString, OsString)>, temp: PathBuf) -> Self {
        Self {
            exe,
            watch: false,
            sandbox: None,
            concurrency: None,
            roots: Vec::new(),
            https: None,
            git: false,
            hosts: None,
            accept_writable: false,
            minimal: false,
            shutdown: false,
            problems_of: None,
            env,
            temp,
        }
    }
}

/// Fetches the content of an address. The implementation decides which hosts it connects to.
pub trait Fetch: Send + Sync {
    /// Fetches at most `most` bytes.
    fn fetch<'a>(
        &'a self,
        uri: &'a str,
        most: usize,
    ) -> Pin<Box<dyn Future<Output = Result<Fetched, NotFetched>> + Send + 'a>>;
}

/// Resolves hosts for programs that make their own connections.
pub trait Hosts: Send + Sync {
    /// The addresses of a host, if it is allowed. Programs must not connect to any other.
    fn addresses<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, NotFetched>> + Send + 'a>>;
}

/// Why there is no content, with the exit codes of providers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFetched {
    /// The scheme is not supported; exit code 2.
    Unsupported(String),
    /// The resource does not exist; exit code 3.
    NotFound,
    /// Access is denied; exit code 4.
    Forbidden(String),
    /// The fetch failed; exit code 5.
    Failed(String),
    /// The resource exceeds the size limit; exit code 6.
    TooLarge(String),
}

impl NotFetched {
    /// The exit code of providers for this error.
    pub fn code(&self) -> i32 {
        match self {
            Self::Unsupported(_) => 2,
            Self::NotFound => 3,
            Self::Forbidden(_) => 4,
            Self::Failed(_) => 5,
            Self::TooLarge(_) => 6,
        }
    }

    /// The details, if there are any.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::NotFound => None,
            Self::Unsupported(why)
            | Self::Forbidden(why)
            | Self::Failed(why)
            | Self::TooLarge(why) => Some(why),
        }
    }
}

/// A fetched resource.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The body.
    pub bytes: Vec<u8>,
    /// The media type that the server declared.
    pub mime: Option<String>,
}

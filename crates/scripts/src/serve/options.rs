//! How a folder is served.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

/// How a folder is served.
#[derive(Clone)]
pub struct Options {
    /// Our own program: the trampoline of the sandbox, and the jq for tools.
    pub exe: PathBuf,
    /// Whether changes are noticed while we run.
    pub watch: bool,
    /// The least sandbox for every script.
    pub sandbox: Option<u8>,
    /// Scripts that run at once, in place of what the folder says.
    pub concurrency: Option<usize>,
    /// Folders whose files may be read by their `file://` address.
    pub roots: Vec<PathBuf>,
    /// Reads `https://` addresses; `None` refuses them.
    pub https: Option<Arc<dyn Fetch>>,
    /// Whether `git` addresses may be read.
    pub git: bool,
    /// Says where other machines may be reached; without it git reads only what is on this one.
    pub hosts: Option<Arc<dyn Hosts>>,
    /// Whether folders and files that others can write are taken all the same.
    pub accept_writable: bool,
    /// Whether nothing but the handshake, ping and logging is offered.
    pub minimal: bool,
    /// Whether the client may end the server with `shutdown` and `exit`: only if it is the only one.
    pub shutdown: bool,
    /// Problems are logged only if they concern the tool of this name.
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
    /// Gets it, but no more than `most` bytes.
    fn fetch<'a>(
        &'a self,
        uri: &'a str,
        most: usize,
    ) -> Pin<Box<dyn Future<Output = Result<Fetched, NotFetched>> + Send + 'a>>;
}

/// Says where a host may be reached by programs that connect by themselves.
pub trait Hosts: Send + Sync {
    /// Its addresses, if it may be asked at all. No other may be connected to.
    fn addresses<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, NotFetched>> + Send + 'a>>;
}

/// Why there is nothing: what a provider's exit codes say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFetched {
    /// No such address can be read; exit code 2.
    Unsupported(String),
    /// There is nothing of that address; exit code 3.
    NotFound,
    /// It may not be read; exit code 4.
    Forbidden(String),
    /// It could not be got; exit code 5.
    Failed(String),
    /// It is larger than it may be; exit code 6.
    TooLarge(String),
}

impl NotFetched {
    /// The exit code that stands for it in providers.
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

/// What an address stood for.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The body.
    pub bytes: Vec<u8>,
    /// What the other side says that it is.
    pub mime: Option<String>,
}

//! Within which bounds something runs. An entry's metadata comes before the server's file, and that
//! before the defaults here.

use std::path::PathBuf;
use std::time::Duration;

/// How a tool runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Mode {
    /// A process for each call.
    Once,
    /// Processes that stay and take one call after the other.
    Worker(WorkerSettings),
    /// A server of its own, whose tools are listed among ours.
    Mcp(MountSettings),
}

/// Processes that stay.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerSettings {
    /// How many at most.
    pub count: usize,
    /// Calls that one of them takes at once.
    pub concurrency: usize,
    /// When one that has nothing to do is ended.
    pub idle: Duration,
    /// After so many calls one is replaced; `None` keeps it.
    pub max_calls: Option<u64>,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self {
            count: 1,
            concurrency: 1,
            idle: Duration::from_secs(300),
            max_calls: None,
        }
    }
}

/// A mounted server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MountSettings {
    /// Stands before the names of its tools; by default the name of the entry and `_`.
    pub prefix: Option<String>,
}

/// Within which bounds something runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSettings {
    /// How long it may take.
    pub timeout: Duration,
    /// Whether every progress begins the time anew.
    pub progress_extends: bool,
    /// How long it may take even so.
    pub max_timeout: Duration,
    /// What the model is told when the time is over.
    pub timeout_hint: Option<String>,
    /// Between TERM and KILL.
    pub grace: Duration,
    /// What its output may weigh.
    pub max_output: usize,
    /// Progress notifications that are passed on in a minute.
    pub progress_per_minute: usize,
    /// Log messages that are passed on in a minute.
    pub logs_per_minute: usize,
    /// Calls of it that run at once.
    pub concurrency: Option<usize>,
    /// What it sees of our environment.
    pub env: EnvSettings,
    /// What it may reach.
    pub sandbox: SandboxSettings,
    /// What it may use up.
    pub limits: LimitSettings,
    /// Where it runs; `None` is the root of the folder.
    pub cwd: Option<PathBuf>,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            progress_extends: false,
            max_timeout: Duration::from_secs(600),
            timeout_hint: None,
            grace: Duration::from_secs(1),
            max_output: 10 << 20,
            progress_per_minute: 100,
            logs_per_minute: 100,
            concurrency: None,
            env: EnvSettings::default(),
            sandbox: SandboxSettings::default(),
            limits: LimitSettings::default(),
            cwd: None,
        }
    }
}

/// What a program sees of our environment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EnvSettings {
    /// Which variables it gets.
    pub mode: EnvMode,
    /// More of them by name, or by a beginning and `*`.
    pub allow: Vec<String>,
    /// Set for it.
    pub set: Vec<(String, String)>,
}

/// Which variables a program gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnvMode {
    /// Those that hardly any program can do without.
    #[default]
    Minimal,
    /// Only those that are named.
    Allowlist,
    /// All of them.
    Inherit,
}

/// What a program may reach.
#[derive(Debug, Clone, PartialEq)]
pub struct SandboxSettings {
    /// 0: everything; 1: no more rights than we have; 2: only the files and ports below.
    pub level: u8,
    /// Files and folders that it may read, besides those that every program needs.
    pub read: Vec<PathBuf>,
    /// Files and folders that it may write.
    pub write: Vec<PathBuf>,
    /// TCP ports that it may connect to; `None` is all of them, empty is none.
    pub net: Option<Vec<u16>>,
    /// Whether it may also read and write what is in the client's roots.
    pub roots: bool,
    /// Whether it may run without what this system cannot enforce.
    pub optional: bool,
}

impl Default for SandboxSettings {
    fn default() -> Self {
        Self {
            level: 1,
            read: Vec::new(),
            write: Vec::new(),
            net: None,
            roots: false,
            optional: false,
        }
    }
}

/// What a program may use up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LimitSettings {
    /// Seconds of a processor.
    pub cpu: Option<u64>,
    /// Bytes of address space.
    pub memory: Option<u64>,
    /// Open files.
    pub files: Option<u64>,
    /// Bytes of one file that it writes.
    pub file_size: Option<u64>,
    /// Processes of this user.
    pub processes: Option<u64>,
}

impl LimitSettings {
    /// Whether there is any.
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }
}

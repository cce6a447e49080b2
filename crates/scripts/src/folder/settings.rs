//! Limits and permissions of programs. Metadata of an entry overrides the server's file, which overrides the
//! defaults here.

use std::path::PathBuf;
use std::time::Duration;

/// The mode of a tool.
#[derive(Debug, Clone, PartialEq)]
pub enum Mode {
    /// One process per call.
    Once,
    /// Long-running processes that take one call after the other.
    Worker(WorkerSettings),
    /// A server of its own, whose tools are listed among ours.
    Mcp(MountSettings),
}

/// Processes that stay.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerSettings {
    /// The maximum number of processes.
    pub count: usize,
    /// Concurrent calls per process.
    pub concurrency: usize,
    /// How long an unused process is kept.
    pub idle: Duration,
    /// A process is replaced after this many calls; `None` keeps it.
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
    /// The prefix of the names of its tools; by default the name of the entry and `_`.
    pub prefix: Option<String>,
}

/// Limits and permissions of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSettings {
    /// The time limit.
    pub timeout: Duration,
    /// Whether progress restarts the time limit.
    pub progress_extends: bool,
    /// The upper limit of the time, including progress.
    pub max_timeout: Duration,
    /// The text for the model after a timeout.
    pub timeout_hint: Option<String>,
    /// Between TERM and KILL.
    pub grace: Duration,
    /// The output limit.
    pub max_output: usize,
    /// Progress notifications forwarded per minute.
    pub progress_per_minute: usize,
    /// Log messages forwarded per minute.
    pub logs_per_minute: usize,
    /// Limit of concurrent calls of this entry.
    pub concurrency: Option<usize>,
    /// The environment variables that it gets.
    pub env: EnvSettings,
    /// The files and ports that it may access.
    pub sandbox: SandboxSettings,
    /// Resource limits.
    pub limits: LimitSettings,
    /// The working directory; `None` is the root of the folder.
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

/// The environment of a program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EnvSettings {
    /// The set of inherited variables.
    pub mode: EnvMode,
    /// Additional variables by name, or by a prefix and `*`.
    pub allow: Vec<String>,
    /// Variables to set.
    pub set: Vec<(String, String)>,
}

/// The set of inherited variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnvMode {
    /// The variables that most programs need.
    #[default]
    Minimal,
    /// Only the listed variables and `PATH`.
    Allowlist,
    /// All variables.
    Inherit,
}

/// What a program may access.
#[derive(Debug, Clone, PartialEq)]
pub struct SandboxSettings {
    /// 0: everything; 1: no privileges beyond ours; 2: only the files and ports below.
    pub level: u8,
    /// Files and folders that it may read, besides those that every program needs.
    pub read: Vec<PathBuf>,
    /// Files and folders that it may write.
    pub write: Vec<PathBuf>,
    /// TCP ports that it may connect to; `None` allows all, an empty list none.
    pub net: Option<Vec<u16>>,
    /// Whether it may read and write the client's roots.
    pub roots: bool,
    /// Whether it may run if the system cannot enforce everything.
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

/// Resource limits of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LimitSettings {
    /// CPU seconds.
    pub cpu: Option<u64>,
    /// Bytes of address space.
    pub memory: Option<u64>,
    /// Open files.
    pub files: Option<u64>,
    /// The size of a file that it writes, in bytes.
    pub file_size: Option<u64>,
    /// The number of processes of this user.
    pub processes: Option<u64>,
}

impl LimitSettings {
    /// Whether any limit is set.
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }
}

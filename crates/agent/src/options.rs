//! The user's settings for every session of an agent.

use std::path::PathBuf;
use std::time::Duration;

use crate::servers::Servers;

/// How the permission requests of an agent are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionPolicy {
    /// Ask the client; refuse if it cannot ask its user.
    Ask,
    /// Allow everything without asking.
    Allow,
    /// Refuse everything without asking.
    Deny,
}

impl PermissionPolicy {
    /// All of them, by name, with what they mean.
    pub const NAMED: [(&str, Self, &str); 3] = [
        (
            "ask",
            Self::Ask,
            "Ask the client; refuse if it cannot be asked",
        ),
        ("allow", Self::Allow, "Allow everything, without asking"),
        ("deny", Self::Deny, "Refuse everything, without asking"),
    ];
}

/// The user's settings for every session.
pub struct AgentOptions {
    /// How permission requests are answered.
    pub permission: PermissionPolicy,
    /// The folder of sessions that name none; if `None`, the client's first root or the current folder.
    pub cwd: Option<PathBuf>,
    /// The current folder of this process, if it has one.
    pub current_dir: Option<PathBuf>,
    /// How long the agent may take to start, and to begin a session.
    pub start_timeout: Duration,
    /// The MCP servers that the agent may use.
    pub servers: Servers,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            permission: PermissionPolicy::Ask,
            cwd: None,
            current_dir: None,
            // `npx` may have to download the agent.
            start_timeout: Duration::from_secs(60),
            servers: Servers::default(),
        }
    }
}

//! The programs whose command lines are taken.

/// A program that linkspan replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Connects a stdio client to a URL.
    McpRemote,
    /// Signs in to a URL, and lists what the server there offers.
    McpRemoteClient,
    /// Connects stdio servers and HTTP clients, or the other way round.
    Supergateway,
}

impl Program {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::McpRemote, Self::McpRemoteClient, Self::Supergateway];

    /// The program with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::McpRemote => "mcp-remote",
            Self::McpRemoteClient => "mcp-remote-client",
            Self::Supergateway => "supergateway",
        }
    }
}

/// What a command line asks for.
#[derive(Debug)]
pub enum Asked<T> {
    /// The flags.
    Help,
    /// The version.
    Version,
    /// The program itself.
    Run(T),
}

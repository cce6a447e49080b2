//! How a client reaches a server.

/// How a client reaches a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// The client starts the server.
    Command {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that the client sets for it.
        env: Vec<(String, String)>,
    },
    /// The server runs already.
    Url {
        /// The URL.
        url: String,
        /// A command that connects a stdio client to the URL, for clients that only start commands.
        bridge: Vec<String>,
    },
}

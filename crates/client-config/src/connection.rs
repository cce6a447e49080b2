//! How a client connects to a server.

/// How a client connects to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// The client starts the server.
    Command {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that the client sets for it.
        env: Vec<Variable>,
    },
    /// The server is already running.
    Url {
        /// The URL.
        url: String,
        /// A command that connects a stdio client to the URL, for clients that only start commands.
        bridge: Vec<String>,
    },
}

/// A variable that a client sets for a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Variable {
    /// With a value that is no secret.
    Set(String, String),
    /// With a secret. The entry refers to it in the way of the client, and does not have it.
    Secret(String),
}

impl Variable {
    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Self::Set(name, _) | Self::Secret(name) => name,
        }
    }
}

impl Connection {
    /// The command that opens the server in the MCP Inspector.
    pub fn inspector(&self) -> Vec<String> {
        let start = ["npx", "@modelcontextprotocol/inspector"];
        let mut command: Vec<String> = start.map(str::to_owned).into();
        match self {
            Self::Command { program, args, .. } => {
                command.extend(["--".to_owned(), program.clone()]);
                command.extend_from_slice(args);
            }
            Self::Url { url, .. } => {
                command.extend(["--transport", "http", "--server-url", url].map(str::to_owned));
            }
        }
        command
    }

    /// The names of the variables with secrets.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let env = match self {
            Self::Command { env, .. } => &env[..],
            Self::Url { .. } => &[],
        };
        env.iter().filter_map(|variable| match variable {
            Variable::Secret(name) => Some(name.as_str()),
            Variable::Set(..) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inspector_starts_a_command_and_connects_to_a_url() {
        let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let command = Connection::Command {
            program: "p".to_owned(),
            args: words(&["a"]),
            env: Vec::new(),
        };
        let inspector = "npx @modelcontextprotocol/inspector";
        assert_eq!(command.inspector().join(" "), format!("{inspector} -- p a"));
        let url = Connection::Url {
            url: "http://x/mcp".to_owned(),
            bridge: Vec::new(),
        };
        assert_eq!(
            url.inspector().join(" "),
            format!("{inspector} --transport http --server-url http://x/mcp")
        );
    }
}

//! Clients that do not give a model all definitions of tools at once. They get the server's own definitions: a
//! shorter one would hide from their search what it looks for, and save nothing.
//!
//! The names are those of `clientInfo`, as their clients sent them in November 2026. A client that is not in the table
//! gives its model the whole list: Claude Desktop, VS Code, Zed, opencode, Goose, LibreChat and others.

/// A client that defers definitions.
struct Deferring {
    /// The beginning of its name, in lower case; a bridge may add something behind it.
    name: &'static str,
    /// It does so with more tools than this.
    above: usize,
}

const CLIENTS: [Deferring; 3] = [
    // Tool search is on by default since its releases of 2026; the model sees names first. It is off for servers of
    // other model providers, which a tool server cannot see: `--tools thin` is for those.
    Deferring {
        name: "claude-code",
        above: 0,
    },
    // Tool search for more than 100 tools (openai/codex, issue 18097, 2026).
    Deferring {
        name: "codex",
        above: 100,
    },
    // Names first, definitions in files, since January 2026. The editor calls itself `cursor-vscode`.
    Deferring {
        name: "cursor",
        above: 0,
    },
];

/// Whether a client with this name defers the definitions of so many tools.
pub(crate) fn defers(client: Option<&str>, tools: usize) -> bool {
    let Some(client) = client.map(str::to_ascii_lowercase) else {
        return false;
    };
    CLIENTS
        .iter()
        .any(|one| client.starts_with(one.name) && tools > one.above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_known_by_the_beginning_of_its_name() {
        for (client, tools, is_deferring) in [
            (Some("claude-code"), 1, true),
            (Some("Claude-Code/2.1 (via mcp-remote 0.1.37)"), 1, true),
            (Some("claude-ai"), 1000, false),
            (Some("codex-mcp-client"), 100, false),
            (Some("codex-mcp-client"), 101, true),
            (Some("cursor-vscode"), 1, true),
            (Some("Visual Studio Code"), 1000, false),
            (None, 1000, false),
        ] {
            assert_eq!(defers(client, tools), is_deferring, "{client:?}");
        }
    }
}

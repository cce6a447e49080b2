//! The supported clients.

use std::borrow::Cow;

mod command;
mod entry;
mod location;

use crate::format::Format;
use crate::slot::Slot;
pub(crate) use entry::{PLACEHOLDER, WRITTEN};
pub use location::Scope;

/// A known client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cline
    Cline,
    /// Codex
    Codex,
    /// Continue
    Continue,
    /// Crush
    Crush,
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
    /// Goose
    Goose,
    /// Kiro
    Kiro,
    /// LM Studio
    LmStudio,
    /// opencode
    OpenCode,
    /// Visual Studio Code
    VsCode,
    /// Windsurf
    Windsurf,
    /// Zed
    Zed,
}

/// The properties of a client's configuration.
struct About {
    id: &'static str,
    title: &'static str,
    format: Format,
    key: &'static str,
    afterwards: &'static str,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Cline,
        Self::Codex,
        Self::Continue,
        Self::Crush,
        Self::Cursor,
        Self::Gemini,
        Self::Goose,
        Self::Kiro,
        Self::LmStudio,
        Self::OpenCode,
        Self::VsCode,
        Self::Windsurf,
        Self::Zed,
    ];

    fn about(self) -> About {
        use Format::{Json, Toml, Yaml};
        let about = |id, title, format, key, afterwards| About {
            id,
            title,
            format,
            key,
            afterwards,
        };
        #[rustfmt::skip]
        let about = match self {
            Self::ClaudeCode => about("claude-code", "Claude Code", Json, "mcpServers",
                "start claude again; it asks before it uses the server of a project"),
            Self::ClaudeDesktop => about("claude-desktop", "Claude Desktop", Json, "mcpServers",
                "quit Claude Desktop and start it again"),
            Self::Cline => about("cline", "Cline", Json, "mcpServers",
                "Cline sees it at once; its MCP Servers panel shows whether it runs"),
            Self::Codex => about("codex", "Codex", Toml, "mcp_servers",
                "start codex again; /mcp shows whether the server runs"),
            Self::Continue => about("continue", "Continue", Yaml, "mcpServers",
                "reload the window of the editor; only the agent mode of Continue has tools"),
            Self::Crush => about("crush", "Crush", Json, "mcp",
                "start crush again; its side bar shows whether the server runs"),
            Self::Cursor => about("cursor", "Cursor", Json, "mcpServers",
                "switch the server on in Cursor's settings, under MCP"),
            Self::Gemini => about("gemini", "Gemini CLI", Json, "mcpServers",
                "start gemini again; /mcp shows whether the server runs"),
            Self::Goose => about("goose", "Goose", Yaml, "extensions",
                "start a new session of goose"),
            Self::Kiro => about("kiro", "Kiro", Json, "mcpServers",
                "Kiro sees it at once; its MCP Servers panel shows whether it runs"),
            Self::LmStudio => about("lm-studio", "LM Studio", Json, "mcpServers",
                "switch the server on in the Program tab of LM Studio"),
            Self::OpenCode => about("opencode", "opencode", Json, "mcp",
                "start opencode again; opencode mcp list shows whether the server runs"),
            Self::VsCode => about("vscode", "Visual Studio Code", Json, "servers",
                "start the server from the file, or with MCP: List Servers"),
            Self::Windsurf => about("windsurf", "Windsurf", Json, "mcpServers",
                "press Refresh in the MCP panel of Windsurf"),
            Self::Zed => about("zed", "Zed", Json, "context_servers",
                "Zed sees it at once; its agent panel shows whether it runs"),
        };
        about
    }

    /// The name of the product.
    pub fn title(self) -> &'static str {
        self.about().title
    }

    /// A short name for command lines and JSON.
    pub fn id(self) -> &'static str {
        self.about().id
    }

    /// The client with this [id](Self::id).
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.id() == id)
    }

    /// The format of its configuration.
    pub fn format(self) -> Format {
        self.about().format
    }

    /// The member of its configuration with the servers.
    pub fn key(self) -> &'static str {
        self.about().key
    }

    /// The place of a server in its configuration.
    pub fn slot(self, name: &str) -> Slot<'_> {
        Slot {
            key: self.key(),
            named_by: (self == Self::Continue).then_some("name"),
            name,
        }
    }

    /// The text of its configuration; an empty one gets the members that the client needs beside the servers.
    pub(crate) fn with_start(self, text: &str) -> Cow<'_, str> {
        if self == Self::Continue && text.trim_start_matches('\u{feff}').trim().is_empty() {
            return "name: Local\nversion: 1.0.0\nschema: v1\n".into();
        }
        text.into()
    }

    /// What the user has to do before the client uses the server.
    pub fn afterwards(self) -> &'static str {
        self.about().afterwards
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_is_found_by_its_id() {
        for client in Client::ALL {
            assert_eq!(Client::by_id(client.id()), Some(client));
        }
        assert_eq!(Client::by_id("other"), None);
    }
}

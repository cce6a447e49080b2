//! The protocol eras of client and server.

use clap::{Args, ValueEnum};
use linkspan_mcp::Era;

// The era of each side, if it is not detected.
#[derive(Debug, Args, Clone, Copy)]
#[command(next_help_heading = "Protocol era")]
pub(crate) struct EraArgs {
    /// MCP era of the client: legacy (2024-11-05 to 2025-11-25) or modern (2026-07-28)
    #[arg(
        long,
        value_enum,
        value_name = "ERA",
        default_value = "auto",
        hide_short_help = true
    )]
    pub(crate) client_era: EraArg,
    /// MCP era of the server, as above
    #[arg(
        long,
        visible_alias = "era",
        value_enum,
        value_name = "ERA",
        default_value = "auto",
        hide_short_help = true
    )]
    pub(crate) server_era: EraArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EraArg {
    /// Detect it
    Auto,
    /// The handshake revisions, 2024-11-05 to 2025-11-25
    Legacy,
    /// The stateless revision, 2026-07-28
    Modern,
}

impl EraArg {
    pub(crate) fn forced(self) -> Option<Era> {
        match self {
            Self::Auto => None,
            Self::Legacy => Some(Era::Legacy),
            Self::Modern => Some(Era::Modern),
        }
    }
}

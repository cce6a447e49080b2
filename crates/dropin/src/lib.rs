//! The command lines of mcp-remote and supergateway, as options of linkspan.
//!
//! A line is parsed as its program parses it, into values: what to connect or serve, and [`Note`]s about flags that
//! have no effect with us. Nothing is read but what the caller's [`Surroundings`] give: variables and files.

mod error;
mod flags;
mod mcp_remote;
mod note;
mod program;
mod supergateway;
mod surroundings;

pub use error::LineError;
pub use flags::Flag;
pub use mcp_remote::{
    FLAGS as MCP_REMOTE_FLAGS, McpRemote, Oauth, SigningIn, StaticClient, mcp_remote_help,
};
pub use note::Note;
pub use program::{Asked, Program};
pub use supergateway::{
    FLAGS as SUPERGATEWAY_FLAGS, LogLevel, Mode, Network, Output, Supergateway, supergateway_help,
};
pub use surroundings::Surroundings;

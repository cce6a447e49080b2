//! An ACP agent as an MCP server: its tools are the operations of an editor.
//!
//! [`backend`] is a server for `linkspan-bridge`. Every connection has an agent process of its own, which the
//! first call that needs it starts, and which ends with the connection.
//!
//! Options are values ([`AgentOptions`]): this crate reads no environment variables and prints nothing.

mod arguments;
mod backend;
mod calls;
mod elicitation;
mod error;
mod features;
mod launcher;
mod options;
mod prompt;
mod results;
mod running;
mod server;
mod servers;
mod sessions;
mod tools;

pub use backend::backend;
pub use options::{AgentOptions, PermissionPolicy};
pub use servers::{ServerError, Servers, ServersError};

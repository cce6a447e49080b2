//! Runs a chain of ACP proxies and an agent: starts the components, writes traces, and gives agents access to
//! MCP servers of the chain.
//!
//! The rules of the chain are in `linkspan-acp`; this crate adds processes, files and sockets. An agent
//! starts `linkspan mcp`: [`handshake`] proves to the conductor which server it is for, and [`shim`] copies
//! its messages.
//!
//! Options are values and errors are [`ConductError`]: this crate reads no environment variables, prints
//! nothing and knows no exit codes.

mod component;
mod conduct;
mod error;
pub mod handshake;
mod mcp_bridge;
pub mod shim;
mod trace;

pub use component::{Component, ComponentError};
pub use conduct::{Conduct, ConductOptions};
pub use error::ConductError;
pub use mcp_bridge::{BridgeChoice, BridgeMode, BridgeOptions, BridgeTransport, SECRET_TIMEOUT};

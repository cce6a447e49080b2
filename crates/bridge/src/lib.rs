//! Joins a client to a server: a front (stdio, HTTP, or any port) and a [`Backend`] (URL, command or local
//! server), with [layers](LayerFactory) between them.
//!
//! ```no_run
//! # async fn example(command: linkspan_ports::ChildOptions) -> Result<(), linkspan_bridge::BridgeError> {
//! use linkspan_bridge::{Backend, Bridge, StdioOptions};
//!
//! let bridge = Bridge::new(Backend::command(command)).serve_stdio(StdioOptions::default());
//! bridge.run(std::future::pending()).await
//! # }
//! ```
//!
//! Options are values and errors are [`BridgeError`]: this crate reads no environment variables, prints
//! nothing and knows no exit codes.

mod backend;
mod bridge;
mod client_era;
mod error;
mod greeted;
mod http;
mod join;
mod layers;
mod orphan;
mod pool;
mod probe;
mod record;
mod restart;
mod secret;
mod server;
mod setbacks;
mod stdio;
#[cfg(test)]
mod testing;

pub use backend::Backend;
pub use bridge::{Bridge, PortBridge};
pub use error::BridgeError;
pub use http::{HttpBridge, ServeOptions, bind};
pub use join::farewell;
pub use layers::{LayerFactory, SessionInfo};
pub use record::{LineWriter, Mask, OutputFile, masked_url, masked_words};
pub use stdio::{StdioBridge, StdioOptions};

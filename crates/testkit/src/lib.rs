//! Fake peers for tests: an MCP server whose every byte the test decides, and a
//! harness around the real binary.
//!
//! Nothing here is shared with the code under test, so that a mistake in our own
//! codecs cannot hide itself. Everything is plain threads and blocking sockets:
//! a test may be sync or async, and a rude peer is a few lines.

#[cfg(unix)]
mod acp;
mod base64;
mod bridge;
mod builder;
mod call;
pub mod child;
mod children;
mod conn;
mod event;
#[cfg(unix)]
mod expose;
pub mod fixture;
mod http_body;
mod http_client;
mod legacy;
mod lines;
pub mod mcp_client;
mod message;
mod modern;
mod outlet;
mod port;
mod pump;
mod request;
mod serve;
mod server;
mod sse;
mod state;
#[cfg(test)]
mod tests;
mod tools;

#[cfg(unix)]
pub use acp::{Player, Stage, part};
pub use base64::decode as decode_base64;
pub use bridge::{Bridge, Launch, Signal};
pub use builder::Builder;
pub use call::Call;
pub use children::{Children, Seen};
pub use conn::{Conn, Cut};
pub use event::Event;
#[cfg(unix)]
pub use expose::{Expose, Exposed, child_program};
pub use http_client::{Ask, Http, Reply};
pub use mcp_client::{Client, Modern, Session};
pub use message::Message;
pub use port::Port;
pub use request::Request;
pub use serve::Flow;
pub use server::Server;

/// How long anything in a test may take before it counts as "never".
pub const LIMIT: std::time::Duration = std::time::Duration::from_secs(30);

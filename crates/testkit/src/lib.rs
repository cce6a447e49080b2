//! Fake peers for tests: an MCP server whose every byte is under the test's control, and a harness around the real
//! binary.
//!
//! It shares no code with the program under test, because a mistake in a shared codec would hide itself. It uses plain
//! threads and blocking sockets: a test may be sync or async, and a peer that breaks the rules takes a few lines.

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
mod modules;
mod outlet;
mod port;
mod pump;
mod request;
mod run;
mod serve;
mod server;
mod sse;
mod state;
#[cfg(test)]
mod tests;
mod tools;
mod wait;

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
pub use modules::assert_every_file_is_a_module;
pub use port::Port;
pub use request::Request;
#[cfg(unix)]
pub use run::terminate;
pub use run::{end_within, run, run_watched};
pub use serve::Flow;
pub use server::Server;
pub use wait::{found_within, wait_for, wait_until, wait_until_still, wait_within};

/// The last revision with a handshake, which most clients speak.
pub const LATEST: &str = "2025-11-25";

/// The stateless revision.
pub const MODERN: &str = "2026-07-28";

/// The binary under test: `LINKSPAN_BIN` names another build, `built` is the one that cargo has made.
pub fn program_under_test(built: &str) -> std::ffi::OsString {
    std::env::var_os("LINKSPAN_BIN").unwrap_or_else(|| built.into())
}

/// The beginning of a text that may be megabytes long.
pub fn clip(text: &str) -> String {
    text.chars().take(2000).collect()
}

/// The time limit of waits in tests.
pub const LIMIT: std::time::Duration = std::time::Duration::from_secs(30);

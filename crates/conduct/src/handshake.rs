//! The handshake in which `linkspan mcp` shows the conductor the secret of a declaration.
//!
//! A Unix socket is private to the user, so the client sends the secret as its first line. Over TCP any
//! program may be at the other end: one that took the port of a conductor which has ended, or one that scans
//! ports. There the secret is never sent; each side proves that it knows the secret with a keyed hash of two
//! nonces chosen for this connection:
//!
//! ```text
//! conductor → client    SERVER_NONCE
//! client → conductor    CLIENT_NONCE PROOF
//! conductor → client    PROOF
//! ```

mod client;
mod secret;
mod server;
#[cfg(test)]
mod tests;

#[cfg(unix)]
pub use client::connect_unix;
pub use client::{ConnectError, connect_tcp};
pub(crate) use secret::{Key, Secret};
#[cfg(test)]
pub(crate) use secret::{client_proof, server_proof};
pub(crate) use server::{Transport, identify};

/// The environment variable that holds the secret for `linkspan mcp`.
pub const SECRET_VARIABLE: &str = "LINKSPAN_MCP_TOKEN";

//! OAuth 2.1 without IO: what a client sends and checks ([`client`]), what a protected resource checks
//! ([`resource`]), and where credentials are kept ([`store`]).
//!
//! The machines take values and a time and return values: requests to send, URLs to open, tokens. Only [`store`]
//! touches files. Invariant: nothing here knows MCP methods, HTTP clients, or the environment.

pub mod aws;
mod base64url;
mod challenge;
pub mod client;
mod exchange;
pub mod jose;
mod members;
mod random;
pub mod resource;
mod secret;
pub mod store;
mod time;
mod urls;

pub use challenge::{Challenge, challenges};
pub use exchange::{HttpRequest, HttpResponse, Method};
pub use random::sha256;
pub use secret::Secret;
pub use time::Timestamp;
pub use urls::without_secrets;

//! Lossless JSON-RPC 2.0: the sender's text, and spans into it.
//!
//! A bridge that parses a message into values and prints it again changes it: `0.10` becomes `0.1`, 20-digit integers
//! are rounded, unknown members vanish. Here a [`Message`] *is* the received bytes, plus the positions of its id,
//! method and body. Only the id is ever replaced.
//!
//! Invariant: no async, no sockets, no clock, and nothing about MCP.

mod clipped;
mod damage;
mod deep;
mod depth;
mod error;
mod escape;
mod frame;
mod hop;
mod id;
mod json;
mod jsonc;
mod limits;
mod message;
mod ndjson;
mod printable;
mod resync;
mod rpc;
mod scan;
mod size;
mod splice;
mod sse;
mod walk;

pub use error::{Syntax, WireError};
pub use escape::quote;
pub use frame::{Entry, Frame};
pub use hop::Hop;
pub use id::{Id, IdKey};
pub use json::{Json, JsonKind, Members};
pub use jsonc::without_comments;
pub use limits::{Limits, MAX_DEPTH};
pub use message::{Kind, Message};
pub use ndjson::{Line, Lines, one_line};
pub use printable::{escape_block, escape_json, escape_line, is_hidden, replace_unprintable};
pub use resync::Resync;
pub use rpc::{Code, RpcError};
pub use size::{SizeError, parse_size};
pub use splice::Object;
pub use sse::{Event, SseItem, SseReader, write_event};

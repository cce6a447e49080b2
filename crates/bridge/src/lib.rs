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

mod accounts;
mod backend;
mod bridge;
mod caller;
mod calls;
mod client_era;
mod command_line;
mod error;
mod greeted;
mod hidden_tools;
mod http;
mod join;
mod layers;
mod long_calls;
mod orphan;
mod pings;
mod pool;
mod probe;
mod record;
mod request_line;
mod requests;
mod restart;
mod secret;
mod server;
mod setbacks;
mod sign_in;
mod stdio;
mod target;
#[cfg(test)]
mod testing;

pub use backend::Backend;
pub use bridge::{Bridge, PortBridge};
pub use caller::CallerVariables;
pub use calls::{CallOptions, Calls, CallsClosing};
pub use command_line::{
    LineMistake, TypedLine, command_line, shown_line, tools_of, tools_of_folder,
};
pub use error::BridgeError;
pub use hidden_tools::HiddenTools;
pub use http::{GuardMaker, HttpBridge, ServeOptions, ServeSettings, Unprotected, bind, bind_unix};
pub use layers::{Hold, Holds, LayerFactory, SessionInfo};
pub use long_calls::{LongCallOptions, LongCalls, PATIENCE};
pub use pings::Pings;
pub use record::{LineWriter, Mask, OutputFile, Sink, masked_url, masked_words};
pub use request_line::{RequestLine, RequestLineError, Requested, is_argument};
pub use requests::{Caller, RequestService};
pub use stdio::{StdioBridge, StdioOptions};
pub use target::{Target, TargetError, find_program, is_found, is_program};

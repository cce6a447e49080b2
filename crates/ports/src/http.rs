//! A remote MCP server as a port: Streamable HTTP of both eras, and HTTP+SSE (2024-11-05).
//!
//! One task, the [`driver`], owns the state: session id, negotiated version, transport. Each HTTP exchange is a job of
//! its own that reports back, so a slow call does not delay others.

mod answer;
mod authorizer;
mod body;
mod call;
mod client;
mod cookies;
mod dial;
mod driver;
mod endpoint;
mod given;
mod header_line;
mod job;
mod listen;
mod options;
mod options_error;
mod pace;
mod proxy;
mod reach;
mod reached;
mod refused;
mod relearn;
mod renew;
mod request;
mod requests;
mod resolve;
mod rest;
mod sending;
mod sse_session;
mod unix;
mod variables;
mod waiting;

pub use authorizer::{
    Again, AuthRefusal, Authorizer, Authorizing, Credentials, Outgoing, auth_challenges,
};
pub use options::{HeaderSource, HttpOptions, Transport};
pub use options_error::OptionsError;
pub use reach::reach;
pub use requests::{HttpRequestError, Requests};
pub use resolve::AddressRule;
pub use unix::{absolute_unix_target, is_unix_target};
pub use variables::{
    check_variable, optional_token_in, token_in, variables_in, variables_named_by,
};

use linkspan_session::Port;

use crate::QUEUE;
use crate::http::driver::Driver;
use crate::http::endpoint::Endpoint;

/// Opens a port to a remote server. It sends nothing before the first message.
pub fn http(options: HttpOptions) -> Result<Port, OptionsError> {
    let (port, end) = Port::pair(options.peer(), QUEUE);
    let endpoint = Endpoint::new(options)?;
    tokio::spawn(Driver::new(endpoint, end).run());
    Ok(port)
}

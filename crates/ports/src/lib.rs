//! Ports: how a session reaches a peer.
//!
//! Each transport is a task of its own that holds the [`PortEnd`](linkspan_session::PortEnd) of a
//! port. Invariant: a port moves messages and knows its transport; it decides no policy.

mod child;
mod framing;
mod front;
mod http;
mod lines;
mod memory;
mod owed;
mod stdio;
mod stream;

pub use child::{ChildOptions, SpawnError, child, raise_file_limit};
pub use front::{
    AdmittedCaller, Admitting, Answering, Front, FrontFigures, FrontOptions, FrontService, Guard,
    GuardedRequest, Principal, Token,
};
pub use http::{
    AddressRule, Again, AuthRefusal, Authorizer, Authorizing, Credentials, HeaderSource,
    HttpOptions, OptionsError, RequestError, Requests, Transport, check_variable, http, reach,
    token_in, variables_in, variables_named_by,
};
pub use memory::Memory;
pub use stdio::{stdio, stdio_parts};
pub use stream::stream;

/// Envelopes that may wait in each queue of a port. What they may weigh is the budget's business.
const QUEUE: usize = 64;

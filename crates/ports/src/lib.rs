//! Ports: how a session reaches a peer.
//!
//! Each transport is a task of its own that holds the [`PortEnd`](linkspan_session::PortEnd) of a
//! port. Invariant: a port moves messages and knows its transport; it decides no policy.

mod byte_stream;
mod child;
mod framing;
mod front;
mod http;
mod lines;
mod owed;
mod session_replay;
mod stdio;
mod stream;

pub use child::{ChildOptions, SpawnError, child, raise_file_limit};
#[cfg(unix)]
pub use front::UnixSocket;
pub use front::{
    AdmittedCaller, Admitting, Answering, Front, FrontFigures, FrontListener, FrontOptions,
    FrontService, Guard, GuardedRequest, Principal, SsePaths, Token, UnixSocketError, parse_host,
    parse_mode, parse_path,
};
/// The former name, until its last use is gone.
pub use http::HttpRequestError as RequestError;
pub use http::{
    AddressRule, Again, AuthRefusal, Authorizer, Authorizing, Credentials, HeaderSource,
    HttpOptions, HttpRequestError, OptionsError, Outgoing, Requests, Transport,
    absolute_unix_target, auth_challenges, check_variable, http, is_unix_target, optional_token_in,
    reach, token_in, variables_in, variables_named_by,
};
pub use session_replay::SessionReplay;
pub use stdio::{stdin_closed, stdio, stdio_parts};
pub use stream::stream;

/// Envelopes that each queue of a port holds. The budget limits their bytes.
const QUEUE: usize = 64;

//! An HTTP listener as the front of many sessions.
//!
//! One endpoint serves both eras; the body of each request decides which. A connection is a task
//! of its own and answers its requests itself. A legacy session has one more task, the [`Pump`],
//! which puts the messages of the server into the [`SessionStreams`], from which connections read.
//!
//! [`Pump`]: session::Pump
//! [`SessionStreams`]: session_streams::SessionStreams

mod access;
mod admission;
mod allowance;
mod answer;
mod body;
mod cancelling;
mod connections;
mod figures;
mod front_listener;
mod guard;
mod intake;
mod knowledge;
mod legacy;
mod listener;
mod metered;
mod mode;
mod modern;
mod old_sse;
mod opening;
mod options;
mod phase;
mod place;
mod principal;
mod reader;
mod refusal;
mod router;
mod service;
mod session;
mod session_streams;
mod sessions;
mod socket;
mod sse_writer;
mod stateless;
#[cfg(unix)]
mod unix_socket;
mod unix_socket_error;
mod websocket;

#[cfg(test)]
mod tests;

pub use figures::FrontFigures;
pub use front_listener::FrontListener;
pub use guard::{AdmittedCaller, Admitting, Guard, GuardedRequest};
pub use listener::Front;
pub use mode::parse_mode;
pub use options::{FrontOptions, SsePaths, Token};
pub use place::{parse_host, parse_path};
pub use principal::Principal;
pub use service::{Answering, FrontService};
#[cfg(unix)]
pub use unix_socket::UnixSocket;
pub use unix_socket_error::UnixSocketError;

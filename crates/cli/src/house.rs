//! Who stands behind the fronts: servers, opened when somebody needs them.
//!
//! A legacy client has a server to itself for the length of its session. Requests of modern clients
//! stand alone; they share servers that are kept warm ([`pool`]). With `--share`, legacy sessions
//! are taken apart into such requests, so that one server can serve all of them.

mod greeted;
mod inn;
mod layers;
mod lease;
mod pool;
mod probe;
mod server;
mod setbacks;
mod through;

pub(crate) use inn::{Inn, InnOptions};
pub(crate) use layers::{legacy_layers, modern_layers, secret};
pub(crate) use probe::Questions;
pub(crate) use server::Server;
pub(crate) use setbacks::Cause;

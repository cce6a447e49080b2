//! An HTTP listener as the front of many sessions.
//!
//! One endpoint serves both eras; the body of each request decides which. A connection is a task
//! of its own and answers its requests itself. A legacy session has one task more, the [`Pump`],
//! which takes what the server says to the [`Desk`]; there connections find what is theirs.
//!
//! [`Pump`]: session::Pump
//! [`Desk`]: desk::Desk

mod allowance;
mod answer;
mod body;
mod cancelling;
mod connections;
mod desk;
mod figures;
mod gate;
mod hall;
mod house;
mod ink;
mod intake;
mod knowledge;
mod legacy;
mod listener;
mod modern;
mod old_sse;
mod opening;
mod options;
mod phase;
mod reader;
mod refusal;
mod session;
mod sessions;
mod socket;

#[cfg(test)]
mod tests;

pub use figures::Figures;
pub use house::{Answering, Guest, House, Principal};
pub use listener::Front;
pub use options::{FrontOptions, Token};

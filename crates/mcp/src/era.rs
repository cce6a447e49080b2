//! Translation between the eras: the handshake revisions and the stateless one.
//!
//! | client \ server | legacy | modern |
//! |---|---|---|
//! | legacy | [`Handshake`] relays | [`Handshake`] finds out and becomes [`LegacyToModern`] |
//! | modern | [`ModernToLegacy`] | nothing to do |
//!
//! Each is a [`Machine`] between a front (the client's side) and a back (the server's side): text and
//! a time in, messages out. Requests cross under ids of the machine's own, because one request of the
//! client may be several of the server's, and one of the server's may outlive that of the client.

mod caps;
mod claims;
mod digest;
mod discovery;
mod habits;
mod handshake;
mod ids;
mod legacy_to_modern;
mod modern_to_legacy;
mod question;
mod results;
mod roots;
mod shapes;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod two_translations;

use std::time::Instant;

use linkspan_wire::{Id, Message, RpcError};

pub use caps::Caps;
pub use claims::{Claims, signed, with_default_level};
pub use digest::digest;
pub use discovery::{Evidence, probe, weigh};
pub use habits::Habits;
pub use handshake::{Handshake, OnModern};
pub use legacy_to_modern::LegacyToModern;
pub use modern_to_legacy::{MachineStatus, ModernToLegacy, ModernToLegacyOptions, PARK, home_of};
pub use question::may_ask;
pub use results::is_timeout;
pub use roots::given_roots;

/// What a machine makes of one message.
#[derive(Debug)]
pub enum Turn {
    /// It crosses as it is.
    Pass(Message),
    /// It becomes these, in this order. None: it ends here.
    Steps(Vec<Step>),
}

/// A message that a machine sends.
#[derive(Debug)]
pub enum Step {
    /// To the client.
    Front {
        /// The message.
        msg: Message,
        /// The client's request that it belongs to.
        about: Option<Id>,
    },
    /// To the server.
    Back(Message),
}

impl Step {
    /// An answer to the client.
    fn answer(id: &Id, result: &str) -> Self {
        Self::to_front(Message::result(id, result), id)
    }

    /// An error for the client.
    fn refuse(id: &Id, error: &RpcError) -> Self {
        Self::to_front(error.answer(id), id)
    }

    fn to_front(msg: Message, about: &Id) -> Self {
        Self::Front {
            msg,
            about: Some(about.clone()),
        }
    }
}

/// What is known of a message of the server besides its text.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    /// The request (under its id towards the server) that it came with, where the transport tells.
    pub about: Option<Id>,
    /// It came with a request that has ended, so that it belongs to no request under way.
    pub late: bool,
    /// The id that the server itself gave its request.
    pub origin: Option<Id>,
}

/// A translator between a front and a back. Does no IO and is told the time.
pub trait Machine: Send {
    /// The client has said something.
    fn front(&mut self, msg: Message, now: Instant) -> Turn;

    /// The server has said something.
    fn back(&mut self, msg: Message, provenance: Provenance, now: Instant) -> Turn;

    /// Whether requests go on under ids of the machine's own; it then looks after those of the client.
    fn renumbers(&self) -> bool {
        true
    }

    /// When [`Machine::on_time`] has to be called next.
    fn next_wake(&self) -> Option<Instant> {
        None
    }

    /// What is due now.
    fn on_time(&mut self, now: Instant) -> Vec<Step> {
        let _ = now;
        Vec::new()
    }
}

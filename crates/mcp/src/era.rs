//! Translation between the eras: the handshake revisions and the stateless one.
//!
//! | client \ server | legacy | modern |
//! |---|---|---|
//! | legacy | [`Handshake`] relays | [`Handshake`] detects it and becomes [`LegacyToModern`] |
//! | modern | [`ModernToLegacy`] | no translation |
//!
//! Each is a [`Machine`] between a front (the client's side) and a back (the server's side): messages and a time in,
//! messages out. Requests cross under ids of the machine's own, because one request of the client may become several
//! for the server, and a request at the server may outlive that of the client.

mod caps;
mod claims;
mod digest;
mod discovery;
mod handshake;
mod ids;
mod legacy_to_modern;
mod modern_to_legacy;
mod question;
mod question_history;
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
pub use claims::{Claims, is_of_legacy_client, signed, with_default_level};
pub use digest::digest;
pub use discovery::{Evidence, probe, weigh};
pub use handshake::{Handshake, OnModern};
pub use legacy_to_modern::LegacyToModern;
pub use modern_to_legacy::{MachineStatus, ModernToLegacy, ModernToLegacyOptions, PARK, home_of};
pub use question::may_ask;
pub use question_history::QuestionHistory;
pub use results::{is_timeout, wants_input};
pub use roots::given_roots;

/// The outcome of one message.
#[derive(Debug)]
pub enum Turn {
    /// Forward it unchanged.
    Pass(Message),
    /// Send these messages instead, in this order; an empty list drops the message.
    Steps(Vec<Step>),
}

/// A message that a machine sends.
#[derive(Debug)]
pub enum Step {
    /// To the client.
    Front {
        /// The message.
        msg: Message,
        /// The client's request that the message belongs to.
        about: Option<Id>,
    },
    /// To the server.
    Back(Message),
}

impl Step {
    /// A result for the client.
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

/// The origin of a server's message.
#[derive(Debug, Clone, Default)]
pub struct Provenance {
    /// The request (by its id at the server) that it arrived with, where the transport says so.
    pub about: Option<Id>,
    /// It arrived with a request that has ended, so it belongs to no open request.
    pub late: bool,
    /// The id that the server itself gave its request.
    pub origin: Option<Id>,
}

/// A translator between a front and a back. Does no IO; the caller passes the time.
pub trait Machine: Send {
    /// Handles a message of the client.
    fn front(&mut self, msg: Message, now: Instant) -> Turn;

    /// Handles a message of the server.
    fn back(&mut self, msg: Message, provenance: Provenance, now: Instant) -> Turn;

    /// Whether requests are forwarded under ids of the machine's own; it then restores those of the client.
    fn renumbers(&self) -> bool {
        true
    }

    /// When [`Machine::on_time`] has to be called next.
    fn next_wake(&self) -> Option<Instant> {
        None
    }

    /// Handles deadlines.
    fn on_time(&mut self, now: Instant) -> Vec<Step> {
        let _ = now;
        Vec::new()
    }
}

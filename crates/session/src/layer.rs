//! Layers process the messages of a session.

use std::pin::Pin;
use std::time::Instant;

use crate::port::Envelope;

/// The direction of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// From the client's side to the server's.
    ToBack,
    /// From the server's side to the client's.
    ToFront,
}

impl Way {
    /// The other one.
    pub fn reversed(self) -> Self {
        match self {
            Self::ToBack => Self::ToFront,
            Self::ToFront => Self::ToBack,
        }
    }
}

/// An envelope that will be ready later.
pub type Later = Pin<Box<dyn Future<Output = Envelope> + Send>>;

/// What a layer does with an envelope.
pub enum Verdict {
    /// Passes it to the next layer.
    Pass(Envelope),
    /// Returns it to its sender's side; for example as the layer's own answer.
    Back(Envelope),
    /// Passes it to the next layer when the future completes. Only its own lane waits.
    Detour(Later),
    /// Returns it to its sender's side when the future completes; no lane waits.
    BackLater(Later),
    /// Sends these instead, each in its direction, in this order. One message of one era may become several of the
    /// other.
    Many(Vec<(Way, Envelope)>),
    /// Drops it.
    Drop,
}

/// A processing step between front and back.
///
/// A layer sees ids as they are on the *front's* connection.
pub trait Layer: Send {
    /// Processes one envelope. Must not block.
    fn on(&mut self, way: Way, envelope: Envelope, now: Instant) -> Verdict;

    /// Whether requests are forwarded under ids of the layer's own.
    fn renumbers(&self) -> bool {
        false
    }

    /// When [`Layer::on_time`] has to be called next.
    fn next_wake(&self) -> Option<Instant> {
        None
    }

    /// Handles deadlines.
    fn on_time(&mut self, now: Instant) -> Vec<(Way, Envelope)> {
        let _ = now;
        Vec::new()
    }
}

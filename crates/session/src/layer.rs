//! Layers: what looks at messages on their way through a session.

use std::pin::Pin;
use std::time::Instant;

use crate::port::Envelope;

/// Which way a message goes.
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
    /// On to the next layer.
    Pass(Envelope),
    /// Back to where it came from; an answer of the layer's own, for example.
    Back(Envelope),
    /// On to the next layer once it is ready. Holds up its own lane only.
    Detour(Later),
    /// Back to where it came from once it is ready; no lane is held up.
    BackLater(Later),
    /// These instead, each on its own way from here, in this order. One message of one era may be
    /// several of the other.
    Many(Vec<(Way, Envelope)>),
    /// Gone.
    Drop,
}

/// Something on the way between front and back.
///
/// A layer sees ids as they are on the *front's* connection.
pub trait Layer: Send {
    /// Looks at one envelope. Must not block.
    fn on(&mut self, way: Way, envelope: Envelope, now: Instant) -> Verdict;

    /// Whether requests go on under ids of the layer's own.
    fn renumbers(&self) -> bool {
        false
    }

    /// When [`Layer::on_time`] has to be called next.
    fn next_wake(&self) -> Option<Instant> {
        None
    }

    /// What is due now.
    fn on_time(&mut self, now: Instant) -> Vec<(Way, Envelope)> {
        let _ = now;
        Vec::new()
    }
}

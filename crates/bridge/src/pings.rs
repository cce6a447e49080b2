//! Pings to a server while a session is open, so that nothing on the way closes a connection that is merely quiet.

use std::time::{Duration, Instant};

use linkspan_mcp::{Era, era_of, names};
use linkspan_session::{Envelope, Layer, Verdict, Way};
use linkspan_wire::{Id, Kind, Message};

use crate::layers::{LayerFactory, SessionInfo};

/// The beginning of the ids of our pings.
const PREFIX: &str = "linkspan-ping-";

/// Makes layers that ping the server at this interval. Servers of the stateless era have no session that could end, and
/// get none.
#[derive(Debug, Clone, Copy)]
pub struct Pings(pub Duration);

impl LayerFactory for Pings {
    fn layer(&self, _: SessionInfo<'_>) -> Box<dyn Layer> {
        Box::new(Pinging {
            every: self.0,
            next: None,
            sent: 0,
        })
    }
}

struct Pinging {
    every: Duration,
    /// When the next ping is due; none is before the handshake is over.
    next: Option<Instant>,
    sent: u64,
}

impl Layer for Pinging {
    fn on(&mut self, way: Way, envelope: Envelope, now: Instant) -> Verdict {
        let msg = &envelope.msg;
        match way {
            Way::ToBack if msg.method() == names::INITIALIZED && era_of(msg) == Era::Legacy => {
                self.next = now.checked_add(self.every);
            }
            Way::ToFront if matches!(msg.kind(), Kind::Result | Kind::Error) => {
                let is_ours = |id: Id| id.bare().starts_with(PREFIX);
                if msg.id().is_some_and(is_ours) {
                    return Verdict::Drop;
                }
            }
            _ => {}
        }
        Verdict::Pass(envelope)
    }

    fn next_wake(&self) -> Option<Instant> {
        self.next
    }

    fn on_time(&mut self, now: Instant) -> Vec<(Way, Envelope)> {
        if self.next.is_none_or(|next| now < next) {
            return Vec::new();
        }
        self.next = now.checked_add(self.every);
        self.sent += 1;
        let id = Id::string(&format!("{PREFIX}{}", self.sent));
        let ping = Message::request(&id, names::PING, None);
        vec![(Way::ToBack, Envelope::new(ping))]
    }
}

//! A legacy client in front of a server of an unknown era.
//!
//! The client's own `initialize` goes first: nearly every server takes it, and then nothing has to
//! be translated. If it is refused, `server/discover` tells whether the server is a modern one.

use std::time::Instant;

use linkspan_wire::{Kind, Message};

use super::discovery::{Evidence, probe, weigh};
use super::{Down, Machine, Place, Step, Turn, ids};
use crate::method::names;

/// Told when a server turns out to be modern only.
pub type Verdict = Box<dyn FnMut() + Send>;

/// See the module's description.
pub struct Handshake {
    state: State,
    verdict: Verdict,
}

enum State {
    /// Nothing is known yet.
    Fresh,
    /// The client's `initialize` is out.
    Tried(Message),
    /// It was refused like this, and we ask what the server is.
    Probing {
        initialize: Message,
        refusal: Message,
    },
    /// The server took it, or nobody did: nothing to translate.
    Relay,
    Down(Box<Down>),
}

/// The number of the probe; [`Down`] begins to count after it.
const PROBE: u64 = 0;

impl Handshake {
    /// `verdict` is called if the server turns out to be modern only.
    pub fn new(verdict: Verdict) -> Self {
        Self {
            state: State::Fresh,
            verdict,
        }
    }

    fn refused(&mut self, initialize: Message, refusal: Message) -> Turn {
        if weigh(&refusal) == Evidence::None {
            self.state = State::Fresh;
            return Turn::Pass(refusal);
        }
        let params = initialize.params();
        let text = |key| params.and_then(|p| p.get(key)).map(|v| v.text());
        let probe = probe(
            &ids::request(PROBE),
            text("capabilities").unwrap_or("{}"),
            text("clientInfo").unwrap_or(r#"{"name":"unnamed","version":"0"}"#),
        );
        self.state = State::Probing {
            initialize: initialize.clone(),
            refusal,
        };
        Turn::Steps(vec![Step::Back(probe)])
    }

    fn probed(&mut self, initialize: &Message, refusal: Message, answer: &Message) -> Turn {
        if weigh(answer) != Evidence::Modern {
            // Neither era: what it said to the client's own words counts.
            self.state = State::Fresh;
            let id = initialize.id();
            return Turn::Steps(vec![Step::Front {
                msg: refusal,
                about: id,
            }]);
        }
        (self.verdict)();
        let mut down = Box::new(Down::new());
        let steps = down.adopt(initialize, answer);
        self.state = State::Down(down);
        Turn::Steps(steps)
    }
}

impl Machine for Handshake {
    fn front(&mut self, msg: Message, now: Instant) -> Turn {
        match &mut self.state {
            State::Down(down) => return down.front(msg, now),
            State::Fresh if msg.kind() == Kind::Request && msg.method() == names::INITIALIZE => {
                self.state = State::Tried(msg.clone());
            }
            _ => {}
        }
        Turn::Pass(msg)
    }

    fn back(&mut self, msg: Message, place: Place, now: Instant) -> Turn {
        if let State::Down(down) = &mut self.state {
            return down.back(msg, place, now);
        }
        if !msg.is_answer() {
            return Turn::Pass(msg);
        }
        match std::mem::replace(&mut self.state, State::Relay) {
            State::Tried(initialize) if initialize.id() == msg.id() => match msg.kind() {
                Kind::Error => self.refused(initialize, msg),
                _ => Turn::Pass(msg),
            },
            State::Probing {
                initialize,
                refusal,
            } if msg.id().and_then(|id| ids::request_number(&id)) == Some(PROBE) => {
                self.probed(&initialize, refusal, &msg)
            }
            other => {
                self.state = other;
                Turn::Pass(msg)
            }
        }
    }

    fn next_wake(&self) -> Option<Instant> {
        match &self.state {
            State::Down(down) => down.next_wake(),
            _ => None,
        }
    }

    fn on_time(&mut self, now: Instant) -> Vec<Step> {
        match &mut self.state {
            State::Down(down) => down.on_time(now),
            _ => Vec::new(),
        }
    }
}

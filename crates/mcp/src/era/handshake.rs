//! A legacy client in front of a server of an unknown era.
//!
//! The client's own `initialize` is sent first: nearly every server accepts it, and then no translation is needed. If
//! it is refused, `server/discover` shows whether the server is a modern one.

use std::time::Instant;

use linkspan_wire::{Kind, Message};

use super::discovery::{Evidence, probe, weigh};
use super::{LegacyToModern, Machine, Provenance, Step, Turn, ids};
use crate::method::names;
use crate::revision::{Era, Revision};

/// Called when a server turns out to be modern only.
pub type OnModern = Box<dyn FnMut() + Send>;

/// See the module's description.
pub struct Handshake {
    state: State,
    on_modern: OnModern,
}

enum State {
    /// No message yet.
    Fresh,
    /// The client's `initialize` was sent.
    Tried(Message),
    /// It was refused with this answer, and the server is being probed.
    Probing {
        initialize: Message,
        refusal: Message,
    },
    /// The server accepted it, or is of neither era: messages are relayed.
    Relay,
    Translate(Box<LegacyToModern>),
}

/// The number of the probe; the numbers of [`LegacyToModern`] follow it.
const PROBE: u64 = 0;

impl Handshake {
    /// `on_modern` is called if the server turns out to be modern only.
    pub fn new(on_modern: OnModern) -> Self {
        Self {
            state: State::Fresh,
            on_modern,
        }
    }

    fn refused(&mut self, initialize: Message, refusal: Message) -> Turn {
        if refusal.kind() == Kind::Error && weigh(&refusal) == Evidence::None {
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
            // Neither era: the client gets the server's answer to its own `initialize`.
            self.state = State::Fresh;
            let id = initialize.id();
            return Turn::Steps(vec![Step::Front {
                msg: refusal,
                about: id,
            }]);
        }
        (self.on_modern)();
        let mut machine = Box::new(LegacyToModern::new());
        let steps = machine.adopt(initialize, answer);
        self.state = State::Translate(machine);
        Turn::Steps(steps)
    }
}

/// Whether a handshake was answered with a revision that has no handshake: the server accepts anything.
fn is_modern(answer: &Message) -> bool {
    let version = answer
        .body()
        .and_then(|r| r.get("protocolVersion")?.as_str());
    let revision = version.and_then(|version| Revision::parse(&version));
    revision.is_some_and(|revision| revision.era() == Era::Modern)
}

impl Machine for Handshake {
    fn front(&mut self, msg: Message, now: Instant) -> Turn {
        match &mut self.state {
            State::Translate(machine) => return machine.front(msg, now),
            State::Fresh if msg.kind() == Kind::Request && msg.method() == names::INITIALIZE => {
                self.state = State::Tried(msg.clone());
            }
            _ => {}
        }
        Turn::Pass(msg)
    }

    fn back(&mut self, msg: Message, provenance: Provenance, now: Instant) -> Turn {
        if let State::Translate(machine) = &mut self.state {
            return machine.back(msg, provenance, now);
        }
        if !msg.is_answer() {
            return Turn::Pass(msg);
        }
        match std::mem::replace(&mut self.state, State::Relay) {
            State::Tried(initialize) if initialize.id() == msg.id() => {
                if msg.kind() == Kind::Error || is_modern(&msg) {
                    self.refused(initialize, msg)
                } else {
                    Turn::Pass(msg)
                }
            }
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

    fn renumbers(&self) -> bool {
        matches!(self.state, State::Translate(_))
    }

    fn next_wake(&self) -> Option<Instant> {
        match &self.state {
            State::Translate(machine) => machine.next_wake(),
            _ => None,
        }
    }

    fn on_time(&mut self, now: Instant) -> Vec<Step> {
        match &mut self.state {
            State::Translate(machine) => machine.on_time(now),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::era::stage::{Stage, at, error, legacy, result};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    const DISCOVERED: &str =
        r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{}}"#;

    fn tried() -> (Stage<Handshake>, String, Arc<AtomicBool>) {
        let modern = Arc::new(AtomicBool::new(false));
        let told = modern.clone();
        let on_modern = Box::new(move || told.store(true, Ordering::Relaxed));
        let mut stage = Stage::new(Handshake::new(on_modern));
        let initialize = stage
            .client(&legacy(
                "1",
                "initialize",
                r#"{"capabilities":{"roots":{}}}"#,
            ))
            .told_one();
        (stage, initialize, modern)
    }

    #[test]
    fn a_server_that_accepts_the_handshake_is_not_probed() {
        let (mut stage, initialize, modern) = tried();
        assert_eq!(at(&initialize, &["id"]), "1", "the client's own words");
        let answer = result(&initialize, r#"{"protocolVersion":"2025-11-25"}"#);
        assert_eq!(stage.server(&answer).heard_one(), answer);
        let call = legacy("2", "tools/call", r#"{"name":"t"}"#);
        assert_eq!(stage.client(&call).told_one(), call);
        assert!(!modern.load(Ordering::Relaxed));
    }

    #[test]
    fn a_server_that_refuses_the_handshake_is_probed() {
        let (mut stage, initialize, modern) = tried();
        let probe = stage.server(&error(&initialize, -32601, "{}")).told_one();
        assert_eq!(at(&probe, &["method"]), r#""server/discover""#);
        let heard = stage.server(&result(&probe, DISCOVERED)).heard_one();
        assert_eq!(at(&heard, &["result", "capabilities"]), r#"{"tools":{}}"#);
        let call = stage.client(&legacy("2", "tools/list", "{}")).told_one();
        assert!(call.contains("2026-07-28"));
        assert!(modern.load(Ordering::Relaxed));
    }

    #[test]
    fn a_handshake_that_ends_in_a_revision_without_one_was_none() {
        let (mut stage, initialize, _) = tried();
        let odd = result(&initialize, r#"{"protocolVersion":"2026-07-28"}"#);
        let probe = stage.server(&odd).told_one();
        assert_eq!(at(&probe, &["method"]), r#""server/discover""#);
        let heard = stage.server(&result(&probe, DISCOVERED)).heard_one();
        assert_eq!(
            at(&heard, &["result", "protocolVersion"]),
            r#""2025-11-25""#
        );
    }

    #[test]
    fn a_server_of_neither_era_is_answered_with_its_own_refusal() {
        let (mut stage, initialize, _) = tried();
        let refusal = error(&initialize, -32000, "7");
        let probe = stage.server(&refusal).told_one();
        let heard = stage.server(&error(&probe, -32601, "8")).heard_one();
        assert_eq!(heard, refusal);
        assert_eq!(
            stage.client(&legacy("3", "initialize", "{}")).told().len(),
            1
        );
    }

    #[test]
    fn a_closed_door_is_no_reason_to_probe() {
        let (mut stage, initialize, _) = tried();
        let refusal = error(
            &initialize,
            -32000,
            r#"{"kind":"http_status","status":401}"#,
        );
        assert_eq!(stage.server(&refusal).heard_one(), refusal);
        assert!(stage.told().is_empty());
    }

    #[test]
    fn requests_before_the_end_of_the_probe_are_answered() {
        let (mut stage, initialize, _) = tried();
        let ping = stage.client(&legacy("2", "ping", "{}")).told_one();
        let probe = stage.server(&error(&initialize, -32601, "{}")).told_one();
        stage.server(&result(&probe, DISCOVERED)).heard_one();
        let heard = stage.server(&error(&ping, -32602, "{}")).heard();
        assert_eq!(heard.len(), 1, "never answered");
    }
}

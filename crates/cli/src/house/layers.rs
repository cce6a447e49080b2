//! What lies between a client of one era and a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use linkspan_mcp::Era;
use linkspan_mcp::era::{Down, Handshake, Up, UpOptions};
use linkspan_ports::Principal;
use linkspan_session::{Envelope, EraLayer, Layer, Verdict, Way};
use linkspan_wire::{Kind, Message};

use super::server::Server;

/// Notes that the server has said something. It lies next to the server.
#[derive(Clone, Default)]
pub(super) struct Answered(Arc<AtomicBool>);

impl Answered {
    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Layer for Answered {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        if way == Way::ToFront && !self.get() && !is_fault(&envelope.msg) {
            self.0.store(true, Ordering::Relaxed);
        }
        Verdict::Pass(envelope)
    }
}

/// Whether this is a fault that the session itself answers with, because the server will not.
fn is_fault(msg: &Message) -> bool {
    let kind = msg.body().and_then(|error| error.path(&["data", "kind"]));
    msg.kind() == Kind::Error && kind.is_some()
}

/// What a legacy client needs in front of a server.
pub(crate) fn legacy_layers(server: &Arc<Server>, principal: &Principal) -> Vec<Box<dyn Layer>> {
    let mut layers: Vec<Box<dyn Layer>> = match server.shakes_hands() {
        Some(true) => Vec::new(),
        Some(false) => vec![Box::new(EraLayer::new(Down::new()))],
        None => {
            let server = server.clone();
            let verdict = Box::new(move || server.learn_modern_only());
            vec![Box::new(EraLayer::new(Handshake::new(verdict)))]
        }
    };
    layers.extend(server.shrink_layer(true, principal));
    layers
}

/// What a modern client needs in front of a server of this era; `alone` if no other client has that
/// session.
pub(crate) fn modern_layers(
    server: &Server,
    era: Era,
    options: UpOptions,
    alone: bool,
    principal: &Principal,
) -> Vec<Box<dyn Layer>> {
    let mut layers: Vec<Box<dyn Layer>> = match era {
        Era::Modern => Vec::new(),
        Era::Legacy => vec![Box::new(EraLayer::new(Up::new(options)))],
    };
    // Next to the server: there is one of it, whatever the clients speak.
    layers.extend(server.shrink_layer(alone, principal));
    layers
}

/// 128 bits that nobody can guess.
pub(crate) fn secret() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // Without randomness there is no secret; a counter would be a key for everybody.
        return String::new();
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

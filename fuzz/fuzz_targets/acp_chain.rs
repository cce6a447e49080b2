//! Whatever peers of a chain say, in whatever order: nothing panics, and every request is answered once
//! in the end.
#![no_main]

use std::collections::HashMap;
use std::time::Instant;

use libfuzzer_sys::fuzz_target;
use linkspan_acp::{Chain, DeclarationId, McpBridge, Node, Offer, PartPlan, Plan};
use linkspan_session::{Envelope, Fault, Inbound, Outbound};
use linkspan_wire::{IdKey, Message, RpcError};

/// Offers every text to every peer.
struct OfferAll;

impl McpBridge for OfferAll {
    fn offer(&mut self, offer: &Offer<'_>) -> Result<String, RpcError> {
        Ok(format!(
            r#"{{"name":"{}","command":"x"}}"#,
            offer.declaration_id.0
        ))
    }

    fn began(&mut self, _: DeclarationId, _: &str) {}

    fn revoke(&mut self, _: DeclarationId) {}
}

// Lines; the first byte of each says who speaks.
fuzz_target!(|data: &[u8]| {
    let Some((first, lines)) = data.split_first() else {
        return;
    };
    let parts = usize::from(first % 4) + 1;
    let part = |n: usize| PartPlan {
        command: n.to_string(),
        dialect: None,
    };
    let plan = Plan::new((0..parts).map(part).collect(), first & 0x10 != 0);
    let mut chain = Chain::new(plan, Some(Box::new(OfferAll)), None);
    let joined = chain.join(DeclarationId(1));
    let now = Instant::now();
    // What each peer waits for.
    let mut open: HashMap<(Node, IdKey), usize> = HashMap::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let Some((who, text)) = line.split_first() else {
            continue;
        };
        let node = match usize::from(*who) % (parts + 2) {
            0 => Node::Outside,
            n if n <= parts => Node::Part(n - 1),
            _ => joined,
        };
        let Ok(msg) = Message::parse(text.to_vec().into()) else {
            continue;
        };
        if let Some(id) = msg.id().filter(|_| !msg.is_answer()) {
            *open.entry((node, id.key())).or_default() += 1;
        }
        chain.receive(node, Inbound::Message(Envelope::new(msg)), now);
        settle(&mut chain, parts, joined, &mut open);
    }
    let gone = Fault::Closing;
    chain.receive(Node::Part(parts - 1), Inbound::Closed(gone), now);
    settle(&mut chain, parts, joined, &mut open);
    let dead = Node::Part(parts - 1);
    open.retain(|(node, _), count| *node != dead && *count > 0);
    assert!(open.is_empty(), "{open:?}");
});

/// Takes what is sent, and strikes off what it answers.
fn settle(chain: &mut Chain, parts: usize, joined: Node, open: &mut HashMap<(Node, IdKey), usize>) {
    let all = (0..parts).map(Node::Part).chain([Node::Outside, joined]);
    for node in all {
        while let Some(item) = chain.outbox(node).and_then(|outbox| outbox.pop()) {
            let Outbound::One(envelope) = item else {
                continue;
            };
            if let Some(id) = envelope.msg.id().filter(|_| envelope.msg.is_answer()) {
                let count = open
                    .get_mut(&(node, id.key()))
                    .expect("an answer to something");
                *count = count.checked_sub(1).expect("one answer each");
            }
        }
    }
}

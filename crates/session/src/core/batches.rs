//! A batch of the front: refused, or split and entered message by message.

use std::time::Instant;

use linkspan_mcp::Revision;
use linkspan_wire::{Entry, Id, IdKey, Kind, RpcError};

use super::Core;
use super::requests::id_in_use;
use crate::exchange::Side;
use crate::fault::Fault;
use crate::port::{Envelope, Outbound};

impl Core {
    pub(super) fn batch(&mut self, entries: Vec<Entry>, now: Instant) {
        // A client need not wait for the answer to `initialize` before it uses the revision that it asked for.
        let revision = match self.opening {
            Some(_) => self.wanted,
            None => self.revision,
        };
        if !revision.is_some_and(Revision::has_batches) {
            let error = RpcError::invalid_request(
                "batches exist in MCP 2025-03-26 only; send one message at a time",
            );
            return self.reply(&Id::null(), &error, now);
        }
        if entries.len() > self.config.max_in_flight {
            let why = Fault::Overloaded {
                what: "too many messages in one batch",
            };
            return self.reply(&Id::null(), &RpcError::from(&why), now);
        }
        let mut messages = Vec::new();
        let mut answers = Vec::new();
        let mut ids: Vec<IdKey> = Vec::new();
        for entry in entries {
            match entry {
                Ok(message) => {
                    if let (Kind::Request, Some(id)) = (message.kind(), message.id()) {
                        let key = id.key();
                        if ids.contains(&key) || self.exchange.is_in_use(Side::Front, &key) {
                            answers.push(id_in_use(&id).answer(&id));
                            continue;
                        }
                        ids.push(key);
                    }
                    messages.push(message);
                }
                Err(why) => answers.push(why.to_rpc().answer(&why.id())),
            }
        }
        if let Some(array) = self.batches.open(ids, answers) {
            self.front.push(Outbound::Array(array));
        }
        for message in messages {
            self.arrive_front(Envelope::new(message), now);
        }
    }
}

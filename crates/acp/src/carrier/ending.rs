//! Timeouts, and the end of a carrier.

use std::time::Instant;

use linkspan_wire::{Hop, RpcError};

use super::{Carrier, Link, Out, Own, PATIENCE, cancellation, fault};

impl Carrier {
    /// When [`Carrier::on_time`] has to be called next.
    pub fn next_wake(&self) -> Option<Instant> {
        let connecting = match &self.link {
            Link::Connecting { until, .. } => Some(*until),
            Link::None | Link::Up(_) => None,
        };
        let calls = self.calls.iter().filter_map(|call| call.data.until);
        calls.chain(connecting).min()
    }

    /// Ends requests whose deadline has passed.
    pub fn on_time(&mut self, now: Instant) -> Vec<Out> {
        let mut outs = Vec::new();
        let seconds = PATIENCE.as_secs();
        if matches!(&self.link, Link::Connecting { until, .. } if *until <= now) {
            self.give_up_connection(&mut outs);
            outs.extend(self.unconnected(|id| fault::silent("mcp/connect", seconds).answer(id)));
        }
        let is_due = |until: Option<Instant>| until.is_some_and(|until| until <= now);
        for call in self.calls.take_if(|call| is_due(call.data.until)) {
            outs.push(cancellation(call.hop));
            let error = fault::silent("the first request", seconds);
            outs.push(Out::mcp(error.answer(&call.id)));
        }
        outs
    }

    /// Whether the provider may still open a connection that is no longer needed.
    pub fn may_get_unwanted_connection(&self) -> bool {
        let mut own = self.own.values();
        own.any(|own| matches!(own, Own::Unwanted))
    }

    /// Marks a pending connection request: if it still opens a connection, that is closed at once.
    fn give_up_connection(&mut self, outs: &mut Vec<Out>) {
        for (number, own) in &mut self.own {
            if matches!(own, Own::Connect) {
                *own = Own::Unwanted;
                outs.push(cancellation(*number));
            }
        }
    }

    /// Ends the carrier: answers all pending requests of both sides.
    pub fn end(&mut self, why: &RpcError) -> Vec<Out> {
        let mut outs = Vec::new();
        let link = std::mem::replace(&mut self.link, Link::None);
        let held: Vec<Hop> = match &link {
            Link::Connecting { held, .. } => held.iter().filter_map(|held| held.number).collect(),
            Link::None | Link::Up(_) => Vec::new(),
        };
        for call in self.calls.take_if(|_| true) {
            if !held.contains(&call.hop) {
                outs.push(cancellation(call.hop));
            }
            outs.push(Out::mcp(why.answer(&call.id)));
        }
        self.own.retain(|_, own| !matches!(own, Own::Disconnect));
        self.give_up_connection(&mut outs);
        for (_, asked) in std::mem::take(&mut self.asked) {
            outs.push(Out::Chain(
                asked.refuse(&fault::gone("the MCP client has disconnected")),
            ));
        }
        if let (Link::Up(connection), Some(form)) = (link, self.form) {
            outs.push(self.disconnect(form, &connection));
        }
        self.over = Some(why.clone());
        outs
    }
}

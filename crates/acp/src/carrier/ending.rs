//! What has waited too long, and the end of everything.

use std::time::Instant;

use linkspan_wire::{Hop, RpcError};

use super::{Carrier, Link, Out, PATIENCE, Wait, fault, taken_back};

impl Carrier {
    /// When [`Carrier::on_time`] has to be called next.
    pub fn next_wake(&self) -> Option<Instant> {
        let connecting = match &self.link {
            Link::Connecting { until, .. } => Some(*until),
            Link::None | Link::Up(_) => None,
        };
        let calls = self.waiting.values().filter_map(|wait| match wait {
            Wait::Call(call) => call.until,
            _ => None,
        });
        calls.chain(connecting).min()
    }

    /// Ends what has waited too long.
    pub fn on_time(&mut self, now: Instant) -> Vec<Out> {
        let mut outs = Vec::new();
        let seconds = PATIENCE.as_secs();
        if matches!(&self.link, Link::Connecting { until, .. } if *until <= now) {
            for wait in self.waiting.iter_mut() {
                if let (number, wait @ Wait::Connect) = wait {
                    *wait = Wait::Unwanted;
                    outs.push(taken_back(*number));
                }
            }
            outs.extend(self.unconnected(|id| fault::silent("mcp/connect", seconds).answer(id)));
        }
        let due = |wait: &Wait| matches!(wait, Wait::Call(call) if call.until.is_some_and(|until| until <= now));
        let due = self.waiting.iter().filter(|(_, wait)| due(wait));
        for number in due.map(|(number, _)| *number).collect::<Vec<_>>() {
            if let Some(call) = self.take_call(number) {
                outs.push(taken_back(number));
                let error = fault::silent("the first request", seconds);
                outs.push(Out::mcp(error.answer(&call.id)));
            }
        }
        outs
    }

    /// Whether a connection may still come that nobody wants any more.
    pub fn dreads_connection(&self) -> bool {
        let mut waits = self.waiting.values();
        waits.any(|wait| matches!(wait, Wait::Unwanted))
    }

    /// Nothing is carried any more: whoever waits is told why, on both sides.
    pub fn end(&mut self, why: &RpcError) -> Vec<Out> {
        let mut outs = Vec::new();
        let link = std::mem::replace(&mut self.link, Link::None);
        let held: Vec<Hop> = match &link {
            Link::Connecting { held, .. } => held.iter().filter_map(|held| held.number).collect(),
            Link::None | Link::Up(_) => Vec::new(),
        };
        for (number, wait) in std::mem::take(&mut self.waiting) {
            match wait {
                Wait::Call(call) => {
                    if !held.contains(&number) {
                        outs.push(taken_back(number));
                    }
                    outs.push(Out::mcp(why.answer(&call.id)));
                }
                Wait::Connect => {
                    self.waiting.insert(number, Wait::Unwanted);
                    outs.push(taken_back(number));
                }
                Wait::Unwanted => {
                    self.waiting.insert(number, Wait::Unwanted);
                }
                Wait::Goodbye => {}
            }
        }
        self.numbers.clear();
        for (_, asked) in std::mem::take(&mut self.asked) {
            outs.push(Out::Chain(
                asked.refuse(&fault::gone("the MCP client has gone")),
            ));
        }
        if let (Link::Up(connection), Some(form)) = (link, self.form) {
            outs.push(self.goodbye(form, &connection));
        }
        self.over = Some(why.clone());
        outs
    }
}

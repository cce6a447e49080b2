//! The queue of messages to a peer.

use std::collections::VecDeque;

use linkspan_mcp::names;
use tokio::sync::mpsc;

use crate::port::{Envelope, Outbound};

/// A queue towards one peer, counted in bytes.
#[derive(Default)]
pub struct Outbox {
    queue: VecDeque<Outbound>,
    bytes: usize,
}

impl Outbox {
    /// Adds an item.
    pub fn push(&mut self, item: Outbound) {
        self.bytes += item.len();
        self.queue.push_back(item);
    }

    /// Adds a progress notification; it replaces a queued one for the same token.
    pub fn coalesce(&mut self, envelope: Envelope) {
        let token = progress_token(&envelope);
        let older = self.queue.iter().position(|waiting| match waiting {
            Outbound::One(waiting) => token.is_some() && progress_token(waiting) == token,
            Outbound::Array(_) => false,
        });
        if let Some(old) = older.and_then(|at| self.queue.remove(at)) {
            self.bytes -= old.len();
        }
        self.push(Outbound::One(envelope));
    }

    /// Removes the next item.
    pub fn pop(&mut self) -> Option<Outbound> {
        let item = self.queue.pop_front()?;
        self.bytes -= item.len();
        Some(item)
    }

    /// Puts an unsent item back.
    pub fn unpop(&mut self, item: Outbound) {
        self.bytes += item.len();
        self.queue.push_front(item);
    }

    /// Sends all items, until the port is closed. If this future is dropped, unsent items stay in the queue.
    pub async fn send_all(&mut self, tx: &mpsc::Sender<Outbound>) {
        while !self.is_empty() {
            let Ok(room) = tx.reserve().await else { return };
            if let Some(item) = self.pop() {
                room.send(item);
            }
        }
    }

    /// Bytes that wait.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

fn progress_token(envelope: &Envelope) -> Option<String> {
    if envelope.msg.method() != names::PROGRESS {
        return None;
    }
    let token = envelope.msg.params()?.get("progressToken")?;
    Some(token.text().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Message;

    fn progress(token: u32, value: u32) -> Envelope {
        let params = format!(r#"{{"progressToken":{token},"progress":{value}}}"#);
        Envelope::new(Message::notification(names::PROGRESS, Some(&params)))
    }

    #[test]
    fn coalescing_keeps_the_newest_progress_of_each_token() {
        let mut outbox = Outbox::default();
        outbox.push(Outbound::One(progress(1, 10)));
        outbox.push(Outbound::One(progress(2, 10)));
        outbox.coalesce(progress(1, 20));
        let left: Vec<_> = std::iter::from_fn(|| match outbox.pop()? {
            Outbound::One(envelope) => Some(envelope.msg.text()),
            Outbound::Array(_) => None,
        })
        .collect();
        assert_eq!(
            left,
            [progress(2, 10).msg.text(), progress(1, 20).msg.text()]
        );
        assert_eq!(outbox.bytes(), 0);
    }
}

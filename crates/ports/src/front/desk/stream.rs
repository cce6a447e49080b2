//! One stream of a session: what is to be sent on it, and what has been.

use std::collections::VecDeque;
use std::task::Waker;
use std::time::Instant;

use linkspan_session::{Envelope, Fault, Outbound};
use linkspan_wire::RpcError;

use super::log::Load;

/// What is larger than this is not kept once it has been written.
const LARGE: usize = 64 * 1024;

/// A stream, read by one connection at a time.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// With their numbers. The first `taken` of them have been sent.
    events: VecDeque<(u32, Outbound)>,
    taken: usize,
    /// Something large is among those that have been sent.
    heavy: bool,
    last: u32,
    /// The client has seen the id of an event, so it can resume.
    named: bool,
    finished: Option<Instant>,
    reader: Option<Waker>,
    live: bool,
    /// Counts the readers; whoever has an older number has been replaced.
    turn: u32,
}

impl Stream {
    /// A new reader takes the place of the one before.
    pub(super) fn attach(&mut self) -> u32 {
        self.wake();
        self.live = true;
        self.turn += 1;
        self.turn
    }

    /// Goes back to what follows the event `after`.
    pub(super) fn rewind(&mut self, after: u32) {
        self.taken = self.events.iter().filter(|(n, _)| *n <= after).count();
        self.named = true;
    }

    /// The reader is gone. What waits is kept for the next one, in its own right.
    pub(super) fn detach(&mut self) {
        self.live = false;
        self.reader = None;
        for (_, item) in &mut self.events {
            settle(item);
        }
    }

    pub(super) fn push(&mut self, item: Outbound) {
        self.last += 1;
        self.events.push_back((self.last, item));
        if !self.live
            && let Some((_, item)) = self.events.back_mut()
        {
            settle(item);
        }
    }

    /// The next event, which is kept as well.
    pub(super) fn take(&mut self) -> Option<(u32, Outbound)> {
        // Whoever comes for the next one has written the one before.
        self.shed();
        let (number, item) = self.events.get_mut(self.taken)?;
        self.taken += 1;
        self.named = true;
        self.heavy |= item.len() > LARGE;
        Some((*number, share(item)))
    }

    /// The only event, if it is the last one, too: that need not become a stream.
    pub(super) fn take_whole(&mut self) -> Option<Outbound> {
        let whole = self.finished.is_some() && self.events.len() == 1 && self.taken == 0;
        let (_, item) = whole.then(|| self.events.pop_front()).flatten()?;
        Some(item)
    }

    fn shed(&mut self) {
        if !std::mem::take(&mut self.heavy) {
            return;
        }
        let mut taken = self.taken;
        let mut at = 0;
        self.events.retain(|(_, item)| {
            at += 1;
            let keep = at > self.taken || item.len() <= LARGE;
            taken -= usize::from(!keep);
            keep
        });
        self.taken = taken;
    }

    /// Forgets what has been sent.
    pub(super) fn forget_sent(&mut self) {
        self.events.drain(..self.taken);
        self.taken = 0;
    }

    /// Forgets the oldest event that has been sent.
    pub(super) fn forget_one_sent(&mut self) -> bool {
        let some = self.taken > 0;
        if some {
            self.events.pop_front();
            self.taken -= 1;
        }
        some
    }

    /// Gives up the oldest event that nobody has come for.
    pub(super) fn forget_one_unsent(&mut self) -> bool {
        !self.live && self.events.remove(self.taken).is_some()
    }

    pub(super) fn finish(&mut self, now: Instant) {
        self.finished.get_or_insert(now);
        self.wake();
    }

    pub(super) fn wait(&mut self, waker: &Waker) {
        match &mut self.reader {
            Some(known) => known.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
    }

    pub(super) fn wake(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }

    pub(super) fn name(&mut self) {
        self.named = true;
    }

    pub(super) fn is_named(&self) -> bool {
        self.named
    }

    pub(super) fn is_live(&self) -> bool {
        self.live
    }

    pub(super) fn is_turn_of(&self, turn: u32) -> bool {
        self.live && self.turn == turn
    }

    pub(super) fn finished(&self) -> Option<Instant> {
        self.finished
    }

    /// Whether nothing waits to be sent.
    pub(super) fn is_sent(&self) -> bool {
        self.taken == self.events.len()
    }

    /// What waits for a reader that is there.
    pub(super) fn backlog(&self) -> Load {
        match self.live {
            true => Load::of(self.events.range(self.taken..)),
            false => Load::default(),
        }
    }

    /// What is kept for a reader that may come.
    pub(super) fn kept(&self) -> Load {
        match self.live {
            true => Load::of(self.events.range(..self.taken)),
            false => Load::of(self.events.range(..)),
        }
    }
}

/// The same for a reader; the credit goes with it.
fn share(item: &mut Outbound) -> Outbound {
    match item {
        Outbound::One(envelope) => Outbound::One(Envelope {
            credit: std::mem::take(&mut envelope.credit),
            ..Envelope::new(envelope.msg.clone())
        }),
        Outbound::Array(text) => Outbound::Array(text.clone()),
    }
}

/// What is kept while nobody reads must not hold up the server, so it has no credit, and what is
/// too large for that is an answer that is lost.
fn settle(item: &mut Outbound) {
    let too_large = item.len() > super::log::MOST.bytes;
    let Outbound::One(envelope) = item else {
        return;
    };
    envelope.credit = Default::default();
    if !too_large {
        return;
    }
    let lost = Fault::AnswerLost {
        peer: "the server".to_owned(),
        why: "it is too large to be kept while nobody reads".to_owned(),
    };
    if let (true, Some(id)) = (envelope.msg.is_answer(), envelope.msg.id()) {
        envelope.msg = RpcError::from(&lost).answer(&id);
    }
}

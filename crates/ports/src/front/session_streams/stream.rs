//! One stream of a session: its queued and its sent events.

use std::collections::VecDeque;
use std::task::Waker;
use std::time::Instant;

use linkspan_session::{Envelope, Outbound};
use linkspan_wire::{Id, IdKey, RpcError};

use super::keeping::{lost, question, settle, share};
use super::log::{Load, MOST};
use super::spelled;

/// A stream, read by one connection at a time.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// Events with their numbers. The first `taken` have been sent.
    events: VecDeque<(u32, Outbound)>,
    taken: usize,
    /// How often a reader has taken an event.
    takes: u64,
    /// The requests of its POST, whose answers are its last events.
    asked: Box<[IdKey]>,
    last: u32,
    /// The client has seen an event id, so it can resume.
    named: bool,
    finished: Option<Instant>,
    reader: Option<Waker>,
    live: bool,
    /// Counts the readers; a reader with an older number has been replaced.
    turn: u32,
}

/// What is remembered of an evicted stream, in case a client resumes it.
#[derive(Debug)]
pub(super) struct Trace {
    last: u32,
    finished: Instant,
    pub(super) asked: Box<[IdKey]>,
}

impl Stream {
    /// A stream that is restored from its trace.
    pub(super) fn recalled(trace: Trace) -> Self {
        Self {
            asked: trace.asked,
            last: trace.last,
            named: true,
            finished: Some(trace.finished),
            ..Self::default()
        }
    }

    /// The trace of this stream: `None` if no answer is missing.
    pub(super) fn into_trace(self) -> Option<Trace> {
        let owed = self.named && self.last > 0 && !self.asked.is_empty();
        let finished = self.finished.filter(|_| owed)?;
        Some(Trace {
            last: self.last,
            finished,
            asked: self.asked,
        })
    }

    /// Sets the requests of its POST; none after a cancellation.
    pub(super) fn set_asked(&mut self, asked: Box<[IdKey]>) {
        self.asked = asked;
    }

    /// Attaches a new reader, which replaces the previous one.
    pub(super) fn attach(&mut self) -> u32 {
        self.wake();
        self.live = true;
        self.turn += 1;
        self.turn
    }

    /// Continues after the event `after`.
    pub(super) fn rewind(&mut self, after: u32) {
        self.taken = self.events.iter().filter(|(n, _)| *n <= after).count();
        self.named = true;
        let is_there = self.events.back().is_some_and(|(n, _)| *n == self.last);
        if self.finished.is_some() && after < self.last && !is_there {
            self.answer_lost_requests();
        }
    }

    /// Answers with errors in place of the lost answers.
    fn answer_lost_requests(&mut self) {
        let why = lost("newer messages took its place before the client fetched it");
        for key in self.asked.clone() {
            let error = RpcError::from(&why).answer(&spelled(&key));
            self.push(Outbound::One(Envelope::new(error)));
        }
    }

    /// Detaches the reader. Queued events are kept for the next one.
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

    /// Takes the next event; a copy is kept.
    pub(super) fn take(&mut self) -> Option<(u32, Outbound)> {
        let (number, item) = self.events.get_mut(self.taken)?;
        self.taken += 1;
        self.takes += 1;
        self.named = true;
        Some((*number, share(item)))
    }

    /// Takes the only event of a finished stream, which then need not become a stream.
    pub(super) fn take_whole(&mut self) -> Option<Outbound> {
        let whole = self.finished.is_some() && self.events.len() == 1 && self.taken == 0;
        let (_, item) = whole.then(|| self.events.pop_front()).flatten()?;
        Some(item)
    }

    /// Drops the events that have been sent.
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

    /// Drops one sent event that is too large to keep.
    pub(super) fn forget_one_huge(&mut self) -> bool {
        let mut sent = self.events.range(..self.taken);
        let huge = sent.position(|(_, item)| item.len() > MOST.bytes);
        if let Some(at) = huge {
            self.events.remove(at);
            self.taken -= 1;
        }
        huge.is_some()
    }

    /// Drops the oldest unread event.
    pub(super) fn forget_one_unsent(&mut self) -> Option<Outbound> {
        let taken = self.taken;
        let (_, item) = (!self.live).then(|| self.events.remove(taken)).flatten()?;
        Some(item)
    }

    /// The questions of the server that no client has read.
    pub(super) fn unheard(&self) -> impl Iterator<Item = Id> {
        let unsent = self.events.range(self.taken..);
        unsent.filter_map(|(_, item)| question(item))
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

    /// Whether the stream is finished, without a reader and empty.
    pub(super) fn is_bare(&self) -> bool {
        !self.live && self.finished.is_some() && self.events.is_empty()
    }

    /// Whether all events have been sent.
    pub(super) fn is_sent(&self) -> bool {
        self.taken == self.events.len()
    }

    /// How often the reader has taken an event, if events wait for it.
    pub(super) fn behind(&self) -> Option<u64> {
        (self.live && !self.is_sent()).then_some(self.takes)
    }

    /// The events that wait for an attached reader.
    pub(super) fn backlog(&self) -> Load {
        if self.live {
            Load::of(self.events.range(self.taken..))
        } else {
            Load::default()
        }
    }

    /// The events that are kept for a reader that resumes the stream.
    pub(super) fn kept(&self) -> Load {
        if self.live {
            Load::of(self.events.range(..self.taken))
        } else {
            Load::of(self.events.range(..))
        }
    }
}

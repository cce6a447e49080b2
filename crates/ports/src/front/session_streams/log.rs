//! The streams of a session, and how much of them is kept for clients that resume them.

use std::collections::BTreeMap;
use std::iter::Sum;
use std::ops::Add;
use std::time::{Duration, Instant};

use linkspan_session::Outbound;
use linkspan_wire::Id;

use super::keeping::question;
use super::stream::{Stream, Trace};

/// Limit of what all streams of a session keep.
pub(super) const MOST: Load = Load {
    events: 256,
    bytes: 4 << 20,
};

/// Limit of what waits for attached readers before the session stops reading from the server.
const BACKLOG: Load = Load {
    events: 64,
    bytes: 1 << 20,
};

/// Limit of requests that are remembered after their answers were dropped.
const TRACES: usize = 1024;

/// How long a finished stream can be resumed.
const KEEP: Duration = Duration::from_secs(300);

/// A number of events and their size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) events: usize,
    pub(super) bytes: usize,
}

impl Load {
    pub(super) fn of<'a>(events: impl Iterator<Item = &'a (u32, Outbound)>) -> Self {
        events
            .map(|(_, item)| Self {
                events: 1,
                bytes: item.len(),
            })
            .sum()
    }

    fn is_over(self, most: Self) -> bool {
        self.events > most.events || self.bytes > most.bytes
    }
}

impl Add for Load {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            events: self.events + other.events,
            bytes: self.bytes + other.bytes,
        }
    }
}

impl Sum for Load {
    fn sum<I: Iterator<Item = Self>>(loads: I) -> Self {
        loads.fold(Self::default(), Add::add)
    }
}

/// Streams by their number, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Log {
    streams: BTreeMap<u32, Stream>,
    /// Streams that were forgotten before their answer was read.
    traces: BTreeMap<u32, Trace>,
    traced: usize,
    /// Questions of the server that no client will see.
    unheard: Vec<Id>,
}

impl Log {
    pub(super) fn open(&mut self, number: u32) -> &mut Stream {
        self.streams.entry(number).or_default()
    }

    pub(super) fn get(&mut self, number: u32) -> Option<&mut Stream> {
        self.streams.get_mut(&number)
    }

    /// Removes a stream that cannot be resumed.
    pub(super) fn remove(&mut self, number: u32) {
        if let Some(stream) = self.streams.remove(&number) {
            self.unheard.extend(stream.unheard());
        }
    }

    /// Removes a stream that could still be resumed.
    fn evict(&mut self, number: u32) {
        let Some(stream) = self.streams.remove(&number) else {
            return;
        };
        self.unheard.extend(stream.unheard());
        if let Some(trace) = stream.into_trace() {
            self.traced += trace.asked.len();
            self.traces.insert(number, trace);
        }
        while self.traced > TRACES
            && let Some((_, trace)) = self.traces.pop_first()
        {
            self.traced -= trace.asked.len();
        }
    }

    /// The stream of an event. A stream that was evicted is restored, but empty.
    pub(super) fn recall(&mut self, number: u32) -> Option<&mut Stream> {
        if let Some(trace) = self.traces.remove(&number) {
            self.traced -= trace.asked.len();
            self.streams.insert(number, Stream::recalled(trace));
        }
        self.get(number)
    }

    /// Removes a stream that has no events and cannot get any.
    pub(super) fn tidy(&mut self, number: u32) {
        if self.streams.get(&number).is_some_and(Stream::is_bare) {
            self.evict(number);
        }
    }

    /// Questions of the server that no client will see, since this was last called.
    pub(super) fn unheard(&mut self) -> Vec<Id> {
        std::mem::take(&mut self.unheard)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut Stream)> {
        self.streams
            .iter_mut()
            .map(|(number, stream)| (*number, stream))
    }

    /// Whether readers are so far behind that the session has to wait.
    pub(super) fn is_full(&self) -> bool {
        let backlog: Load = self.streams.values().map(Stream::backlog).sum();
        backlog.is_over(BACKLOG)
    }

    pub(super) fn has_readers(&self) -> bool {
        self.streams.values().any(Stream::is_live)
    }

    /// Forgets what can best be spared until the rest is within bounds.
    pub(super) fn trim(&mut self) {
        while self.kept().is_over(MOST) {
            // Events that are too large to keep go first: they must not evict others.
            if self.streams.values_mut().any(Stream::forget_one_huge) {
                continue;
            }
            let over = |stream: &Stream| !stream.is_live() && stream.finished().is_some();
            let spare = self.find(|stream| over(stream) && stream.is_sent());
            if let Some(number) = spare {
                self.evict(number);
                continue;
            }
            if self.streams.values_mut().any(Stream::forget_one_sent) {
                continue;
            }
            // From here on, events that no client has read are lost.
            if let Some(number) = self.find(over) {
                self.evict(number);
                continue;
            }
            let mut streams = self.streams.values_mut();
            match streams.find_map(Stream::forget_one_unsent) {
                Some(item) => self.unheard.extend(question(&item)),
                None => return,
            }
        }
    }

    /// Drops streams that finished too long ago.
    pub(super) fn expire(&mut self, now: Instant) {
        let is_old = |stream: &Stream| {
            let over = stream.finished().filter(|_| !stream.is_live());
            over.is_some_and(|at| now.saturating_duration_since(at) >= KEEP)
        };
        while let Some(number) = self.find(is_old) {
            self.evict(number);
        }
    }

    fn kept(&self) -> Load {
        self.streams.values().map(Stream::kept).sum()
    }

    fn find(&self, wanted: impl Fn(&Stream) -> bool) -> Option<u32> {
        let mut found = self.streams.iter().filter(|(_, stream)| wanted(stream));
        found.next().map(|(number, _)| *number)
    }
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;

//! Turns lines into the events of a session.

use std::borrow::Cow;
use std::time::Instant;

use linkspan_session::{Envelope, Inbound};
use linkspan_wire::{Frame, Limits, Line, Lines, Resync, WireError};

use crate::owed::{DOUBT, Shared};

/// How many bytes of a line that is not a message are logged.
const EXCERPT: usize = 100;

/// Reads the lines of one peer.
pub(crate) enum Framing {
    /// The peer is a client: lines that are not messages are answered with an error.
    Client { limits: Limits, line: Option<Line> },
    /// The peer is a server: damaged lines are repaired where possible, and requests whose answers are lost fail.
    Server(Box<Server>),
}

pub(crate) struct Server {
    limits: Limits,
    resync: Resync,
    owed: Shared,
    too_large: Option<WireError>,
    /// When to stop waiting for the rest of a message that is split over lines.
    unfinished: Option<Instant>,
    /// Called with the beginning of each line that is not a message.
    noise: Box<dyn FnMut(&str) + Send>,
}

impl Framing {
    pub(crate) fn client(limits: Limits) -> Self {
        Self::Client { limits, line: None }
    }

    pub(crate) fn server(
        limits: Limits,
        owed: Shared,
        noise: impl FnMut(&str) + Send + 'static,
    ) -> Self {
        Self::Server(Box::new(Server {
            limits,
            resync: Resync::new(limits),
            owed,
            too_large: None,
            unfinished: None,
            noise: Box::new(noise),
        }))
    }

    pub(crate) fn limits(&self) -> Limits {
        match self {
            Self::Client { limits, .. } => *limits,
            Self::Server(server) => server.limits,
        }
    }

    /// The next whole line of a stream.
    pub(crate) fn line(&self, lines: &mut Lines) -> Option<Line> {
        match self {
            Self::Client { .. } => lines.next(),
            Self::Server(_) => lines.next().or_else(|| lines.ended_by_cr()),
        }
    }

    /// Adds the next line. All frames of the previous line must have been taken.
    pub(crate) fn push(&mut self, next: Line) {
        match self {
            Self::Client { line, .. } => *line = Some(next),
            Self::Server(server) => match next {
                Line::Text(text) => server.resync.push(text),
                Line::TooLarge(why) => server.too_large = Some(why),
            },
        }
    }

    /// What follows from the lines so far.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Inbound> {
        match self {
            Self::Client { limits, line } => match line.take()? {
                Line::Text(text) => inbound(Frame::parse(text, limits)),
                Line::TooLarge(why) => Some(Inbound::Bad(why)),
            },
            Self::Server(server) => server.next(now),
        }
    }

    /// The stream has ended.
    pub(crate) fn end(&mut self, now: Instant) -> Option<Inbound> {
        match self {
            Self::Client { .. } => None,
            Self::Server(server) => server.give_up(now),
        }
    }

    /// When [`Framing::on_time`] has to be called next.
    pub(crate) fn next_wake(&self) -> Option<Instant> {
        match self {
            Self::Client { .. } => None,
            Self::Server(server) => {
                let owed = server.owed.lock().next_wake();
                server.unfinished.into_iter().chain(owed).min()
            }
        }
    }

    /// Handles deadlines.
    pub(crate) fn on_time(&mut self, now: Instant) -> Vec<Inbound> {
        let Self::Server(server) = self else {
            return Vec::new();
        };
        let late = server.unfinished.is_some_and(|due| due <= now);
        let mut due = Vec::new();
        if late {
            due.extend(server.give_up(now));
            due.extend(std::iter::from_fn(|| server.next(now)));
        }
        due.extend(server.owed.lock().on_time(now));
        due
    }
}

impl Server {
    fn next(&mut self, now: Instant) -> Option<Inbound> {
        if self.too_large.is_some()
            && let Some(inbound) = self.give_up(now)
        {
            return Some(inbound);
        }
        if let Some(why) = self.too_large.take() {
            return self.owed.lock().bad(why, now);
        }
        while let Some(frame) = self.resync.next() {
            if let Some(inbound) = self.heard(frame, now) {
                return Some(inbound);
            }
        }
        self.unfinished = self.resync.is_waiting().then(|| now + DOUBT);
        None
    }

    fn give_up(&mut self, now: Instant) -> Option<Inbound> {
        self.unfinished = None;
        let frame = self.resync.give_up()?;
        self.heard(frame, now)
    }

    fn heard(&mut self, frame: Frame, now: Instant) -> Option<Inbound> {
        if let Some(start) = show(&frame) {
            (self.noise)(&start);
        }
        self.owed.lock().heard(frame, now)
    }
}

/// The session event for a frame.
pub(crate) fn inbound(frame: Frame) -> Option<Inbound> {
    show(&frame);
    match frame {
        Frame::Blank => None,
        Frame::One(msg) => Some(Inbound::Message(Envelope::new(msg))),
        Frame::Batch(entries) => Some(Inbound::Batch(entries)),
        Frame::Other { why, .. } => Some(Inbound::Bad(why)),
    }
}

/// Logs the beginning of a line that is not a message, and returns it.
fn show(frame: &Frame) -> Option<Cow<'_, str>> {
    let Frame::Other { text, .. } = frame else {
        return None;
    };
    let start = String::from_utf8_lossy(&text[..text.len().min(EXCERPT)]);
    tracing::debug!("not a message: {start:?}");
    Some(start)
}

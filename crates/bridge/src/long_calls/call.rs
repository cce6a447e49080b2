//! A call whose client has a handle, and what became of it.

use std::time::Instant;

use linkspan_wire::{Id, Message};

/// Whose calls they are.
// Its key may be a secret, so it is not printed.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// A client with credentials, in any of its sessions.
    Principal(Box<[u8]>),
    /// The only client of a session.
    Session(u64),
    /// One of several clients that cannot be told apart: the handle alone counts.
    Unknown,
}

/// A call with a handle.
pub(super) struct KeptCall {
    pub(super) owner: Owner,
    pub(super) tool: String,
    pub(super) since: Instant,
    /// As the client sent it: it may have to be sent again with answers to the server's questions.
    pub(super) request: Message,
    pub(super) state: State,
}

pub(super) enum State {
    /// In that session, under that id.
    Running {
        session: u64,
        id: Id,
        /// Its client wants it to end.
        is_cancelled: bool,
    },
    Done {
        answer: Message,
        at: Instant,
        /// A client has got it; it may be dropped before others.
        is_given: bool,
    },
    Dropped {
        why: Dropped,
        at: Instant,
    },
}

/// Why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dropped {
    Cancelled,
    /// The session that it ran in has ended.
    Lost,
    TooLarge,
    NoRoom,
}

/// What a client hears about a handle.
#[derive(Debug)]
pub(super) enum Look {
    /// No such call of this client.
    Unknown,
    Running {
        tool: String,
        since: Instant,
    },
    Done(Message),
    Dropped(String, Dropped),
}

/// A line of the list of calls.
pub(super) struct Listed {
    pub(super) handle: String,
    pub(super) tool: String,
    pub(super) since: Instant,
    pub(super) is_running: bool,
}

impl KeptCall {
    /// Bytes.
    pub(super) fn len(&self) -> usize {
        self.request.len() + self.state.len()
    }
}

impl State {
    fn len(&self) -> usize {
        match self {
            Self::Done { answer, .. } => answer.len(),
            Self::Running { .. } | Self::Dropped { .. } => 0,
        }
    }
}

impl Dropped {
    /// As the client is told.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Cancelled => "was cancelled",
            Self::Lost => "has no result: the connection to the server ended while it ran",
            Self::TooLarge => "has ended, but its result was too large to be kept (32 MiB at most)",
            Self::NoRoom => {
                "has ended, but its result was dropped: the results of other clients take all the room"
            }
        }
    }
}

//! The requests of a session that the server has not answered.

use std::collections::HashMap;
use std::time::Instant;

use linkspan_mcp::{Era, era_of};
use linkspan_wire::{Id, IdKey, Message};

use super::progress::Progress;
use crate::layers::Hold;

/// Requests that are looked after, and the bytes of their calls; well-behaved clients have far fewer open.
const MOST: usize = 4096;
const MOST_BYTES: usize = 64 << 20;

/// A request that the server has not answered.
pub(super) struct Open {
    pub(super) id: Id,
    pub(super) what: What,
    pub(super) progress: Option<Progress>,
    /// When its client gets a handle.
    pub(super) due: Option<Instant>,
    /// Its handle; there may be one from an earlier round.
    pub(super) handle: Option<String>,
    /// Its client has been answered with the handle, and the connection is held.
    pub(super) kept: Option<Hold>,
}

pub(super) enum What {
    /// A page of the list of tools.
    List,
    /// A call of a tool.
    Call { request: Message, began: Instant },
    /// Nothing that its answer is looked at for.
    Other,
}

#[derive(Default)]
pub(super) struct OpenRequests {
    requests: HashMap<IdKey, Open>,
    bytes: usize,
}

impl OpenRequests {
    /// Adds a request; `false` if there is no room. Then its client waits as without the layer.
    pub(super) fn insert(&mut self, open: Open) -> bool {
        let bytes = self.bytes.saturating_add(open.len());
        if self.requests.len() >= MOST || bytes > MOST_BYTES {
            return false;
        }
        self.remove(&open.id);
        self.bytes += open.len();
        self.requests.insert(open.id.key(), open);
        true
    }

    pub(super) fn remove(&mut self, id: &Id) -> Option<Open> {
        let open = self.requests.remove(&id.key())?;
        self.bytes -= open.len();
        Some(open)
    }

    pub(super) fn get_mut(&mut self, id: &Id) -> Option<&mut Open> {
        self.requests.get_mut(&id.key())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Open> {
        self.requests.values()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Open> {
        self.requests.values_mut()
    }
}

impl Open {
    fn len(&self) -> usize {
        match &self.what {
            What::Call { request, .. } => request.len(),
            What::List | What::Other => 0,
        }
    }

    /// The handle, if its client has been answered with it.
    pub(super) fn kept_as(&self) -> Option<&String> {
        self.handle.as_ref().filter(|_| self.kept.is_some())
    }

    /// The era of the call.
    pub(super) fn era(&self) -> Era {
        match &self.what {
            What::Call { request, .. } => era_of(request),
            What::List | What::Other => Era::Legacy,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::message;

    fn call(id: u64, bytes: usize) -> Open {
        let text = "x".repeat(bytes);
        Open {
            id: Id::number(id),
            what: What::Call {
                request: message(&format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{text}"}}}}"#
                )),
                began: Instant::now(),
            },
            progress: None,
            due: None,
            handle: None,
            kept: None,
        }
    }

    #[test]
    fn the_bytes_of_open_calls_are_bounded() {
        let mut open = OpenRequests::default();
        assert!(open.insert(call(1, MOST_BYTES / 2)));
        assert!(!open.insert(call(2, MOST_BYTES / 2)));
        assert!(open.remove(&Id::number(1)).is_some());
        assert_eq!(open.bytes, 0);
        assert!(open.insert(call(2, MOST_BYTES / 2)));
    }

    #[test]
    fn the_number_of_open_requests_is_bounded() {
        let mut open = OpenRequests::default();
        for id in 0..MOST as u64 {
            assert!(open.insert(call(id, 1)));
        }
        assert!(!open.insert(call(MOST as u64, 1)));
    }
}

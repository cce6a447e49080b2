//! The ids of a machine's own requests.
//!
//! They are strings, so they cannot be hop numbers; and they have a prefix that no client has a reason to use.

use linkspan_wire::{Id, Message};

const REQUEST: &str = "linkspan-era-";

/// The id of a request towards the server.
pub(crate) fn request(number: u64) -> Id {
    Id::string(&format!("{REQUEST}{number}"))
}

/// Whether a message answers a request of a machine.
pub(crate) fn is_ours(answer: &Message) -> bool {
    answer.id().as_ref().and_then(request_number).is_some()
}

/// The number of such an id.
pub(crate) fn request_number(id: &Id) -> Option<u64> {
    id.text()
        .strip_prefix('"')?
        .strip_suffix('"')?
        .strip_prefix(REQUEST)?
        .parse()
        .ok()
}

//! Ids of a machine's own.
//!
//! Strings, so that they cannot be a hop number; and with a prefix that no client has a reason to use.

use linkspan_wire::Id;

const REQUEST: &str = "linkspan-era-";
const QUESTION: &str = "linkspan-ask-";

/// The id of a request towards the server.
pub(crate) fn request(number: u64) -> Id {
    Id::string(&format!("{REQUEST}{number}"))
}

/// The number of such an id.
pub(crate) fn request_number(id: &Id) -> Option<u64> {
    number(id, REQUEST)
}

/// The id of a question to the client.
pub(crate) fn question(number: u64) -> Id {
    Id::string(&format!("{QUESTION}{number}"))
}

/// The number of such an id.
pub(crate) fn question_number(id: &Id) -> Option<u64> {
    number(id, QUESTION)
}

fn number(id: &Id, prefix: &str) -> Option<u64> {
    id.text()
        .strip_prefix('"')?
        .strip_suffix('"')?
        .strip_prefix(prefix)?
        .parse()
        .ok()
}

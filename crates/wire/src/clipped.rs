//! The beginning and the end of a message that was too large: enough to find its id and refuse it.

use bytes::Bytes;

use crate::error::WireError;
use crate::escape::unescape;
use crate::id::is_id;
use crate::json::Json;
use crate::limits::{Limits, MAX_DEPTH};
use crate::message::{Span, str_at};
use crate::scan::Scanner;

const FRONT: usize = 4096;
const BACK: usize = 256;

/// The two ends of a text that runs past.
#[derive(Debug, Default)]
pub(crate) struct Clipped {
    front: Vec<u8>,
    back: Vec<u8>,
}

impl Clipped {
    /// Clips a complete text.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut clipped = Self::default();
        clipped.push(text);
        clipped
    }

    /// Adds more of the text.
    pub(crate) fn push(&mut self, more: &[u8]) {
        let room = FRONT - self.front.len();
        self.front.extend_from_slice(&more[..more.len().min(room)]);
        let tail = &more[more.len().saturating_sub(BACK)..];
        let keep = BACK - tail.len();
        let drop = self.back.len().saturating_sub(keep);
        self.back.drain(..drop);
        self.back.extend_from_slice(tail);
    }

    /// The error for the message. Most writers put the id first or last.
    pub(crate) fn too_large(&self, limits: &Limits) -> WireError {
        let (id, has_method) = at_front(&self.front);
        WireError::TooLarge {
            limit: limits.max_bytes(),
            id: id.or_else(|| at_back(&self.back)),
            is_answer: !has_method,
        }
    }
}

/// The id, if it is the last member and a number: text in a string could look like an id, but would not end the
/// message.
fn at_back(suffix: &[u8]) -> Option<Bytes> {
    let text = suffix.trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end();
    let digits = text.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (rest, id) = text.split_at(text.len() - digits);
    let rest = rest.trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    // JSON has no number with a leading zero, and our answer must be JSON.
    let is_number = digits == 1 || (digits > 1 && id[0] != b'0');
    (is_number && rest.ends_with(b",\"id\"")).then(|| Bytes::copy_from_slice(id))
}

/// The id, if it is complete in the prefix, and whether the prefix has a method.
fn at_front(prefix: &[u8]) -> (Option<Bytes>, bool) {
    let (mut id, mut has_method) = (None, false);
    let mut scanner = Scanner::new(prefix, 0, MAX_DEPTH - 1);
    scanner.skip_space();
    let mut more = scanner.expect(b'{').is_ok();
    while more {
        scanner.skip_space();
        let Ok(key) = scanner.key() else { break };
        let key = unescape(str_at(prefix, Span::new(key)));
        has_method |= key == "method";
        let Ok(value) = scanner.value() else { break };
        // A number may be cut where the prefix ends.
        if key == "id" && value.1 < prefix.len() {
            let value = Json::trusted(str_at(prefix, Span::new(value)));
            id = is_id(value).then(|| Bytes::copy_from_slice(value.text().as_bytes()));
        }
        scanner.skip_space();
        more = scanner.expect(b',').is_ok();
    }
    (id, has_method)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits::MOST;

    fn id_in(text: &str) -> Option<String> {
        for size in [1, 7, 100_000] {
            let mut clipped = Clipped::default();
            text.as_bytes()
                .chunks(size)
                .for_each(|chunk| clipped.push(chunk));
            assert_eq!(
                clipped.too_large(&LIMITS),
                Clipped::of(text.as_bytes()).too_large(&LIMITS)
            );
        }
        let id = Clipped::of(text.as_bytes()).too_large(&LIMITS).id();
        Some(id.to_string()).filter(|id| id != "null")
    }

    #[test]
    fn a_request_is_not_mistaken_for_an_answer() {
        let long = "x".repeat(10_000);
        let question = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"m","params":"{long}"}}"#);
        let why = Clipped::of(question.as_bytes()).too_large(&LIMITS);
        assert_eq!((why.id().text(), why.answered_hop()), ("2", None));
        let answer = format!(r#"{{"jsonrpc":"2.0","id":2,"result":"{long}"}}"#);
        let why = Clipped::of(answer.as_bytes()).too_large(&LIMITS);
        assert_eq!(why.answered_hop(), Some(crate::Hop(2)));
    }

    #[test]
    fn the_id_is_found_at_either_end() {
        let long = "x".repeat(10_000);
        let first = format!(r#"{{"jsonrpc":"2.0","id":"a","result":"{long}"}}"#);
        assert_eq!(id_in(&first).as_deref(), Some(r#""a""#));
        let last = format!(r#"{{"result":"{long}","jsonrpc":"2.0","id":17}}"#);
        assert_eq!(id_in(&last).as_deref(), Some("17"));
        let hidden = format!(r#"{{"result":"{long},\"id\":17"}}"#);
        assert_eq!(id_in(&hidden), None);
        let no_number = format!(r#"{{"result":"{long}","id":017}}"#);
        assert_eq!(id_in(&no_number), None);
        assert_eq!(id_in(&format!(r#"{{"result":"{long}"}}"#)), None);
    }
}

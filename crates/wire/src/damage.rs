//! Inspects a text that is not JSON: whether it is a damaged message, and of which request.
//!
//! Strings and brackets are followed as far as possible, and the members of the outermost object that JSON-RPC defines
//! are recorded. The result only decides which request fails because its answer cannot be read, so a misread text
//! causes a wrong fault, never a wrong answer.

use std::ops::Range;

use bytes::Bytes;
use memchr::{memchr_iter, memchr2};

use crate::error::{Syntax, WireError};
use crate::id::is_id;
use crate::json::Json;
use crate::limits::MAX_ID;
use crate::message::utf8;

/// How much is read of a dictionary that was printed instead of being written as JSON.
const PRINTED: usize = 4096;

/// The members that make an object a message.
const MEMBERS: [&[u8]; 5] = [b"jsonrpc", b"id", b"method", b"result", b"error"];

/// Limit of positions on a line that are tried as the beginning of an answer.
const MAX_QUOTED: usize = 4;

/// The error for `text`, which is not JSON because of `why`: [`WireError::Damaged`] if it looks like a message,
/// [`WireError::Quoted`] if an answer follows other text, [`WireError::Json`] otherwise.
pub(crate) fn inspect(text: &[u8], why: Syntax) -> WireError {
    let mut outline = Outline::default();
    if text.first() == Some(&b'{') {
        outline.read(&text[1..]);
    }
    if !outline.is_message && text.starts_with(b"{'") {
        // A Python dictionary as `print` shows it.
        let start = &text[1..text.len().min(PRINTED)];
        let quoted: Vec<u8> = start
            .iter()
            .map(|b| if *b == b'\'' { b'"' } else { *b })
            .collect();
        outline.read(&quoted);
    }
    if !outline.is_message {
        return quoted(text).unwrap_or(WireError::Json(why));
    }
    outline.damaged(why)
}

/// The elements of `text`, an array that is not JSON because of `why`: the extent of each, and its error if it is not a
/// message.
pub(crate) fn elements(
    text: &[u8],
    why: Syntax,
) -> impl Iterator<Item = (Range<usize>, WireError)> {
    let mut at = 1;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let is_gap = |b: &&u8| b.is_ascii_whitespace() || **b == b',';
        let start = at + rest.iter().take_while(is_gap).count();
        if text.get(start) != Some(&b'{') {
            return None;
        }
        let mut outline = Outline::default();
        at = start + 1 + outline.read(&text[start + 1..]);
        let why = if outline.is_message {
            outline.damaged(why)
        } else {
            WireError::Json(why)
        };
        Some((start..at, why))
    })
}

/// The first answer in `text`, which begins with something else. Requests and notifications are skipped: a log may
/// quote what its program received.
fn quoted(text: &[u8]) -> Option<WireError> {
    let starts = memchr_iter(b'{', text).filter(|at| begins_message(&text[at + 1..]));
    starts.take(MAX_QUOTED).find_map(|at| {
        let mut outline = Outline::default();
        outline.read(&text[at + 1..]);
        let is_answer = outline.has_outcome && !outline.has_method && !outline.ids_differ;
        let id = outline.id.filter(|_| is_answer)?;
        Some(WireError::Quoted { id })
    })
}

/// Whether an object begins with a member of a message.
fn begins_message(inside: &[u8]) -> bool {
    let key = inside.trim_ascii_start().strip_prefix(b"\"");
    key.is_some_and(|key| {
        let mut members = MEMBERS.iter();
        members.any(|member| {
            key.strip_prefix(*member)
                .is_some_and(|k| k.starts_with(b"\""))
        })
    })
}

#[derive(Default)]
struct Outline {
    id: Option<Bytes>,
    ids_differ: bool,
    has_method: bool,
    /// Has a `result` or an `error`.
    has_outcome: bool,
    is_message: bool,
}

impl Outline {
    fn damaged(self, why: Syntax) -> WireError {
        WireError::Damaged {
            why,
            id: self.id.filter(|_| !self.ids_differ),
            is_answer: !self.has_method,
        }
    }

    /// Reads the inside of an object, and returns the length of what was read, including the closing bracket.
    fn read(&mut self, text: &[u8]) -> usize {
        let mut at = 0;
        // Brackets that are open inside the object.
        let mut open = 0usize;
        let mut key: Option<&[u8]> = None;
        while let Some(&byte) = text.get(at) {
            match byte {
                b'"' => {
                    let Some(end) = string_end(text, at + 1) else {
                        // The text ends inside a string: a partial key may still be recognized.
                        let begun = &text[at + 1..];
                        self.is_message |= open == 0 && key.is_none() && begins_member(begun);
                        return text.len();
                    };
                    let inner = &text[at + 1..end];
                    if open == 0 {
                        let value = key.take();
                        if value == Some(b"id") {
                            self.note_id(&text[at..=end]);
                        } else if value.is_none() && followed_by_colon(text, end + 1) {
                            self.note_key(inner);
                            key = Some(inner);
                        }
                    }
                    at = end + 1;
                }
                b'{' | b'[' => {
                    open += 1;
                    key = None;
                    at += 1;
                }
                b'}' | b']' => {
                    let Some(outer) = open.checked_sub(1) else {
                        return at + 1;
                    };
                    open = outer;
                    key = None;
                    at += 1;
                }
                b',' => {
                    if open == 0 {
                        key = None;
                    }
                    at += 1;
                }
                _ if open == 0 && key == Some(b"id") && !is_filler(byte) => {
                    let rest = &text[at..];
                    let length = rest.iter().take_while(|b| !is_filler(**b)).count();
                    // A number at the end of the text may be cut.
                    if length < rest.len() {
                        self.note_id(&rest[..length]);
                    }
                    key = None;
                    at += length;
                }
                _ => at += 1,
            }
        }
        text.len()
    }

    fn note_key(&mut self, key: &[u8]) {
        self.has_method |= key == b"method";
        self.has_outcome |= key == b"result" || key == b"error";
        self.is_message |= MEMBERS.contains(&key) && key != b"id";
    }

    fn note_id(&mut self, spelled: &[u8]) {
        let json = utf8(spelled).ok().and_then(|text| Json::parse(text).ok());
        let Some(id) = json.filter(|json| is_id(*json) && spelled.len() <= MAX_ID) else {
            self.ids_differ = true;
            return;
        };
        let id = id.text().as_bytes();
        self.ids_differ |= self.id.as_ref().is_some_and(|known| &**known != id);
        self.id = Some(Bytes::copy_from_slice(id));
    }
}

/// The closing quote of the string that begins at `at`.
fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

fn followed_by_colon(text: &[u8], at: usize) -> bool {
    text[at..].trim_ascii_start().first() == Some(&b':')
}

/// Whether a partial key can be a member of a message.
fn begins_member(begun: &[u8]) -> bool {
    !begun.is_empty() && MEMBERS.iter().any(|member| member.starts_with(begun))
}

/// What separates values.
fn is_filler(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b':' | b',' | b'{' | b'}' | b'[' | b']' | b'"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The id, and whether it is an answer; `None` if it is not a message.
    fn found(text: &[u8]) -> Option<(Option<String>, bool)> {
        match inspect(text, Syntax::Torn) {
            WireError::Damaged { id, is_answer, .. } => {
                let id = id.map(|id| String::from_utf8(id.to_vec()).unwrap());
                Some((id, is_answer))
            }
            _ => None,
        }
    }

    fn answer(id: &str) -> Option<(Option<String>, bool)> {
        Some((Some(id.to_owned()), true))
    }

    #[test]
    fn the_id_is_found_before_and_behind_the_damage() {
        for text in [
            &br#"{"jsonrpc":"2.0","id":7,"result":{"x":NaN}}"#[..],
            br#"{"jsonrpc":"2.0","result":{"x":NaN},"id":7}"#,
            br#"{"jsonrpc":"2.0","result":{"x":Infinity},"id":7"#,
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"text\":\"\xff\xfe\"}}",
            b"{\"jsonrpc\":\"2.0\",\"result\":{\"text\":\"\xff\\\"\"},\"id\":7}",
            b"{\"jsonrpc\":\"2.0\",\"result\":\"a\tb\",\"id\" : 7 }",
            br#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"te"#,
            br#"{"id":7,"id":7,"result":{},}"#,
            br#"{"id":7,"error":{"code":-1,"message":"m",}}"#,
        ] {
            let text_shown = String::from_utf8_lossy(text);
            // A number at the very end may be cut.
            let expected = if text.ends_with(b"7") {
                Some((None, true))
            } else {
                answer("7")
            };
            assert_eq!(found(text), expected, "{text_shown}");
        }
        assert_eq!(
            found(br#"{"jsonrpc":"2.0","id":"a","result":NaN}"#),
            answer("\"a\"")
        );
    }

    #[test]
    fn an_id_inside_a_value_is_not_the_messages() {
        for text in [
            &br#"{"jsonrpc":"2.0","result":{"id":8,"x":NaN}}"#[..],
            br#"{"jsonrpc":"2.0","result":"\",\"id\":8,","x":NaN}"#,
            br#"{"jsonrpc":"2.0","id":7,"id":8,"result":NaN}"#,
            br#"{"jsonrpc":"2.0","id":7"#,
            br#"{"jsonrpc":"2.0","id":7x,"result":{}}"#,
            br#"{"jsonrpc":"2.0","result":"id","x":NaN}"#,
        ] {
            let shown = String::from_utf8_lossy(text);
            assert_eq!(found(text), Some((None, true)), "{shown}");
        }
    }

    #[test]
    fn a_log_line_is_not_a_message() {
        for text in [
            "Listening on port 7",
            "[INFO] ready",
            "{ port: 7, id: 8 }",
            r#"{"level":"info","id":7,"msg":"cut"#,
            "{",
            "{\"",
        ] {
            assert_eq!(found(text.as_bytes()), None, "{text}");
        }
        assert!(found(br#"{"json"#).is_some(), "cut inside its first key");
    }

    #[test]
    fn a_dictionary_that_python_printed_is_a_damaged_message() {
        let text = br#"{'jsonrpc': '2.0', 'id': 7, 'result': {'ok': True, 'it': "it's"}}"#;
        assert_eq!(found(text), answer("7"));
        assert_eq!(found(b"{'level': 'info', 'id': 7}"), None);
    }

    #[test]
    fn a_damaged_request_is_no_answer() {
        let text = br#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":NaN}}"#;
        assert_eq!(found(text), Some((Some("7".to_owned()), false)));
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_looked_at(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = inspect(&bytes, Syntax::Torn);
            let _ = inspect(&[b"{", &bytes[..]].concat(), Syntax::Torn);
        }

        #[test]
        fn the_id_is_found_wherever_a_message_is_cut_behind_it(
            id in 0u64..1000, text in "[a-z\\\\\"{}\\[\\],:é]{0,20}", cut in 0usize..200,
        ) {
            let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"#);
            let whole = format!(r#"{head}"result":{{"text":{}}}}}"#, crate::escape::quote(&text));
            let cut = (head.len() + cut).min(whole.len() - 1);
            prop_assert_eq!(found(&whole.as_bytes()[..cut]), answer(&id.to_string()));
        }
    }
}

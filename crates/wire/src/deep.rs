//! The id and role of a message that nests too deeply, for the answer to its sender.

use bytes::Bytes;

use crate::error::{Syntax, WireError};
use crate::escape::unescape;
use crate::id::is_id;
use crate::json::Json;
use crate::limits::MAX_ID;
use crate::message::{Span, str_at};
use crate::scan::Scanner;

/// The refusal of a text that is deeper than `limit`, with its id if it has exactly one.
pub(crate) fn too_deep(text: &[u8], limit: usize) -> WireError {
    let mut outline = Outline::default();
    // Reads as far as possible; the text is refused in any case.
    let _ = outline.read(text);
    WireError::TooDeep {
        limit,
        id: outline.id.filter(|_| outline.ids == 1),
        is_answer: !outline.has_method,
    }
}

/// The members of the message itself.
#[derive(Default)]
struct Outline {
    id: Option<Bytes>,
    ids: usize,
    has_method: bool,
}

impl Outline {
    fn read(&mut self, text: &[u8]) -> Result<(), Syntax> {
        let mut scanner = Scanner::new(text, 0, 0);
        scanner.expect(b'{')?;
        loop {
            scanner.skip_space();
            let key = scanner.key()?;
            let key = unescape(str_at(text, Span::new(key)));
            self.has_method |= key == "method";
            scanner.skip_space();
            match scanner.peek() {
                Some(b'{' | b'[') => skip_over(&mut scanner)?,
                _ => {
                    let value = Span::new(scanner.value()?);
                    if key == "id" {
                        self.note(Json::trusted(str_at(text, value)));
                    }
                }
            }
            scanner.skip_space();
            scanner.expect(b',')?;
        }
    }

    fn note(&mut self, id: Json<'_>) {
        self.ids += 1;
        let fits = is_id(id) && id.text().len() <= MAX_ID;
        self.id = fits.then(|| Bytes::copy_from_slice(id.text().as_bytes()));
    }
}

/// Skips a value with brackets by counting them. Matching them would need a stack as deep as the text.
fn skip_over(scanner: &mut Scanner<'_>) -> Result<(), Syntax> {
    let mut open: usize = 0;
    loop {
        match scanner.peek() {
            Some(b'"') => {
                scanner.string()?;
                continue;
            }
            Some(b'{' | b'[') => open += 1,
            Some(b'}' | b']') => open -= 1,
            Some(_) => {}
            None => return Err(Syntax::Torn),
        }
        scanner.at += 1;
        if open == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refused(text: &str) -> (String, bool) {
        let why = too_deep(text.as_bytes(), 128);
        let is_answer = matches!(
            why,
            WireError::TooDeep {
                is_answer: true,
                ..
            }
        );
        (why.id().to_string(), is_answer)
    }

    fn deep(levels: usize) -> String {
        format!("{}\"]}}\"{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn the_id_is_found_at_any_position() {
        let deep = deep(100_000);
        for (text, id, is_answer) in [
            (
                format!(r#"{{"id":7,"method":"m","params":{deep}}}"#),
                "7",
                false,
            ),
            (
                format!(r#"{{"method":"m","params":{deep} , "id":"x"}}"#),
                "\"x\"",
                false,
            ),
            (format!(r#"{{"result":{deep},"id":7}}"#), "7", true),
            (
                format!(r#"{{"params":{{"id":1,"a":{deep}}},"method":"m"}}"#),
                "null",
                false,
            ),
            (
                format!(r#"{{"id":1,"id":2,"method":"m","params":{deep}}}"#),
                "null",
                false,
            ),
            (format!(r#"{{"id":{deep},"method":"m"}}"#), "null", false),
            (
                format!(r#"{{"id":[7],"method":"m","params":{deep}}}"#),
                "null",
                false,
            ),
        ] {
            assert_eq!(refused(&text), (id.to_owned(), is_answer), "{text:.60}");
        }
    }

    #[test]
    fn an_id_over_the_limit_is_answered_with_null() {
        let long = format!(r#"{{"id":"{}","method":"m"}}"#, "x".repeat(MAX_ID));
        assert_eq!(refused(&long).0, "null");
    }

    proptest! {
        #[test]
        fn any_bytes_do_no_harm(text in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = too_deep(&text, 128).to_rpc();
        }

        #[test]
        fn nor_does_anything_like_json(text in r#"\{([\[\]{}:,"\\ 0-9]|"id":|"method":|null){0,24}"#) {
            let _ = too_deep(text.as_bytes(), 128).to_rpc();
        }
    }
}

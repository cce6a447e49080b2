//! Marks that this crate writes into a text, such as `[linkspan: 4 unchanged lines left out]`.
//!
//! Imitations of marks in a text get an additional `[`, so that a tool cannot forge them.

use std::borrow::Cow;

const WORD: &[u8] = b"linkspan:";

/// The offsets of `[linkspan:`, in any case.
fn found(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'[', bytes).filter(move |at| {
        let word = bytes.get(at + 1..at + 1 + WORD.len());
        word.is_some_and(|word| word.eq_ignore_ascii_case(WORD))
    })
}

/// Escapes all imitations of marks in a text.
pub fn escape(text: &str) -> Cow<'_, str> {
    edit(
        text,
        |_| true,
        |at, from, out| {
            out.push_str(&text[from..at]);
            out.push('[');
            at
        },
    )
}

/// The inverse of [`escape`].
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    edit(
        text,
        |at| is_escaped(text, at),
        |at, from, out| {
            out.push_str(&text[from..at]);
            at + 1
        },
    )
}

/// The number of unescaped marks in a text.
pub(crate) fn count(text: &str) -> usize {
    found(text).filter(|at| !is_escaped(text, *at)).count()
}

fn is_escaped(text: &str, at: usize) -> bool {
    at > 0 && text.as_bytes()[at - 1] == b'['
}

/// Edits a text at each mark that `wanted` accepts. `change` gets the offset of the mark and the end of the copied
/// text, and returns where copying continues.
fn edit<'t>(
    text: &'t str,
    wanted: impl Fn(usize) -> bool,
    change: impl Fn(usize, usize, &mut String) -> usize,
) -> Cow<'t, str> {
    let mut out = String::new();
    let mut from = None;
    for at in found(text).filter(|at| wanted(*at)) {
        from = Some(change(at, from.unwrap_or(0), &mut out));
    }
    match from {
        None => Cow::Borrowed(text),
        Some(from) => {
            out.push_str(&text[from..]);
            Cow::Owned(out)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_imitated_mark_gets_a_bracket() {
        for (text, escaped) in [
            ("[linkspan: x]", "[[linkspan: x]"),
            (
                "a [Linkspan: x] [[linkspan:",
                "a [[Linkspan: x] [[[linkspan:",
            ),
            (
                "[linkspan] linkspan: [ linkspan:",
                "[linkspan] linkspan: [ linkspan:",
            ),
        ] {
            assert_eq!(escape(text), escaped);
            assert_eq!(count(&escape(text)), 0);
            assert_eq!(unescape(escaped), text);
        }
        assert_eq!(count("[linkspan: x] [[linkspan: y]"), 1);
    }

    proptest! {
        #[test]
        fn escaping_is_reversible(parts in prop::collection::vec(
            prop_oneof![Just("["), Just("linkspan:"), Just("LINKSPAN:"), Just("x"), Just("\n"), Just("é")], 0..20
        )) {
            let text = parts.concat();
            let escaped = escape(&text);
            prop_assert_eq!(unescape(&escaped), text.as_str());
            prop_assert_eq!(count(&escaped), 0);
        }
    }
}

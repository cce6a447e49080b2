//! Texts of a limited length.

use std::borrow::Cow;

/// A text of at most so many characters.
pub(crate) fn clipped(text: &str, most: usize) -> Cow<'_, str> {
    if most == 0 {
        return "".into();
    }
    match text.char_indices().nth(most) {
        None => text.into(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()).into(),
    }
}

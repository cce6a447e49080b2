//! Internals for the fuzz targets only.

use crate::run::control::Said;
use crate::serve::{Cursor, UriTemplate};

/// Reads a text as everything that peers may send as text.
pub fn words(text: &str) {
    if let Err(odd) = Said::parse(text) {
        assert!(!odd.why.to_string().is_empty());
    }
    let (template, uri) = text.split_once('\n').unwrap_or((text, text));
    let _ = UriTemplate::new(template).values(uri);
    let places = Cursor {
        collection: "tools",
        hash: "0",
    };
    if let Ok(offset) = places.read(text) {
        assert_eq!(places.read(&places.write(offset, "now")).ok(), Some(offset));
    }
}

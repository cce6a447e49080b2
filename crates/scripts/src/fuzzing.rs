//! Internals for fuzz targets only.

use crate::run::control::Said;
use crate::serve::{Cursor, UriTemplate};

/// Parses a text with every parser of text from peers.
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

//! What several fuzz targets need: streams in pieces, and JSON that is walked through.

use linkspan_shrink::{Context, Kind, Level};
use linkspan_tokens::Vocabulary;
use linkspan_wire::{Json, JsonKind, Limits};

/// A byte stream, how it is cut, and what its reader accepts.
pub struct Stream<'a> {
    /// The stream in one piece.
    pub bytes: &'a [u8],
    /// What its reader accepts.
    pub limits: Limits,
    sizes: &'a [u8],
}

impl<'a> Stream<'a> {
    /// Takes the limit and the sizes of the pieces from the front of the fuzzer's input.
    pub fn new(input: &'a [u8]) -> Option<Self> {
        let [limit, count, rest @ ..] = input else {
            return None;
        };
        let (sizes, bytes) = rest.split_at_checked(usize::from(count % 8) + 1)?;
        let limits = match limit {
            0 => Limits::default(),
            // Below four bytes not even a byte order mark fits.
            small => Limits::new(usize::from(*small) + 3),
        };
        Some(Self {
            bytes,
            limits,
            sizes,
        })
    }

    /// Any stream in pieces; their sizes repeat until it is used up.
    pub fn cut<'b>(&self, stream: &'b [u8]) -> Vec<&'b [u8]> {
        let mut rest = stream;
        let mut pieces = Vec::new();
        for size in self.sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, more) = rest.split_at(rest.len().min(usize::from(*size).max(1)));
            pieces.push(piece);
            rest = more;
        }
        pieces
    }
}

/// Looks at everything in a value, and compares what it finds with serde_json.
///
/// # Panics
/// When they disagree.
pub fn walk(json: Json<'_>) {
    match json.kind() {
        JsonKind::Object => {
            let last = json.members().last();
            if let Some((name, value)) = last {
                assert_eq!(json.get(&name), Some(value), "the last of its name counts");
            }
            json.members().for_each(|(_, value)| walk(value));
        }
        JsonKind::Array => json.elements().for_each(walk),
        JsonKind::String => {
            let ours = json.as_str().expect("it is a string");
            // Half a surrogate pair is an error to serde_json and U+FFFD to us.
            if let Ok(theirs) = serde_json::from_str::<String>(json.text()) {
                assert_eq!(ours, theirs);
            }
        }
        JsonKind::Number => {
            // `-0` is no integer to serde_json.
            if let Ok(theirs) = serde_json::from_str::<i64>(json.text()) {
                assert_eq!(json.as_i64(), Some(theirs));
            }
        }
        JsonKind::Bool => assert!(json.as_bool().is_some()),
        JsonKind::Null => assert_eq!(json.text(), "null"),
    }
}

/// Every short form of `text` as one of these kinds, at every level, comes back as it was.
pub fn comes_back(text: &str, kinds: &[Kind]) {
    for &kind in kinds {
        for level in Level::ALL {
            let context = Context {
                level,
                vocabulary: Vocabulary::Estimate,
                ..Context::default()
            };
            if let Err(lost) = linkspan_shrink::check(text, kind, &context) {
                panic!("{kind} at {}: {lost}", level.name());
            }
        }
    }
}

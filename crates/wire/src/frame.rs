//! The content of one line, body or event: a message, a batch, or something else.

use bytes::Bytes;

use crate::clipped::Clipped;
use crate::deep::too_deep;
use crate::error::{Syntax, WireError};
use crate::json::{Json, JsonKind};
use crate::limits::{Limits, MAX_ID};
use crate::message::{Kind, Message, utf8};

/// An array of 50 MB could hold 25 million messages of one byte.
const MAX_BATCH: usize = 4096;

/// One unit of a transport.
#[derive(Debug, Clone)]
pub enum Frame {
    /// White space only.
    Blank,
    /// The usual case.
    One(Message),
    /// A JSON array. Only the revision 2025-03-26 of MCP has them; the caller decides.
    Batch(Vec<Entry>),
    /// Something else; the answer is [`WireError::to_rpc`], and the stream goes on.
    Other {
        /// The text.
        text: Bytes,
        /// The error in it.
        why: WireError,
    },
}

/// One element of a batch: JSON-RPC requires an answer for each invalid one.
pub type Entry = Result<Message, WireError>;

impl Frame {
    /// Reads a frame. A byte order mark and white space around it do no harm.
    pub fn parse(text: Bytes, limits: &Limits) -> Self {
        let text = trim(text);
        if text.is_empty() {
            return Self::Blank;
        }
        if text.len() > limits.max_bytes() {
            let why = Clipped::of(&text).too_large(limits);
            return Self::Other { text, why };
        }
        if text[0] == b'[' {
            return Self::batch(text, limits);
        }
        let max_depth = limits.max_depth();
        let read = Message::within(text.clone(), max_depth);
        match read.and_then(|message| with_good_id(message, limits)) {
            Ok(message) => Self::One(message),
            Err(WireError::Json(Syntax::TooDeep(_))) => Self::Other {
                why: too_deep(&text, max_depth),
                text,
            },
            Err(why) => Self::Other { text, why },
        }
    }

    /// Whether a text begins like a batch.
    pub fn is_array(text: &Bytes) -> bool {
        trim(text.clone()).first() == Some(&b'[')
    }

    fn batch(text: Bytes, limits: &Limits) -> Self {
        match entries(&text, limits) {
            Ok(entries) if entries.is_empty() || entries.len() > MAX_BATCH => Self::Other {
                why: WireError::Shape {
                    why: "a batch that is empty or has more than 4096 messages",
                    id: None,
                    is_answer: false,
                },
                text,
            },
            Ok(entries) => Self::Batch(entries),
            Err(why) => Self::Other {
                text,
                why: why.into(),
            },
        }
    }
}

fn entries(text: &Bytes, limits: &Limits) -> Result<Vec<Entry>, Syntax> {
    let json = Json::parse(utf8(text)?)?;
    debug_assert_eq!(json.kind(), JsonKind::Array);
    Ok(json
        .elements()
        .take(MAX_BATCH + 1)
        .map(|element| Message::parse(text.slice_ref(element.text().as_bytes())))
        .map(|entry| entry.and_then(|message| with_good_id(message, limits)))
        .map(|entry| entry.map_err(anonymous))
        .collect())
}

/// Refuses a request whose id is `null` or too long to be kept.
fn with_good_id(message: Message, limits: &Limits) -> Result<Message, WireError> {
    let why = match message.kind() {
        Kind::Request if message.id_len() > MAX_ID => "an id of more than 1024 bytes",
        // A notification has no id.
        Kind::Notification if message.id_len() > 0 && !limits.null_ids() => {
            "the `id` of a request must not be null; a notification has no `id`"
        }
        _ => return Ok(message),
    };
    Err(WireError::Shape {
        why,
        id: message
            .id()
            .map(|id| Bytes::copy_from_slice(id.text().as_bytes())),
        is_answer: false,
    })
}

/// Drops a long id: the answer to an entry is kept until the others are answered.
fn anonymous(mut why: WireError) -> WireError {
    if let WireError::Shape { id, .. } = &mut why {
        id.take_if(|id| id.len() > MAX_ID);
    }
    why
}

pub(crate) fn trim(text: Bytes) -> Bytes {
    let bare = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&text);
    let bare = bare.trim_ascii();
    text.slice_ref(bare)
}

//! Cursors of list pages: opaque to clients, refused when the list has changed.

use data_encoding::BASE64URL_NOPAD;
use linkspan_wire::{Json, RpcError, quote};

const VERSION: i64 = 1;

/// A position in one version of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cursor<'a> {
    pub(crate) collection: &'a str,
    pub(crate) hash: &'a str,
}

impl Cursor<'_> {
    /// The cursor of the page that begins with entry `offset`; `timestamp` is the time of creation.
    pub(crate) fn write(&self, offset: usize, timestamp: &str) -> String {
        let json = format!(
            r#"{{"ver":{VERSION},"collection":{},"offset":{offset},"hash":{},"timestamp":{}}}"#,
            quote(self.collection),
            quote(self.hash),
            quote(timestamp),
        );
        BASE64URL_NOPAD.encode(json.as_bytes())
    }

    /// The offset of a client's cursor in this list.
    pub(crate) fn read(&self, cursor: &str) -> Result<usize, RpcError> {
        let wrong = |why: &str| {
            RpcError::invalid_params(format!(
                "invalid cursor: {why}; ask for the list without one"
            ))
        };
        let bytes = BASE64URL_NOPAD
            .decode(cursor.trim_end_matches('=').as_bytes())
            .map_err(|_| wrong("it was not issued by this server"))?;
        let text =
            std::str::from_utf8(&bytes).map_err(|_| wrong("it was not issued by this server"))?;
        let json = Json::parse(text).map_err(|_| wrong("it was not issued by this server"))?;
        let text = |name| json.get(name).and_then(Json::as_str);
        if json.get("ver").and_then(Json::as_i64) != Some(VERSION) {
            return Err(wrong("it is of another version"));
        }
        if text("collection").as_deref() != Some(self.collection) {
            return Err(wrong("it belongs to another list"));
        }
        if text("hash").as_deref() != Some(self.hash) {
            return Err(wrong("the list has changed since"));
        }
        let offset = json.get("offset").and_then(Json::as_i64);
        offset
            .and_then(|offset| usize::try_from(offset).ok())
            .ok_or_else(|| wrong("it points nowhere"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TOOLS: Cursor<'_> = Cursor {
        collection: "tools",
        hash: "abc",
    };

    #[test]
    fn a_cursor_is_valid_until_the_list_changes() {
        let cursor = TOOLS.write(7, "2026-11-15T00:00:00Z");
        assert_eq!(TOOLS.read(&cursor).unwrap(), 7);
        let other = Cursor {
            hash: "def",
            ..TOOLS
        };
        let why = other.read(&cursor).unwrap_err();
        assert_eq!(why.code(), -32602);
        assert!(why.message().contains("has changed"));
        let other = Cursor {
            collection: "prompts",
            ..TOOLS
        };
        assert!(other.read(&cursor).is_err());
    }

    #[test]
    fn another_version_is_refused() {
        let json = r#"{"ver":2,"collection":"tools","offset":0,"hash":"abc"}"#;
        let cursor = BASE64URL_NOPAD.encode(json.as_bytes());
        assert!(
            TOOLS
                .read(&cursor)
                .unwrap_err()
                .message()
                .contains("version")
        );
    }

    proptest! {
        #[test]
        fn anything_else_is_refused(cursor in ".*") {
            prop_assert_eq!(TOOLS.read(&cursor).unwrap_err().code(), -32602);
        }
    }
}

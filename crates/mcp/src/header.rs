//! HTTP headers of MCP, and how they mirror the body.

use std::borrow::Cow;

use data_encoding::BASE64;
use linkspan_wire::Message;

use crate::meta::claimed_version;
use crate::method::Method;

/// Names the revision in use.
pub const PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// Names the legacy session.
pub const SESSION_ID: &str = "mcp-session-id";
/// Names the last event seen of a stream that is being resumed.
pub const LAST_EVENT_ID: &str = "last-event-id";
/// Mirrors `method` in the modern era.
pub const METHOD: &str = "mcp-method";
/// Mirrors the name, uri or task id in the modern era.
pub const NAME: &str = "mcp-name";

/// A session id that a server gave out: visible ASCII, so it is safe in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKey(Box<str>);

impl SessionKey {
    /// Accepts what the specification allows, up to a sane length.
    pub fn parse(text: &str) -> Option<Self> {
        let visible = text.bytes().all(|b| (0x21..=0x7e).contains(&b));
        (visible && !text.is_empty() && text.len() <= 4096).then(|| Self(text.into()))
    }

    /// The header's value.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The headers that a modern request must carry, made from its body.
pub fn mirror(message: &Message) -> Vec<(&'static str, String)> {
    let mut headers = Vec::with_capacity(3);
    if let Some(version) = claimed_version(message) {
        headers.push((PROTOCOL_VERSION, encode_value(&version)));
    }
    let method = message.method();
    headers.push((METHOD, encode_value(&method)));
    let named = Method::find(&method).and_then(|row| row.name_param);
    if let Some(name) = named.and_then(|param| message.params()?.get(param)?.as_str()) {
        headers.push((NAME, encode_value(&name)));
    }
    headers
}

/// Encodes a value for a header: plain where that is safe, else `=?base64?…?=`.
pub fn encode_value(text: &str) -> String {
    let plain = text.bytes().all(|b| (0x20..=0x7e).contains(&b));
    let edged = text.starts_with(' ') || text.ends_with(' ');
    let looks_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    if plain && !edged && !looks_encoded {
        return text.to_owned();
    }
    format!("=?base64?{}?=", base64(text.as_bytes()))
}

/// Decodes a header value. `None` if the wrapper is there but its content is not base64 of UTF-8.
pub fn decode_value(text: &str) -> Option<Cow<'_, str>> {
    let wrapped = text
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    let Some(wrapped) = wrapped else {
        return Some(Cow::Borrowed(text));
    };
    String::from_utf8(unbase64(wrapped)?).ok().map(Cow::Owned)
}

/// Decodes only what [`base64`] writes, because two readers must not see different values. `decode` alone also
/// accepts a sequence of padded parts.
fn unbase64(text: &str) -> Option<Vec<u8>> {
    let bytes = BASE64.decode(text.as_bytes()).ok()?;
    (base64(&bytes) == text).then_some(bytes)
}

/// Base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_has_the_vectors_of_its_rfc() {
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, encoded) in vectors {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }

    #[test]
    fn values_are_encoded_only_where_a_header_could_not_hold_them() {
        assert_eq!(encode_value("get weather"), "get weather");
        assert_eq!(encode_value("wetter_für"), "=?base64?d2V0dGVyX2bDvHI=?=");
        assert_eq!(encode_value(" x"), "=?base64?IHg=?=");
        assert_eq!(encode_value("a\r\nb"), "=?base64?YQ0KYg==?=");
        assert_eq!(
            encode_value("=?base64?eA==?="),
            "=?base64?PT9iYXNlNjQ/ZUE9PT89?="
        );
    }

    #[test]
    fn only_encoded_values_are_decoded() {
        for text in [
            "plain",
            "wetter_für",
            " x",
            "=?base64?eA==?=",
            "",
            "=?base64?eA==",
        ] {
            assert_eq!(decode_value(&encode_value(text)).as_deref(), Some(text));
        }
        for bad in [
            "SGVsbG8",
            "SGVs!!!bG8=",
            "SGVsbG9=",
            "eA==eA==",
            "/w==",
            "====",
            "é",
        ] {
            assert_eq!(decode_value(&format!("=?base64?{bad}?=")), None, "{bad}");
        }
    }

    #[test]
    fn a_modern_request_is_mirrored() {
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        let headers = mirror(&Message::parse(text.into()).unwrap());
        assert_eq!(
            headers,
            [
                (PROTOCOL_VERSION, "2026-07-28".to_owned()),
                (METHOD, "resources/read".to_owned()),
                (NAME, "test://a".to_owned())
            ]
        );
    }

    #[test]
    fn a_session_key_is_visible_ascii() {
        assert!(SessionKey::parse("a-1~").is_some());
        for bad in ["", "a b", "a\r\nx: y", "é"] {
            assert_eq!(SessionKey::parse(bad), None, "{bad:?}");
        }
    }
}

//! base64url without padding (RFC 7515 §2).

use data_encoding::BASE64URL_NOPAD;

pub(crate) fn encode(bytes: &[u8]) -> String {
    BASE64URL_NOPAD.encode(bytes)
}

/// `None` if the text is not canonical base64url without padding.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64URL_NOPAD.decode(text.as_bytes()).ok()
}

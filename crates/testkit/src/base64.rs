//! Standard base64, decoding only: what `Mcp-Name: =?base64?…?=` needs.

use data_encoding::BASE64_NOPAD;

/// Decodes standard base64 (padding optional); `None` for invalid text.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64_NOPAD
        .decode(text.trim_end_matches('=').as_bytes())
        .ok()
}

/// A header value as its sender meant it: the text inside `=?base64?…?=`, else the value itself.
pub(crate) fn header_text(value: &str) -> Option<String> {
    match value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="))
    {
        Some(inner) => String::from_utf8(decode(inner)?).ok(),
        None => Some(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_every_length_is_decoded() {
        assert_eq!(decode("").as_deref(), Some(&b""[..]));
        assert_eq!(decode("Zg==").as_deref(), Some(&b"f"[..]));
        assert_eq!(decode("Zm8=").as_deref(), Some(&b"fo"[..]));
        assert_eq!(decode("Zm9v").as_deref(), Some(&b"foo"[..]));
        assert_eq!(decode("Zm9v!"), None);
        assert_eq!(header_text("=?base64?w6Q=?=").as_deref(), Some("ä"));
        assert_eq!(header_text("plain").as_deref(), Some("plain"));
    }
}

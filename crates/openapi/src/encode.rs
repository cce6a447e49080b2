//! How values are written into URLs and headers.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// All but unreserved characters (RFC 3986).
const ALL: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// The same, without reserved characters that cannot end the value or the query.
const RESERVED: &AsciiSet = &ALL
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'[')
    .remove(b']')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';');
/// What a literal part of a path cannot have; `%` begins an escape of the document.
const LITERAL: &AsciiSet = &RESERVED
    .remove(b'%')
    .remove(b'&')
    .remove(b'=')
    .remove(b'+')
    .remove(b'\'')
    .add(b'[')
    .add(b']');

/// A value whose characters have no meaning in a URL.
pub(crate) fn all(text: &str) -> String {
    utf8_percent_encode(text, ALL).to_string()
}

/// A value of a query parameter with `allowReserved`.
pub(crate) fn reserved(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// A part of a path template.
pub(crate) fn literal(text: &str) -> String {
    utf8_percent_encode(text, LITERAL).to_string()
}

/// Whether a path has a segment that means a folder above, as a proxy or a server may see it.
pub(crate) fn has_dot_segment(path: &str) -> bool {
    let mut plain = path.to_owned();
    // Our own encoding, and that of a caller; some servers decode once more.
    for _ in 0..3 {
        let decoded = percent_decode_str(&plain).decode_utf8_lossy().into_owned();
        plain = decoded;
    }
    let mut segments = plain.split(['/', '\\']);
    segments.any(|segment| {
        // Parameters of a segment; some servers remove them first.
        let segment = segment.split(';').next().unwrap_or_default();
        matches!(segment, "." | "..")
    })
}

/// Whether a header frames a message or belongs to a connection, so that no document can name it.
pub(crate) fn is_framing(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(
        name.as_str(),
        "connection"
            | "content-length"
            | "cookie"
            | "expect"
            | "forwarded"
            | "host"
            | "http2-settings"
            | "keep-alive"
            | "proxy-authorization"
            | "proxy-connection"
            | "te"
            | "trailer"
            | "transfer-encoding"
            | "upgrade"
            | "via"
            | "x-forwarded-for"
            | "x-forwarded-host"
            | "x-forwarded-proto"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_no_meaning_in_a_url() {
        assert_eq!(
            all("a b/c?d=e&f#g%h+ä~"),
            "a%20b%2Fc%3Fd%3De%26f%23g%25h%2B%C3%A4~"
        );
        assert_eq!(reserved("a/b?c&d=e#f+g%"), "a/b?c%26d%3De%23f%2Bg%25");
        assert_eq!(literal("/a b%20c?x=1"), "/a%20b%20c?x=1");
    }

    #[test]
    fn segments_that_lead_up_are_found_in_every_spelling() {
        for path in [
            "/a/../b",
            "/..",
            "/%2e%2E/x",
            "/.%2e",
            "/a/.",
            "/..%2Fb",
            "/x%5C..%5Cy",
            "/..;a=1/b",
            "/%252e%252e",
        ] {
            assert!(has_dot_segment(path), "{path}");
        }
        for path in ["/a..b", "/...", "/.well-known/x", "/a%2Fb", "/~"] {
            assert!(!has_dot_segment(path), "{path}");
        }
    }
}

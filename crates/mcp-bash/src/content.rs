//! Detects whether bytes are text, and their media type.
//!
//! Clients see the media type that the author declares; the bytes alone decide between `text` and `blob`.

use data_encoding::BASE64;
use serde_json::{Map, Value, json};

/// The contents of a resource: `uri`, `mimeType`, and `text` or `blob`.
///
/// Trailing newlines of a text are removed, as mcp-bash's command substitution does.
pub fn object(uri: &str, declared: Option<&str>, bytes: &[u8]) -> Map<String, Value> {
    let kind = sniff(bytes);
    let text = std::str::from_utf8(bytes).ok().filter(|_| !kind.binary);
    let mut object = Map::new();
    object.insert("uri".to_owned(), json!(uri));
    object.insert("mimeType".to_owned(), json!(declared.unwrap_or(kind.mime)));
    match text {
        Some(text) => object.insert("text".to_owned(), json!(text.trim_end_matches('\n'))),
        None => object.insert("blob".to_owned(), json!(BASE64.encode(bytes))),
    };
    object
}

/// The detected media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sniffed {
    mime: &'static str,
    binary: bool,
}

fn sniff(bytes: &[u8]) -> Sniffed {
    const MAGIC: [(&[u8], &str); 14] = [
        (b"%PDF-", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x1f\x8b", "application/gzip"),
        (b"BZh", "application/x-bzip2"),
        (b"\xfd7zXZ\0", "application/x-xz"),
        (b"\x7fELF", "application/x-executable"),
        (b"OggS", "audio/ogg"),
        (b"ID3", "audio/mpeg"),
        (b"fLaC", "audio/flac"),
        (b"SQLite format 3\0", "application/vnd.sqlite3"),
    ];
    let binary = |mime| Sniffed { mime, binary: true };
    let text = |mime| Sniffed {
        mime,
        binary: false,
    };
    if let Some((_, mime)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return binary(mime);
    }
    if bytes.starts_with(b"RIFF") && bytes.len() > 12 {
        return binary(match &bytes[8..12] {
            b"WEBP" => "image/webp",
            b"WAVE" => "audio/x-wav",
            _ => "application/octet-stream",
        });
    }
    let Ok(words) = std::str::from_utf8(bytes) else {
        return binary("application/octet-stream");
    };
    if bytes.contains(&0) {
        return binary("application/octet-stream");
    }
    let begin = words.trim_start();
    let lower: String = begin
        .chars()
        .take(64)
        .collect::<String>()
        .to_ascii_lowercase();
    if begin.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(words).is_ok()
    {
        text("application/json")
    } else if lower.starts_with("<!doctype html") || lower.starts_with("<html") {
        text("text/html")
    } else if lower.starts_with("<svg") {
        text("image/svg+xml")
    } else if lower.starts_with("<?xml") {
        text("text/xml")
    } else if begin.starts_with("#!") && lower.lines().next().is_some_and(|l| l.contains("sh")) {
        text("text/x-shellscript")
    } else {
        text("text/plain")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(declared: Option<&str>, bytes: &[u8]) -> (String, bool) {
        let object = object("u", declared, bytes);
        let mime = object["mimeType"].as_str().unwrap().to_owned();
        (mime, object.contains_key("text"))
    }

    #[test]
    fn the_declared_type_stays_and_the_bytes_decide_about_text() {
        assert_eq!(
            kind(Some("text/markdown"), b"# x"),
            ("text/markdown".to_owned(), true)
        );
        assert_eq!(
            kind(None, b"{\"a\":1}\n"),
            ("application/json".to_owned(), true)
        );
        assert_eq!(
            kind(Some("text/plain"), b"%PDF-1.4\n"),
            ("text/plain".to_owned(), false)
        );
        assert_eq!(kind(None, b"a = 1\n"), ("text/plain".to_owned(), true));
        assert_eq!(
            kind(None, b"\x89PNG\r\n\x1a\nx"),
            ("image/png".to_owned(), false)
        );
        assert_eq!(
            kind(None, b"a\0b"),
            ("application/octet-stream".to_owned(), false)
        );
        assert_eq!(
            kind(None, b"\xff\xfe"),
            ("application/octet-stream".to_owned(), false)
        );
    }

    #[test]
    fn trailing_newlines_are_removed() {
        assert_eq!(object("u", None, b"a\nb\n\n")["text"], "a\nb");
    }
}

//! Media types, by file name or by the first bytes.

/// The media type of a file extension.
pub(super) fn by_extension(extension: &str) -> Option<&'static str> {
    Some(match extension.to_ascii_lowercase().as_str() {
        "txt" | "text" | "log" => "text/plain",
        "md" | "markdown" => "text/markdown",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "tsv" => "text/tab-separated-values",
        "xml" | "xsd" => "application/xml",
        "json" | "map" => "application/json",
        "jsonl" | "ndjson" => "application/x-ndjson",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "js" | "mjs" | "cjs" => "text/javascript",
        "ts" => "text/x-typescript",
        "py" => "text/x-python",
        "rs" => "text/x-rust",
        "go" => "text/x-go",
        "c" | "h" => "text/x-c",
        "sh" | "bash" => "text/x-shellscript",
        "sql" => "application/sql",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "ico" => "image/vnd.microsoft.icon",
        "wav" => "audio/wav",
        "mp3" => "audio/mpeg",
        "ogg" | "oga" => "audio/ogg",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "zip" => "application/zip",
        "gz" => "application/gzip",
        "tar" => "application/x-tar",
        "wasm" => "application/wasm",
        _ => return None,
    })
}

/// The media type of contents; `whole` if `head` is the complete file.
pub(super) fn by_contents(head: &[u8], whole: bool) -> &'static str {
    let magic: [(&[u8], &str); 5] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF8", "image/gif"),
        (b"%PDF-", "application/pdf"),
        (b"PK\x03\x04", "application/zip"),
    ];
    if let Some((_, mime)) = magic.iter().find(|(magic, _)| head.starts_with(magic)) {
        return mime;
    }
    let text = match std::str::from_utf8(head) {
        Ok(_) => true,
        // The buffer may end within a character.
        Err(error) => error.error_len().is_none() && !whole,
    };
    if text && !head.contains(&0) {
        "text/plain"
    } else {
        "application/octet-stream"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_whatever_its_case() {
        assert_eq!(by_extension("MD"), Some("text/markdown"));
        assert_eq!(by_extension("quux"), None);
    }

    #[test]
    fn contents_tell_text_from_bytes() {
        assert_eq!(by_contents(b"", true), "text/plain");
        assert_eq!(by_contents("grüße".as_bytes(), true), "text/plain");
        let cut = &"grüß".as_bytes()[..5];
        assert_eq!(by_contents(cut, false), "text/plain");
        assert_eq!(by_contents(cut, true), "application/octet-stream");
        assert_eq!(by_contents(b"a\0b", true), "application/octet-stream");
        assert_eq!(by_contents(b"\x89PNG\r\n\x1a\n...", true), "image/png");
    }
}

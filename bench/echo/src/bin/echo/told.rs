//! A text from a file, for the tool `text`: `--text FILE`.

use std::sync::OnceLock;

static TEXT: OnceLock<Vec<u8>> = OnceLock::new();

/// Reads the file for the tool.
pub fn prepare(path: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let _ = TEXT.set(escaped(&text));
    Ok(())
}

/// JSON-escaped, without quotes; nothing without a file.
pub fn text() -> Option<&'static [u8]> {
    TEXT.get().map(Vec::as_slice)
}

fn escaped(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 16);
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b'\n' => out.extend(b"\\n"),
            0..0x20 => out.extend(format!("\\u{byte:04x}").bytes()),
            _ => out.push(byte),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_json_keeps_for_itself_are_escaped() {
        assert_eq!(escaped("a\"\\\n\té"), "a\\\"\\\\\\n\\u0009é".as_bytes());
    }
}

//! Parameters of requests, as JSON text.

use std::fmt::Write;
use std::path::Path;

use linkspan_wire::{Json, quote};

/// A `file:` URI. All bytes with a meaning in a URI are escaped.
pub(super) fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(*byte as char),
            byte if byte.is_ascii_alphanumeric() => uri.push(*byte as char),
            // Writing to memory cannot fail.
            byte => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}

/// The parameters with `_meta` as their first member.
pub(super) fn with_meta(meta: &str, params: Option<&str>) -> String {
    match params.map(str::trim).filter(|p| p.len() > 2) {
        Some(params) => format!(r#"{{"_meta":{meta},{}"#, params[1..].trim_start()),
        None => format!(r#"{{"_meta":{meta}}}"#),
    }
}

/// The parameters with the answers to the input requests of a modern result.
pub(super) fn with_answers(params: &str, answers: &str, result: Json<'_>) -> String {
    let state = result.get("requestState").map_or(String::new(), |state| {
        format!(r#","requestState":{}"#, state.text())
    });
    let original = params.trim();
    let original = original.strip_suffix('}').unwrap_or(original);
    let comma = if original.trim_end().ends_with('{') {
        ""
    } else {
        ","
    };
    format!(r#"{original}{comma}"inputResponses":{answers}{state}}}"#)
}

/// Whether a modern result requests input.
pub(super) fn is_question(result: Json<'_>) -> bool {
    let kind = result.get("resultType").and_then(Json::as_str);
    kind.as_deref() == Some("input_required")
}

/// An object with one string member.
pub fn one_param(key: &str, value: &str) -> String {
    format!("{{{}:{}}}", quote(key), quote(value))
}

//! Addresses of files.

use std::path::{Path, PathBuf};

/// `file:///…` for an absolute path.
pub(crate) fn of_file(path: &Path) -> String {
    let mut uri = String::from("file://");
    encode(path.as_os_str().as_encoded_bytes(), &mut uri);
    uri
}

/// Appends bytes, percent-encoding those that are not allowed in a path.
pub(crate) fn encode(bytes: &[u8], uri: &mut String) {
    for byte in bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => uri.push(char::from(*byte)),
            b'-' | b'.' | b'_' | b'~' | b'/' | b'@' | b'+' | b',' => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
}

/// The path of a `file://` URI of this machine.
pub(crate) fn to_file(uri: &str) -> Option<PathBuf> {
    linkspan_local::folder_of_uri(uri)
}

/// The scheme: the text before the first colon, if it is valid.
pub(crate) fn scheme(uri: &str) -> Option<&str> {
    let (scheme, _) = uri.split_once(':')?;
    is_scheme(scheme).then_some(scheme)
}

/// Whether a word is a valid scheme.
pub(crate) fn is_scheme(word: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.bytes().all(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_round_trips_through_its_uri() {
        for path in ["/a/b.txt", "/with space/é#?%", "/"] {
            let path = Path::new(path);
            assert_eq!(to_file(&of_file(path)).as_deref(), Some(path));
        }
    }

    #[test]
    fn a_scheme_is_the_text_before_the_colon() {
        assert_eq!(scheme("git+https://x"), Some("git+https"));
        assert_eq!(scheme("1:x"), None);
        assert_eq!(scheme("x"), None);
    }
}

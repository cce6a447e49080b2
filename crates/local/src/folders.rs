//! The roots in a client's answer to `roots/list`.

use std::path::PathBuf;

use linkspan_wire::{Json, Message};

/// Roots that are accepted from a client, because each is checked on every call.
const MOST: usize = 64;

/// The folders of a `roots/list` result. URIs that are not folders of this machine are left out.
pub(super) fn folders(answer: &Message) -> Vec<PathBuf> {
    let Some(roots) = answer.body().and_then(|result| result.get("roots")) else {
        return Vec::new();
    };
    let uris = roots.elements().filter_map(|root| root.get("uri"));
    let folders = uris
        .filter_map(Json::as_str)
        .filter_map(|uri| folder_of_uri(&uri));
    folders.take(MOST).collect()
}

/// The folder of a `file://` URI.
pub fn folder_of_uri(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once("://")?;
    let at = rest.find('/')?;
    let (host, path) = rest.split_at(at);
    let is_here = host.is_empty() || host.eq_ignore_ascii_case("localhost");
    if !scheme.eq_ignore_ascii_case("file") || !is_here || path.contains(['?', '#']) {
        // An unescaped `#` or `?` ends the path, which would give a parent folder.
        return None;
    }
    let path = native(percent_decoded(path)?)?;
    path.is_absolute().then_some(path)
}

fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let digit = |b: u8| char::from(b).to_digit(16);
                let (high, low) = (digit(bytes.next()?)?, digit(bytes.next()?)?);
                (high * 16 + low) as u8
            }
            other => other,
        });
    }
    (!out.contains(&0)).then_some(out)
}

#[cfg(unix)]
fn native(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

/// `/C:/folder`
#[cfg(not(unix))]
fn native(bytes: Vec<u8>) -> Option<PathBuf> {
    let text = String::from_utf8(bytes).ok()?;
    Some(text.trim_start_matches('/').into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use linkspan_wire::Id;

    #[test]
    fn a_file_uri_names_a_folder() {
        for (uri, path) in [
            ("file:///home/me", "/home/me"),
            ("file:///", "/"),
            ("FILE://localhost/a%20b/%C3%A9", "/a b/é"),
        ] {
            assert_eq!(folder_of_uri(uri), Some(PathBuf::from(path)), "{uri}");
        }
    }

    #[test]
    fn other_uris_are_no_folders() {
        for uri in [
            "https://example.com/x",
            "file://other/share",
            "file:///a%2",
            "file:///a%zz",
            "file:///a%00b",
            "file:///a#b",
            "file://",
            "/home/me",
            "",
        ] {
            assert_eq!(folder_of_uri(uri), None, "{uri}");
        }
    }

    #[test]
    fn any_answer_is_accepted() {
        let read = |result: &str| folders(&Message::result(&Id::number(1), result)).len();
        assert_eq!(read(r#"{"roots":[{"uri":"file:///a"},{"uri":7},{},9]}"#), 1);
        assert_eq!(read(r#"{"roots":{"uri":"file:///a"}}"#), 0);
        assert_eq!(read("[]"), 0);
        let many = r#"{"uri":"file:///a"},"#.repeat(1000);
        assert_eq!(read(&format!(r#"{{"roots":[{}0]}}"#, many)), MOST);
    }
}

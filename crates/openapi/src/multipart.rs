//! `multipart/form-data` bodies.

use std::borrow::Cow;

/// A part of a body.
pub(crate) struct Part<'a> {
    pub(crate) name: Cow<'a, str>,
    /// The name of a file.
    pub(crate) file: Option<String>,
    pub(crate) media: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

/// The body, and the value of its `Content-Type`.
pub(crate) fn body(media: &str, parts: &[Part<'_>]) -> (String, Vec<u8>) {
    let boundary = boundary(parts);
    let mut body = Vec::new();
    for part in parts {
        let mut head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
            quoted(&part.name)
        );
        if let Some(file) = &part.file {
            head += &format!("; filename=\"{}\"", quoted(file));
        }
        if let Some(media) = &part.media {
            head += &format!("\r\nContent-Type: {media}");
        }
        head += "\r\n\r\n";
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(&part.bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    let essence = media.split(';').next().unwrap_or(media).trim();
    (format!("{essence}; boundary={boundary}"), body)
}

/// A text that occurs in no part: a hash of all of them. The same call has the same bytes.
fn boundary(parts: &[Part<'_>]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part.name.as_bytes());
        hasher.update(&part.bytes);
    }
    let hash = hasher.finalize().to_hex();
    format!("linkspan-{}", &hash[..32])
}

/// A name in quotes, escaped as browsers do.
fn quoted(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '"' => out.push_str("%22"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_framed_by_a_text_that_is_in_none_of_them() {
        let part = |name, file: Option<&str>, media: Option<&str>, text: &str| Part {
            name: Cow::from(name),
            file: file.map(str::to_owned),
            media: media.map(str::to_owned),
            bytes: text.into(),
        };
        let parts = [
            part("note", None, None, "hello"),
            part("a\r\n\"b", Some("x\".txt"), Some("text/plain"), "--x\r\n"),
        ];
        let (media, body) = body("multipart/form-data; charset=x", &parts);
        let boundary = media
            .strip_prefix("multipart/form-data; boundary=")
            .unwrap();
        let expected = "--B\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n--B\r\n\
            Content-Disposition: form-data; name=\"a%0D%0A%22b\"; filename=\"x%22.txt\"\r\n\
            Content-Type: text/plain\r\n\r\n--x\r\n\r\n--B--\r\n";
        assert_eq!(
            String::from_utf8(body).unwrap(),
            expected.replace('B', boundary)
        );
    }
}

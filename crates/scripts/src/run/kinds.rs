//! Detects images and audio by their first bytes.

use super::result::encoded;

/// An image or audio content block for these bytes, if they are an image or a sound.
pub(crate) fn media(bytes: &[u8]) -> Option<String> {
    let (kind, mime) = kind(bytes)?;
    let data = encoded(bytes);
    Some(format!(
        r#"{{"type":"{kind}","data":"{data}","mimeType":"{mime}"}}"#
    ))
}

fn kind(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let at =
        |offset: usize, magic: &[u8]| bytes.get(offset..).is_some_and(|b| b.starts_with(magic));
    let riff = |what: &[u8]| at(0, b"RIFF") && at(8, what);
    Some(match () {
        () if at(0, b"\x89PNG\r\n\x1a\n") => ("image", "image/png"),
        () if at(0, b"\xff\xd8\xff") => ("image", "image/jpeg"),
        () if at(0, b"GIF87a") || at(0, b"GIF89a") => ("image", "image/gif"),
        () if riff(b"WEBP") => ("image", "image/webp"),
        () if riff(b"WAVE") => ("audio", "audio/wav"),
        () if at(0, b"OggS\0") => ("audio", "audio/ogg"),
        () if at(0, b"ID3\x02") || at(0, b"ID3\x03") || at(0, b"ID3\x04") => {
            ("audio", "audio/mpeg")
        }
        () if at(0, b"\xff\xfb") || at(0, b"\xff\xf3") => ("audio", "audio/mpeg"),
        () => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_and_audio_are_detected() {
        for (bytes, mime) in [
            (&b"\x89PNG\r\n\x1a\nrest"[..], "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"GIF89a", "image/gif"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
            (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
            (b"OggS\0\x02", "audio/ogg"),
            (b"ID3\x04\0", "audio/mpeg"),
        ] {
            assert!(media(bytes).unwrap().contains(mime), "{mime}");
        }
        for text in [
            &b"GIF"[..],
            b"RIFF of guitars",
            b"ID3 is a tag",
            b"",
            b"hello",
        ] {
            assert!(media(text).is_none(), "{text:?}");
        }
    }
}

//! Files as values of arguments.

use data_encoding::BASE64_MIME_PERMISSIVE;
use percent_encoding::percent_decode_str;

use crate::content;

/// A file in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    /// The media type, if the value names one.
    pub(crate) media: Option<String>,
    /// The name, if the value has one.
    pub(crate) name: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

impl File {
    /// Reads `data:MEDIA/TYPE;name=FILE;base64,DATA`; every other text is the content itself. `None` for a damaged data
    /// URL.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let Some(rest) = text.strip_prefix("data:") else {
            return Some(Self {
                media: None,
                name: None,
                bytes: text.as_bytes().to_vec(),
            });
        };
        let (head, data) = rest.split_once(',')?;
        let mut words = head.split(';');
        let media = words.next().filter(|media| !media.is_empty());
        let media = media
            .filter(|media| content::is_valid(media))
            .map(str::to_owned);
        let (mut name, mut is_base64) = (None, false);
        for word in words {
            if let Some(value) = word.strip_prefix("name=") {
                name = Some(percent_decode_str(value).decode_utf8_lossy().into_owned());
            }
            is_base64 |= word.eq_ignore_ascii_case("base64");
        }
        let bytes = match is_base64 {
            true => decode(data)?,
            false => percent_decode_str(data).collect(),
        };
        Some(Self { media, name, bytes })
    }
}

/// Base64 with or without padding, in one line or several.
fn decode(data: &str) -> Option<Vec<u8>> {
    let plain = data.trim_end_matches(['=', '\r', '\n', ' ']);
    let count = plain
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .count();
    let padding = "=".repeat((4 - count % 4) % 4);
    BASE64_MIME_PERMISSIVE
        .decode(format!("{plain}{padding}").as_bytes())
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Option<(String, String, String)> {
        let file = File::parse(text)?;
        let text = String::from_utf8(file.bytes).unwrap();
        Some((
            file.media.unwrap_or_default(),
            file.name.unwrap_or_default(),
            text,
        ))
    }

    #[test]
    fn a_file_is_text_or_a_data_url() {
        let some =
            |media: &str, name: &str, text: &str| Some((media.into(), name.into(), text.into()));
        assert_eq!(file("a,b\n1,2"), some("", "", "a,b\n1,2"));
        assert_eq!(
            file("data:text/csv;base64,YSxi"),
            some("text/csv", "", "a,b")
        );
        assert_eq!(
            file("data:text/csv;name=x%20y.csv;base64,YSw=\r\n"),
            some("text/csv", "x y.csv", "a,")
        );
        assert_eq!(file("data:,a%20b"), some("", "", "a b"));
        assert_eq!(file("data:;base64,YQ"), some("", "", "a"));
        assert_eq!(file("data:no comma"), None);
        assert_eq!(file("data:;base64,Y!Q="), None);
    }
}

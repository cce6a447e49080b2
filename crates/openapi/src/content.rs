//! The media types of bodies.

use serde_json::{Map, Value};

/// The most characters of a media type.
const LONGEST: usize = 200;

/// What a media type means for a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Json,
    Form,
    Multipart,
    Text,
    Binary,
}

impl Kind {
    pub(crate) fn of(media: &str) -> Self {
        match essence(media).as_str() {
            "application/x-www-form-urlencoded" => Self::Form,
            media if is_json(media) => Self::Json,
            media if media.starts_with("multipart/") => Self::Multipart,
            media if is_text(media) => Self::Text,
            _ => Self::Binary,
        }
    }

    fn rank(self) -> u8 {
        match self {
            Self::Json => 0,
            Self::Form => 1,
            Self::Multipart => 2,
            Self::Text => 3,
            Self::Binary => 4,
        }
    }
}

/// A media type without parameters, in lower case.
pub(crate) fn essence(media: &str) -> String {
    let plain = media.split(';').next().unwrap_or_default().trim();
    plain.to_ascii_lowercase()
}

/// `application/json`, `application/vnd.api+json`, and the wildcards that JSON is meant by.
pub(crate) fn is_json(essence: &str) -> bool {
    let (_, subtype) = essence.split_once('/').unwrap_or_default();
    matches!(essence, "*/*" | "application/*") || subtype == "json" || subtype.ends_with("+json")
}

/// Media types whose bodies are text.
pub(crate) fn is_text(essence: &str) -> bool {
    let (kind, subtype) = essence.split_once('/').unwrap_or_default();
    kind == "text"
        || ["+xml", "+yaml", "+text"]
            .iter()
            .any(|end| subtype.ends_with(end))
        || matches!(
            subtype,
            "xml"
                | "yaml"
                | "x-yaml"
                | "javascript"
                | "graphql"
                | "sql"
                | "toml"
                | "x-ndjson"
                | "jsonl"
                | "json-seq"
                | "x-sh"
                | "csv"
                | "x-pem-file"
                | "pem-certificate-chain"
        )
}

/// The media type of `content` that is easiest to give; the first of those that are equally easy.
pub(crate) fn best(content: Option<&Value>) -> Option<(&str, &Map<String, Value>)> {
    let all = content.and_then(Value::as_object)?;
    let usable = all.iter().take(64).filter(|(media, _)| is_valid(media));
    let usable = usable.filter_map(|(media, one)| Some((media.as_str(), one.as_object()?)));
    usable.min_by_key(|(media, _)| Kind::of(media).rank())
}

/// The media type to send for one of a document, which may be a wildcard.
pub(crate) fn concrete(media: &str) -> &str {
    match essence(media).as_str() {
        "*/*" | "application/*" => "application/json",
        "text/*" => "text/plain",
        other if other.ends_with("/*") => "application/octet-stream",
        _ => media,
    }
}

/// Whether it can be the value of a header.
pub(crate) fn is_valid(media: &str) -> bool {
    media.len() <= LONGEST
        && media.contains('/')
        && media.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_is_preferred_to_forms_and_files() {
        let best = |content: Value| best(Some(&content)).map(|(media, _)| media.to_owned());
        let content =
            json!({"application/xml": {}, "multipart/form-data": {}, "application/vnd.x+json": {}});
        assert_eq!(best(content).as_deref(), Some("application/vnd.x+json"));
        let content = json!({"image/png": {}, "text/csv": {}});
        assert_eq!(best(content).as_deref(), Some("text/csv"));
        assert_eq!(best(json!({"a\r\nb/c": {}, "nonsense": {}})), None);
    }

    #[test]
    fn wildcards_become_types_that_can_be_sent() {
        assert_eq!(concrete("*/*"), "application/json");
        assert_eq!(concrete("image/*"), "application/octet-stream");
        assert_eq!(
            concrete("text/csv; header=present"),
            "text/csv; header=present"
        );
    }
}

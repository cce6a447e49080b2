//! Taking secrets out of a transcript.

use std::borrow::Cow;

use linkspan_wire::{Json, JsonKind, quote};

const MASKED: &str = "\"***\"";
/// Shorter values would mask half of the text.
const SHORTEST: usize = 4;

/// Knows what must not be shown: the values of our own headers, and members with telling names.
pub(crate) struct Mask {
    values: Vec<String>,
}

impl Mask {
    pub(crate) fn new(secrets: Vec<String>) -> Self {
        let mut values: Vec<String> = secrets
            .into_iter()
            .filter(|secret| secret.len() >= SHORTEST)
            // As it stands inside a JSON string.
            .map(|secret| quote(&secret)[1..].trim_end_matches('"').to_owned())
            .collect();
        // Longest first, so that what is left of a shorter one cannot remain.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self { values }
    }

    /// The message with its secrets replaced; still JSON.
    pub(crate) fn apply<'a>(&self, json: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(json);
        if let Ok(parsed) = Json::parse(json) {
            let mut spans = Vec::new();
            find(parsed, json, &mut spans);
            if !spans.is_empty() {
                text = Cow::Owned(replace(json, &spans));
            }
        }
        for value in &self.values {
            if text.contains(value.as_str()) {
                text = Cow::Owned(text.replace(value.as_str(), "***"));
            }
        }
        text
    }
}

/// Collects where the values of telling members stand.
fn find(value: Json<'_>, whole: &str, spans: &mut Vec<(usize, usize)>) {
    match value.kind() {
        JsonKind::Object => {
            for (name, member) in value.members() {
                if member.kind() == JsonKind::String && is_telling(&name) {
                    let start = member.text().as_ptr() as usize - whole.as_ptr() as usize;
                    spans.push((start, start + member.text().len()));
                } else {
                    find(member, whole, spans);
                }
            }
        }
        JsonKind::Array => value.elements().for_each(|item| find(item, whole, spans)),
        _ => {}
    }
}

fn replace(text: &str, spans: &[(usize, usize)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for &(start, end) in spans {
        out.push_str(&text[at..start]);
        out.push_str(MASKED);
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

/// Whether a member of this name usually holds a secret.
fn is_telling(name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    if plain == "progresstoken" {
        return false;
    }
    [
        "password",
        "passwd",
        "secret",
        "apikey",
        "authorization",
        "credential",
        "privatekey",
        "cookie",
    ]
    .iter()
    .any(|word| plain.contains(word))
        || plain.ends_with("token")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_secrets_are_masked_wherever_they_stand() {
        let mask = Mask::new(vec![
            "Bearer s3cr\"et".into(),
            "s3cr\"et".into(),
            "x".into(),
        ]);
        assert_eq!(
            mask.apply(r#"{"a":"Bearer s3cr\"et","b":["is s3cr\"et!"],"c":"x"}"#),
            r#"{"a":"***","b":["is ***!"],"c":"x"}"#
        );
    }

    #[test]
    fn members_with_telling_names_are_masked_and_the_rest_stays() {
        let mask = Mask::new(Vec::new());
        assert_eq!(
            mask.apply(r#"{"api_key": "abc", "n":1.0, "deep":[{"accessToken":"t","progressToken":"p"}], "password":5}"#),
            r#"{"api_key": "***", "n":1.0, "deep":[{"accessToken":"***","progressToken":"p"}], "password":5}"#
        );
    }
}

//! Taking secrets out of a transcript.

use std::borrow::Cow;

use linkspan_wire::{Json, JsonKind, quote};

const MASKED: &str = "***";
/// Shorter values would mask half of the text.
const SHORTEST: usize = 4;

/// Knows what must not be shown: the values of our own headers, and members with telling names.
pub(crate) struct Mask {
    secrets: Vec<String>,
}

/// A part of the text and what to write instead.
struct Change {
    start: usize,
    end: usize,
    text: String,
}

impl Mask {
    pub(crate) fn new(mut secrets: Vec<String>) -> Self {
        secrets.retain(|secret| secret.len() >= SHORTEST);
        // Longest first, so that what is left of a shorter one cannot remain.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self { secrets }
    }

    /// The message with its secrets replaced; still JSON.
    pub(crate) fn apply<'a>(&self, json: &'a str) -> Cow<'a, str> {
        let Ok(parsed) = Json::parse(json) else {
            return Cow::Borrowed("null");
        };
        let mut changes = Vec::new();
        self.find(parsed, json, false, &mut changes);
        if changes.is_empty() {
            return Cow::Borrowed(json);
        }
        let mut out = String::with_capacity(json.len());
        let mut at = 0;
        for change in changes {
            out.push_str(&json[at..change.start]);
            out.push_str(&change.text);
            at = change.end;
        }
        out.push_str(&json[at..]);
        Cow::Owned(out)
    }

    /// Collects what has to change below a value. `telling` if a name above says that it is secret.
    ///
    /// Strings are compared as they read, not as they are spelled: `\/` is `/`.
    fn find(&self, value: Json<'_>, whole: &str, telling: bool, changes: &mut Vec<Change>) {
        let mut change = |token: &str, text: &str| {
            let start = token.as_ptr() as usize - whole.as_ptr() as usize;
            changes.push(Change {
                start,
                end: start + token.len(),
                text: quote(text),
            });
        };
        match value.kind() {
            JsonKind::String if telling => change(value.text(), MASKED),
            JsonKind::String => {
                let text = value.as_str().unwrap_or_default();
                if let Some(masked) = self.masked(&text) {
                    change(value.text(), &masked);
                }
            }
            JsonKind::Number if self.masked(value.text()).is_some() => {
                change(value.text(), MASKED);
            }
            JsonKind::Array => {
                for item in value.elements() {
                    self.find(item, whole, telling, changes);
                }
            }
            JsonKind::Object => {
                for (name, member) in value.members() {
                    self.find(member, whole, telling || is_telling(&name), changes);
                }
            }
            _ => {}
        }
    }

    fn masked(&self, text: &str) -> Option<String> {
        let found = self
            .secrets
            .iter()
            .any(|secret| text.contains(secret.as_str()));
        found.then(|| {
            let all = self.secrets.iter();
            all.fold(text.to_owned(), |text, secret| {
                text.replace(secret.as_str(), MASKED)
            })
        })
    }
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
    fn our_own_secrets_are_masked_wherever_and_however_they_stand() {
        let secrets = ["Bearer s3/cr\"et", "s3/cr\"et", "12345", "x"];
        let mask = Mask::new(secrets.map(str::to_owned).to_vec());
        assert_eq!(
            mask.apply(
                r#"{"a":"Bearer s3/cr\"et","b":["is s3\/cr\u0022et!"],"c":"x","n": 12345 }"#
            ),
            r#"{"a":"***","b":["is ***!"],"c":"x","n": "***" }"#
        );
    }

    #[test]
    fn members_with_telling_names_are_masked_and_the_rest_stays() {
        let mask = Mask::new(Vec::new());
        assert_eq!(
            mask.apply(r#"{"api_key": "abc", "n":1.0, "deep":[{"accessToken":"t","progressToken":"p"}], "Authorization":["Bearer t"], "password":5}"#),
            r#"{"api_key": "***", "n":1.0, "deep":[{"accessToken":"***","progressToken":"p"}], "Authorization":["***"], "password":5}"#
        );
    }
}

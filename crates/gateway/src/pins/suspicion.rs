//! A look at texts for the model: characters and phrases that attacks on models have used.
//!
//! The result is a warning only. No list of phrases is complete, and honest texts contain some of them.

use std::collections::BTreeSet;
use std::fmt;

use linkspan_wire::{Json, JsonKind, is_hidden};

use super::item::ItemId;
use super::server::{Pin, ServerPins};
use crate::canonical::DEEPEST;

/// Something in a text that deserves a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Suspicion {
    /// U+E0000 to U+E007F: text that only the model sees.
    TagCharacters,
    /// Characters without width, between letters of the Latin script too.
    ZeroWidth,
    /// Characters that change the order in which a line is shown.
    BidiControls,
    /// A phrase that tells the model to leave its instructions, or to hide something from the user.
    Phrase(&'static str),
    /// The path of a file with secrets.
    SecretPath(&'static str),
}

const PHRASES: [&str; 24] = [
    "ignore previous",
    "ignore all previous",
    "ignore any previous",
    "ignore your previous",
    "ignore the above",
    "ignore all other",
    "ignore prior",
    "disregard previous",
    "disregard all previous",
    "disregard the above",
    "disregard prior",
    "forget previous",
    "forget all previous",
    "forget your instructions",
    "override your instructions",
    "new system prompt",
    "do not tell the user",
    "don't tell the user",
    "do not mention this to",
    "don't mention this to",
    "do not inform the user",
    "without telling the user",
    "hide this from the user",
    "<important>",
];

const SECRET_PATHS: [&str; 14] = [
    "~/.ssh",
    "/.ssh/",
    "id_rsa",
    "id_ed25519",
    ".aws/credentials",
    ".git-credentials",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".kube/config",
    ".docker/config.json",
    "/etc/passwd",
    "/etc/shadow",
    ".cursor/mcp.json",
];

impl Suspicion {
    /// What is suspicious in a text.
    pub fn in_text(text: &str) -> BTreeSet<Self> {
        let mut found = characters(text);
        let plain = plain(text);
        let phrases = PHRASES.iter().filter(|phrase| plain.contains(**phrase));
        found.extend(phrases.map(|phrase| Self::Phrase(phrase)));
        let paths = SECRET_PATHS.iter().filter(|path| plain.contains(**path));
        found.extend(paths.map(|path| Self::SecretPath(path)));
        found
    }

    /// What is suspicious in the strings of a value, keys included.
    pub fn in_json(json: Json<'_>) -> BTreeSet<Self> {
        let mut found = BTreeSet::new();
        search(json, 0, &mut found);
        found
    }
}

impl fmt::Display for Suspicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TagCharacters => f.write_str("tag characters, which are invisible text"),
            Self::ZeroWidth => f.write_str("characters without width"),
            Self::BidiControls => f.write_str("characters that change the order of a line"),
            Self::Phrase(phrase) => write!(f, "the phrase {phrase:?}"),
            Self::SecretPath(path) => write!(f, "{path:?}, a place of secrets"),
        }
    }
}

/// What is suspicious in the definitions that `after` has and `before` has not.
pub(super) fn of_news(before: &ServerPins, after: &ServerPins) -> Vec<(ItemId, Suspicion)> {
    let offered = after.offered.iter();
    let offered = offered.filter_map(|(id, pin)| Some((id, pin.as_ref()?)));
    let is_known = |id: &ItemId, pin: &Pin| {
        let offered = before.offered.get(id).and_then(Option::as_ref);
        let known = [before.accepted.get(id), offered];
        known
            .into_iter()
            .flatten()
            .any(|one| one.digest == pin.digest)
    };
    let all = after.accepted.iter().chain(offered);
    all.filter(|(id, pin)| !is_known(id, pin))
        .flat_map(|(id, pin)| {
            let json = pin
                .definition
                .as_deref()
                .and_then(|it| Json::parse(it).ok());
            let found = json.map(Suspicion::in_json).unwrap_or_default();
            found.into_iter().map(|one| (id.clone(), one))
        })
        .collect()
}

fn search(json: Json<'_>, depth: usize, found: &mut BTreeSet<Suspicion>) {
    match json.kind() {
        _ if depth > DEEPEST => found.extend(Suspicion::in_text(json.text())),
        JsonKind::String => found.extend(Suspicion::in_text(&json.as_str().unwrap_or_default())),
        JsonKind::Object => {
            for (key, value) in json.members() {
                found.extend(Suspicion::in_text(&key));
                search(value, depth + 1, found);
            }
        }
        JsonKind::Array => json
            .elements()
            .for_each(|one| search(one, depth + 1, found)),
        JsonKind::Number | JsonKind::Bool | JsonKind::Null => {}
    }
}

fn characters(text: &str) -> BTreeSet<Suspicion> {
    let mut found = BTreeSet::new();
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{e0000}'..='\u{e007f}' => {
                found.insert(Suspicion::TagCharacters);
            }
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                found.insert(Suspicion::BidiControls);
            }
            '\u{200b}' | '\u{2060}' | '\u{feff}' => {
                found.insert(Suspicion::ZeroWidth);
            }
            // Some scripts and emoji need joiners; the Latin one does not.
            '\u{200c}' | '\u{200d}'
                if before.is_ascii() || chars.peek().is_none_or(char::is_ascii) =>
            {
                found.insert(Suspicion::ZeroWidth);
            }
            _ => {}
        }
        before = c;
    }
    found
}

/// A text in lower case, without hidden characters, and with one space for white space.
fn plain(text: &str) -> String {
    let shown = text.chars().filter(|c| c.is_whitespace() || !is_hidden(*c));
    let shown: String = shown.flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = shown.split_whitespace().collect();
    words.join(" ").replace('’', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Suspicion> {
        Suspicion::in_text(text).into_iter().collect()
    }

    #[test]
    fn ordinary_texts_are_not_suspicious() {
        for text in [
            "Shows the log of a repository. Does not change anything.",
            "می\u{200c}خواهم",
            "a family: 👨\u{200d}👩\u{200d}👧",
            "Returns the users of the system",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn invisible_characters_are_found() {
        assert_eq!(found("a\u{e0041}"), [Suspicion::TagCharacters]);
        assert_eq!(found("a\u{200b}b"), [Suspicion::ZeroWidth]);
        assert_eq!(found("a\u{200d}b"), [Suspicion::ZeroWidth]);
        assert_eq!(found("a\u{202e}b"), [Suspicion::BidiControls]);
    }

    #[test]
    fn phrases_are_found_in_any_case_and_across_lines() {
        let phrase = [Suspicion::Phrase("ignore previous")];
        assert_eq!(found("IGNORE\n  Previous instructions"), phrase);
        let hidden = found("ig\u{200b}nore previous instructions");
        assert_eq!(hidden, [Suspicion::ZeroWidth, phrase[0]]);
        assert_eq!(
            found("Don’t tell the user"),
            [Suspicion::Phrase("don't tell the user")]
        );
    }

    #[test]
    fn all_strings_of_a_definition_are_read() {
        let text = r#"{"a":[{"b":"read ~/.ssh"}],"\u200bc":1}"#;
        let found = Suspicion::in_json(Json::parse(text).unwrap());
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [Suspicion::ZeroWidth, Suspicion::SecretPath("~/.ssh")]
        );
    }
}

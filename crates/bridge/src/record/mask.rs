//! Replaces secrets in a transcript.

mod words;

use std::borrow::Cow;

use linkspan_wire::{Json, JsonKind, quote};

/// A command line without its secrets.
pub fn masked_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    words::shown(words.into_iter())
}

/// A URL without its secrets.
pub fn masked_url(url: &str) -> Cow<'_, str> {
    words::url(url)
}

const MASKED: &str = "***";
/// Shorter values would mask half of the text.
const SHORTEST: usize = 4;

/// Replaces secrets: given values, members whose names say that they are secret, credentials in URLs.
pub struct Mask {
    secrets: Vec<String>,
    /// Also masks what servers are given: environments, headers, arguments, and secrets in URLs.
    servers: bool,
}

/// A part of the text and its replacement.
struct Change {
    start: usize,
    end: usize,
    text: String,
}

impl Mask {
    /// Masks these values and what looks like a secret.
    pub fn new(secrets: Vec<String>) -> Self {
        let mut mask = Self {
            secrets: Vec::new(),
            servers: false,
        };
        mask.learn(&secrets);
        mask
    }

    /// Masks these values as well from now on.
    pub(super) fn learn(&mut self, secrets: &[String]) {
        if secrets.is_empty() {
            return;
        }
        self.secrets.extend_from_slice(secrets);
        self.secrets.retain(|secret| secret.len() >= SHORTEST);
        // Longest first: a secret may contain a shorter one.
        self.secrets
            .sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        self.secrets.dedup();
    }

    /// Also masks what a session gives to servers: environments, headers, arguments.
    #[must_use]
    pub fn with_servers(self) -> Self {
        Self {
            servers: true,
            ..self
        }
    }

    /// The message with its secrets replaced; still JSON.
    pub fn apply<'a>(&self, json: &'a str) -> Cow<'a, str> {
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

    /// Collects the changes of a value. `telling` if the name of the value says that it is secret.
    ///
    /// Strings are compared after decoding: `\/` is `/`.
    fn find(&self, value: Json<'_>, whole: &str, telling: bool, changes: &mut Vec<Change>) {
        let mut change = |token: &str, text: &str| changes.push(Change::of(token, whole, text));
        match value.kind() {
            JsonKind::String | JsonKind::Number if telling => change(value.text(), MASKED),
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
                let is_pair = names_a_secret(value);
                for (name, member) in value.members() {
                    let servers = self.servers && !telling;
                    match &*name {
                        "env" | "headers" if servers => self.find_pairs(member, whole, changes),
                        "args" | "argv" | "command" | "cmd" if !telling => {
                            let is_line = member.kind() == JsonKind::Array;
                            let all = self.servers && name.starts_with("arg");
                            if is_line {
                                self.find_words(member, whole, all, changes)
                            } else {
                                self.find(member, whole, all, changes)
                            }
                        }
                        "value" if is_pair => self.find(member, whole, true, changes),
                        _ => self.find(member, whole, telling || is_telling(&name), changes),
                    }
                }
            }
            _ => {}
        }
    }

    /// The values of name-value pairs, as an array of pairs or as a map.
    fn find_pairs(&self, value: Json<'_>, whole: &str, changes: &mut Vec<Change>) {
        match value.kind() {
            JsonKind::Array => {
                for pair in value.elements() {
                    for (name, member) in pair.members() {
                        self.find(member, whole, name != "name", changes);
                    }
                }
            }
            _ => self.find(value, whole, true, changes),
        }
    }

    /// The words of a command line; `all` of them if they are arguments of a server, where any word may be secret.
    fn find_words(&self, line: Json<'_>, whole: &str, all: bool, changes: &mut Vec<Change>) {
        let words: Vec<Cow<'_, str>> = line
            .elements()
            .map(|word| word.as_str().unwrap_or_default())
            .collect();
        let spoken = words.iter().map(|word| &**word);
        let masked = if all {
            words::all(spoken)
        } else {
            words::telling(spoken)
        };
        for ((element, word), masked) in line.elements().zip(&words).zip(masked) {
            match element.kind() {
                JsonKind::String if **word != masked => {
                    changes.push(Change::of(element.text(), whole, &masked));
                }
                JsonKind::String => self.find(element, whole, false, changes),
                _ => self.find(element, whole, all, changes),
            }
        }
    }

    /// A text without our own secrets and without the credentials in its URLs, if there are any.
    fn masked(&self, text: &str) -> Option<String> {
        let found = self
            .secrets
            .iter()
            .any(|secret| text.contains(secret.as_str()));
        let own = found.then(|| {
            let all = self.secrets.iter();
            all.fold(text.to_owned(), |text, secret| {
                text.replace(secret.as_str(), MASKED)
            })
        });
        match masked_urls(own.as_deref().unwrap_or(text)) {
            Cow::Owned(masked) => Some(masked),
            Cow::Borrowed(_) => own,
        }
    }
}

impl Change {
    /// Replaces `token`, which is a part of `whole`, by a string.
    fn of(token: &str, whole: &str, text: &str) -> Self {
        let start = token.as_ptr() as usize - whole.as_ptr() as usize;
        Self {
            start,
            end: start + token.len(),
            text: quote(text),
        }
    }
}

/// A text whose URLs have no credentials, neither as user information nor in parameters with telling names.
fn masked_urls(text: &str) -> Cow<'_, str> {
    const SIGN: &str = "://";
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find(SIGN) {
        let start = at + found + SIGN.len();
        let is_end = |c: char| c.is_whitespace() || "\"<>\\`".contains(c);
        let end = text[start..]
            .find(is_end)
            .map_or(text.len(), |length| start + length);
        // The next URL may follow without a space, or be a parameter of this one.
        let end = text[start..end]
            .find(SIGN)
            .map_or(end, |length| start + length);
        if let Some(masked) = masked_address(&text[start..end]) {
            out.push_str(&text[copied..start]);
            out.push_str(&masked);
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The part of a URL behind its scheme, without credentials; `None` if it has none.
fn masked_address(address: &str) -> Option<String> {
    let end = address.find(['/', '?', '#']).unwrap_or(address.len());
    let (authority, way) = address.split_at(end);
    let mut masked = match authority.rsplit_once('@') {
        Some((_, host)) => format!("{MASKED}@{host}"),
        None => authority.to_owned(),
    };
    let parameters = way.find(['?', '#', '&']).unwrap_or(way.len());
    masked.push_str(&way[..parameters]);
    for part in way[parameters..].split_inclusive(['?', '#', '&']) {
        let (pair, sign) = if part.ends_with(['?', '#', '&']) {
            part.split_at(part.len() - 1)
        } else {
            (part, "")
        };
        match pair.split_once('=') {
            Some((name, value)) if !value.is_empty() && is_telling_parameter(name) => {
                masked.push_str(name);
                masked.push('=');
                masked.push_str(MASKED);
            }
            _ => masked.push_str(pair),
        }
        masked.push_str(sign);
    }
    (masked != address).then_some(masked)
}

/// Whether a URL parameter of this name usually holds a secret.
fn is_telling_parameter(name: &str) -> bool {
    let plain = name.to_ascii_lowercase();
    is_telling(name)
        || ["key", "sig", "signature"]
            .iter()
            .any(|word| plain == *word || plain.ends_with(&format!("-{word}")))
}

/// Whether an object is a pair of a telling `name` and its `value`.
fn names_a_secret(object: Json<'_>) -> bool {
    let name = object.get("name").and_then(Json::as_str);
    name.is_some_and(|name| is_telling(&name))
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
        "passphrase",
        "passcode",
        "secret",
        "apikey",
        "authorization",
        "credential",
        "privatekey",
        "accesskey",
        "bearer",
        "cookie",
    ]
    .iter()
    .any(|word| plain.contains(word))
        || ["token", "pwd"].iter().any(|word| plain.ends_with(word))
        || ["auth", "otp", "jwt"].contains(&&*plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_secrets_are_masked_in_every_position_and_spelling() {
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
            r#"{"api_key": "***", "n":1.0, "deep":[{"accessToken":"***","progressToken":"p"}], "Authorization":["***"], "password":"***"}"#
        );
    }

    #[test]
    fn numbers_under_telling_names_are_masked_and_counts_are_not() {
        let mask = Mask::new(Vec::new());
        assert_eq!(
            mask.apply(r#"{"password":[1234,{"x":-5e3}],"otp":7,"maxTokens":5,"progressToken":3,"secret":true}"#),
            r#"{"password":["***",{"x":"***"}],"otp":"***","maxTokens":5,"progressToken":3,"secret":true}"#
        );
    }

    #[test]
    fn arguments_of_a_server_are_masked_but_for_the_names_of_options() {
        let text = r#"{"mcpServers":[{"name":"a","command":"npx","args":["-y","pkg","--api-key","hush",7]}]}"#;
        let servers = Mask::new(Vec::new()).with_servers();
        assert_eq!(
            servers.apply(text),
            r#"{"mcpServers":[{"name":"a","command":"npx","args":["-y","***","--api-key","***","***"]}]}"#
        );
        assert_eq!(
            servers.apply(
                r#"{"args":"-k hush","argv":{"a":["hush",1]},"command":["x","--token","hush"]}"#
            ),
            r#"{"args":"***","argv":{"a":["***","***"]},"command":["x","--token","***"]}"#
        );
        assert_eq!(
            Mask::new(vec!["12345".to_owned()]).apply(
                r#"{"arguments":{"args":["--api-key","hu\u0073h","x12345","plain",7,{"token":"t"}]}}"#
            ),
            r#"{"arguments":{"args":["--api-key","***","x***","plain",7,{"token":"***"}]}}"#
        );
    }

    #[test]
    fn credentials_in_urls_are_masked_in_every_string() {
        let mask = Mask::new(vec!["hidden".to_owned()]);
        for (text, masked) in [
            ("postgres://ada:p@ss@db:5/x", "postgres://***@db:5/x"),
            (
                "see https://u:p@h/a, <redis://:pw@r> and mailto:ada@h",
                "see https://***@h/a, <redis://***@r> and mailto:ada@h",
            ),
            (
                "https://h/x?a=1&api_key=k&b=2#access_token=t",
                "https://h/x?a=1&api_key=***&b=2#access_token=***",
            ),
            (
                "s3://h/x?X-Amz-Signature=s&sig=t",
                "s3://h/x?X-Amz-Signature=***&sig=***",
            ),
            ("ws://h/hidden?token=t", "ws://h/***?token=***"),
            ("https://h/@scope/pkg?q=a@b", "https://h/@scope/pkg?q=a@b"),
            (
                "https://h/?to=https://u:p@i/&token=t,b://v:q@j",
                "https://h/?to=https://***@i/&token=***://***@j",
            ),
            ("a://b://c é://d@", "a://b://c é://***@"),
        ] {
            assert_eq!(
                mask.apply(&format!(r#"{{"any":["{text}"]}}"#)),
                format!(r#"{{"any":["{masked}"]}}"#)
            );
        }
    }

    #[test]
    fn a_telling_name_makes_the_value_beside_it_secret() {
        let mask = Mask::new(Vec::new());
        assert_eq!(
            mask.apply(r#"{"x":[{"value":"v","name":"API_KEY"},{"name":"Authorization","value":["w",5]},{"name":"city","value":"Rome"}]}"#),
            r#"{"x":[{"value":"***","name":"API_KEY"},{"name":"Authorization","value":["***","***"]},{"name":"city","value":"Rome"}]}"#
        );
    }

    #[test]
    fn environments_and_arguments_of_servers_are_masked_on_request() {
        let mask = Mask::new(Vec::new()).with_servers();
        assert_eq!(
            mask.apply(r#"{"mcpServers":[{"name":"a","env":[{"name":"K","value":"v"}],"headers":{"X":"y"},"url":"https://u:p@h/x?a=1&api_key=2#f"}],"url":"acp:5"}"#),
            r#"{"mcpServers":[{"name":"a","env":[{"name":"K","value":"***"}],"headers":{"X":"***"},"url":"https://***@h/x?a=1&api_key=***#f"}],"url":"acp:5"}"#
        );
        let plain = Mask::new(Vec::new());
        let text = r#"{"env":[{"name":"K","value":"v"}]}"#;
        assert_eq!(plain.apply(text), text);
    }
}

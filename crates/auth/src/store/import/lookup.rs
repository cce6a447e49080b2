//! How mcp-remote names its files.

use serde_json::Value;
use url::Url;

/// A server and the flags of mcp-remote that are a part of its file names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lookup {
    /// The URL as it was written on the command line.
    pub url: String,
    /// `--resource`.
    pub resource: Option<String>,
    /// `--authorize-param NAME=VALUE`.
    pub authorize_params: Vec<(String, String)>,
    /// `--header NAME:VALUE`, with variables such as `${TOKEN}` in their place.
    pub headers: Vec<(String, String)>,
    /// `--client-metadata-url`.
    pub client_metadata_url: Option<String>,
    /// `--token-endpoint`.
    pub token_endpoint: Option<String>,
}

impl Lookup {
    /// A server without further flags.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            ..Self::default()
        }
    }

    /// The port that mcp-remote listens on for the browser if it is given none.
    pub fn callback_port(&self) -> u16 {
        let name = self.name(&self.url);
        let start = name
            .get(..4)
            .and_then(|hex| u16::from_str_radix(hex, 16).ok());
        3335 + start.unwrap_or_default() % 45816
    }

    /// Whether a file of this name is of this server.
    pub(super) fn fits(&self, name: &str) -> bool {
        self.spellings().iter().any(|url| self.name(url) == name)
    }

    /// The URL, if it is one.
    pub(super) fn server(&self) -> Option<Url> {
        Url::parse(&self.url).ok()
    }

    /// The URL as it was given, in normal form, and without or with a slash at the end: the name depends on it.
    fn spellings(&self) -> Vec<String> {
        let normal = self.server().map(String::from);
        let mut spellings = Vec::new();
        for url in [Some(self.url.clone()), normal].into_iter().flatten() {
            let bare = url.trim_end_matches('/');
            for spelling in [url.clone(), bare.to_owned(), format!("{bare}/")] {
                if !spellings.contains(&spelling) {
                    spellings.push(spelling);
                }
            }
        }
        spellings
    }

    fn name(&self, url: &str) -> String {
        let mut parts = vec![url.to_owned()];
        parts.extend(self.resource.clone());
        parts.extend(object(&self.authorize_params));
        parts.extend(object(&self.headers));
        parts.extend(self.client_metadata_url.clone());
        parts.extend(self.token_endpoint.clone());
        format!("{:x}", md5::compute(parts.join("|")))
    }
}

/// As `JSON.stringify` writes an object with sorted names; of a name that is there twice the last value counts.
fn object(pairs: &[(String, String)]) -> Option<String> {
    let mut members: Vec<&(String, String)> = Vec::new();
    for pair in pairs {
        members.retain(|(name, _)| *name != pair.0);
        members.push(pair);
    }
    if members.is_empty() {
        return None;
    }
    members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    let quote = |text: &str| Value::from(text).to_string();
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{}:{}", quote(name), quote(value)))
        .collect();
    Some(format!("{{{}}}", members.join(",")))
}

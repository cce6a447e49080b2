//! The names under which records are found.

use std::fmt;
use std::str::FromStr;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::random;

/// Which account at which authorization server, for which resource: a hash. It depends neither on headers nor on the
/// spelling of the server's URL, so that a user stays signed in when these change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CredentialKey([u8; 32]);

/// A text that is not a credential key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a credential key has 64 hexadecimal digits")]
pub struct NotKey;

impl CredentialKey {
    /// The key for these. `authorize_params` are what the user adds to the authorization request, in any order.
    pub fn of(
        issuer: &str,
        resource: Option<&str>,
        client_id: &str,
        profile: &str,
        authorize_params: &[(String, String)],
    ) -> Self {
        let mut parts = Vec::new();
        push(&mut parts, issuer);
        parts.push(u8::from(resource.is_some()));
        push(&mut parts, resource.unwrap_or_default());
        push(&mut parts, client_id);
        push(&mut parts, profile);
        let mut params: Vec<_> = authorize_params.iter().collect();
        params.sort();
        for (name, value) in params {
            push(&mut parts, name);
            push(&mut parts, value);
        }
        let hash = random::sha256(&parts);
        Self(hash.try_into().expect("a SHA-256 has 32 bytes"))
    }
}

/// With its length before it a part cannot end in the next one.
fn push(parts: &mut Vec<u8>, part: &str) {
    let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
    parts.extend(length.to_be_bytes());
    parts.extend(part.as_bytes());
}

impl fmt::Display for CredentialKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for CredentialKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CredentialKey({self})")
    }
}

impl FromStr for CredentialKey {
    type Err = NotKey;

    fn from_str(text: &str) -> Result<Self, NotKey> {
        let bytes = HEXLOWER.decode(text.as_bytes()).map_err(|_| NotKey)?;
        Ok(Self(bytes.try_into().map_err(|_| NotKey)?))
    }
}

impl TryFrom<String> for CredentialKey {
    type Error = NotKey;

    fn try_from(text: String) -> Result<Self, NotKey> {
        text.parse()
    }
}

impl From<CredentialKey> for String {
    fn from(key: CredentialKey) -> Self {
        key.to_string()
    }
}

/// One spelling of a server's URL: without fragment and user, the rest as [`Url`] normalises it (host in lower case,
/// no default port, no `..`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ServerName(String);

impl ServerName {
    pub(super) fn of(server: &Url) -> Self {
        let mut server = server.clone();
        server.set_fragment(None);
        // These fail for URLs without a host only, which have no user either.
        let _ = server.set_username("");
        let _ = server.set_password(None);
        Self(server.into())
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn every_part_of_a_credential_makes_another_key() {
        let keys = [
            CredentialKey::of("i", Some("r"), "c", "p", &[]),
            CredentialKey::of("j", Some("r"), "c", "p", &[]),
            CredentialKey::of("i", Some("s"), "c", "p", &[]),
            CredentialKey::of("i", Some(""), "c", "p", &[]),
            CredentialKey::of("i", None, "c", "p", &[]),
            CredentialKey::of("i", Some("r"), "d", "p", &[]),
            CredentialKey::of("i", Some("r"), "c", "q", &[]),
            CredentialKey::of("i", Some("r"), "cp", "", &[]),
            CredentialKey::of("i", Some("r"), "c", "p", &params(&[("a", "b")])),
            CredentialKey::of("i", Some("r"), "c", "p", &params(&[("ab", "")])),
        ];
        let different: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(different.len(), keys.len());
    }

    #[test]
    fn the_order_of_parameters_does_not_matter() {
        let one = params(&[("access_type", "offline"), ("prompt", "consent")]);
        let other = params(&[("prompt", "consent"), ("access_type", "offline")]);
        assert_eq!(
            CredentialKey::of("i", None, "c", "", &one),
            CredentialKey::of("i", None, "c", "", &other)
        );
    }

    #[test]
    fn a_key_is_read_as_it_is_written() {
        let key = CredentialKey::of("i", None, "c", "", &[]);
        assert_eq!(key.to_string().parse(), Ok(key));
        assert_eq!("abc".parse::<CredentialKey>(), Err(NotKey));
    }

    #[test]
    fn spellings_of_one_url_have_one_name() {
        let name = |text: &str| ServerName::of(&Url::parse(text).unwrap());
        for spelling in [
            "HTTPS://MCP.Example.com/mcp",
            "https://mcp.example.com:443/mcp",
            "https://mcp.example.com/mcp#fragment",
            "https://mcp.example.com/x/../mcp",
            "https://user:password@mcp.example.com/mcp",
        ] {
            assert_eq!(
                name(spelling),
                name("https://mcp.example.com/mcp"),
                "{spelling}"
            );
        }
        for other in [
            "http://mcp.example.com/mcp",
            "https://mcp.example.com/mcp/",
            "https://mcp.example.com:8443/mcp",
            "https://mcp.example.com/mcp?tenant=a",
        ] {
            assert_ne!(name(other), name("https://mcp.example.com/mcp"), "{other}");
        }
    }
}

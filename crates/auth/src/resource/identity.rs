//! Who sends a request.

/// The issuer of identities that come from a file of API keys. No authorization server has this name.
pub const API_KEYS: &str = "urn:linkspan:api-keys";

/// The sender of a request, once its credentials have been verified. It holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The authorization server, or [`API_KEYS`].
    pub issuer: String,
    /// The user or service, as the issuer names it.
    pub subject: String,
    /// The client that the token was given to.
    pub client_id: Option<String>,
    /// The scopes of the token.
    pub scopes: Vec<String>,
    /// A name for people.
    pub name: Option<String>,
    /// The views of the tools that an API key is limited to; empty for all.
    pub views: Vec<String>,
}

impl Identity {
    /// What tells it from all others: equal for all tokens of one subject and client. The parts hold no control
    /// characters, so no two identities have the same key.
    pub fn key(&self) -> Vec<u8> {
        let client = self.client_id.as_deref().unwrap_or_default();
        [&self.issuer, &self.subject, client]
            .join("\0")
            .into_bytes()
    }

    /// The scopes, separated by spaces.
    pub fn scope(&self) -> String {
        self.scopes.join(" ")
    }
}

/// The longest subject, client id or name.
const LONGEST: usize = 1024;

/// Whether a text can be a part of an identity. It may become a header and an environment variable.
pub(super) fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(subject: &str, client: Option<&str>) -> Identity {
        Identity {
            issuer: "https://as.example".to_owned(),
            subject: subject.to_owned(),
            client_id: client.map(str::to_owned),
            scopes: Vec::new(),
            name: None,
            views: Vec::new(),
        }
    }

    #[test]
    fn subject_and_client_decide_and_scopes_do_not() {
        let one = identity("a", Some("c"));
        let mut again = one.clone();
        again.scopes = vec!["more".to_owned()];
        assert_eq!(one.key(), again.key());
        assert_ne!(one.key(), identity("a", Some("d")).key());
        assert_ne!(one.key(), identity("b", Some("c")).key());
        assert_ne!(identity("a", None).key(), one.key());
    }

    #[test]
    fn control_characters_are_no_part_of_an_identity() {
        for bad in ["", "a\0b", "a\nb", "\u{85}", &"x".repeat(LONGEST + 1)] {
            assert!(!is_plain(bad), "{bad:?}");
        }
        assert!(is_plain("auth0|5f7c8ec7c33c6c004bbafe82"));
    }
}

//! What a client is told when it is refused (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1).

use super::dpop::{ProofError, algorithms};
use super::identity::Identity;
use super::policy::DpopMode;
use super::presented::{Presented, Scheme};
use super::scopes::{add, cover};
use super::token_error::TokenError;
use super::tool_scopes::ToolScopes;
use crate::Challenge;

/// The longest description in a challenge.
const LONGEST: usize = 300;

/// A request that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// 401, 403 or 503.
    pub status: u16,
    /// The values of `WWW-Authenticate`.
    pub challenges: Vec<Challenge>,
    /// A word for programs.
    pub kind: &'static str,
    /// What is wrong.
    pub why: String,
    /// What to do about it.
    pub hint: &'static str,
}

/// Makes refusals.
#[derive(Debug, Clone)]
pub struct Challenger {
    /// Where the metadata of the resource is; `None` if there is no authorization server.
    pub metadata: Option<String>,
    /// The scopes that every request needs.
    pub scopes: Vec<String>,
    /// The scopes that calls of tools need.
    pub tools: ToolScopes,
    /// Whether tokens have to be bound.
    pub dpop: DpopMode,
}

impl Challenger {
    /// There are no credentials, or none that can be read.
    pub fn missing(&self, presented: &Presented<'_>) -> Denied {
        let why = match presented {
            Presented::Nothing => "this endpoint wants an access token",
            _ => "the credentials are not an access token",
        };
        Denied {
            status: 401,
            challenges: vec![self.challenge(presented.scheme(), None, &self.scopes)],
            kind: "unauthorized",
            why: why.to_owned(),
            hint: self.hint(),
        }
    }

    /// The token is not accepted.
    pub fn invalid(&self, scheme: Scheme, error: &TokenError) -> Denied {
        let why = error.to_string();
        let said = Some(("invalid_token", why.as_str()));
        Denied {
            status: 401,
            challenges: vec![self.challenge(scheme, said, &self.scopes)],
            kind: "invalid_token",
            hint: self.hint(),
            why,
        }
    }

    /// The proof of possession is not accepted.
    pub fn bad_proof(&self, error: ProofError) -> Denied {
        let why = error.to_string();
        let said = Some(("invalid_dpop_proof", why.as_str()));
        Denied {
            status: 401,
            challenges: vec![self.challenge(Scheme::Dpop, said, &self.scopes)],
            kind: "invalid_dpop_proof",
            hint: "send a new proof in the DPoP header, signed by the key that the token is bound to",
            why,
        }
    }

    /// Whether an identity may do something that needs the scopes of these tools, besides those of every request.
    pub fn permit<'t>(
        &self,
        identity: &Identity,
        tools: impl IntoIterator<Item = &'t str>,
        scheme: Scheme,
    ) -> Result<(), Denied> {
        let mut needed = self.scopes.clone();
        for scope in tools.into_iter().flat_map(|tool| self.tools.of(tool)) {
            add(&mut needed, &scope);
        }
        if cover(&identity.scopes, &needed) {
            return Ok(());
        }
        // A client that asks for exactly these scopes must not lose others that it has and needs here.
        let known = self.tools.all();
        for scope in identity.scopes.iter().filter(|own| known.contains(own)) {
            add(&mut needed, scope);
        }
        let said = Some((
            "insufficient_scope",
            "the token has not all scopes that this needs",
        ));
        Err(Denied {
            status: 403,
            challenges: vec![self.challenge(scheme, said, &needed)],
            kind: "insufficient_scope",
            why: format!("this needs the scopes {}", needed.join(" ")),
            hint: "sign in again with these scopes",
        })
    }

    /// Nothing can be said about the token now.
    pub fn unavailable(why: String) -> Denied {
        Denied {
            status: 503,
            challenges: Vec::new(),
            kind: "unavailable",
            why,
            hint: "try again in a minute; the log of the server has the reason",
        }
    }

    fn hint(&self) -> &'static str {
        if self.metadata.is_some() {
            "sign in at the authorization server that `resource_metadata` names, and send `Authorization: Bearer …`"
        } else {
            "send `Authorization: Bearer …` with a key that the operator gave you"
        }
    }

    /// In the scheme that the client uses, if that is accepted.
    fn challenge(
        &self,
        scheme: Scheme,
        said: Option<(&str, &str)>,
        scopes: &[String],
    ) -> Challenge {
        let is_bound = match self.dpop {
            DpopMode::Off => false,
            DpopMode::Optional => scheme == Scheme::Dpop,
            DpopMode::Required => true,
        };
        let mut challenge = Challenge::new(if is_bound { "DPoP" } else { "Bearer" });
        if let Some((error, description)) = said {
            challenge = challenge.with("error", error);
            challenge = challenge.with("error_description", described(description));
        }
        if let Some(metadata) = &self.metadata {
            challenge = challenge.with("resource_metadata", metadata);
            if !scopes.is_empty() {
                challenge = challenge.with("scope", scopes.join(" "));
            }
        }
        if is_bound {
            challenge = challenge.with("algs", algorithms().join(" "));
        }
        challenge
    }
}

/// Only what RFC 6750 §3 allows in a description.
fn described(text: &str) -> String {
    let plain = |c: char| match c {
        '`' | '"' => '\'',
        ' '..='~' if c != '\\' => c,
        _ => '?',
    };
    text.chars().take(LONGEST).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::challenges;

    fn challenger() -> Challenger {
        Challenger {
            metadata: Some("https://h/.well-known/oauth-protected-resource/mcp".to_owned()),
            scopes: vec!["base".to_owned()],
            tools: ToolScopes::parse(["delete_*=admin", "read_*=read"]).unwrap(),
            dpop: DpopMode::Optional,
        }
    }

    fn identity(scopes: &[&str]) -> Identity {
        Identity {
            issuer: "i".to_owned(),
            subject: "s".to_owned(),
            client_id: None,
            scopes: scopes.iter().map(ToString::to_string).collect(),
            name: None,
            views: Vec::new(),
        }
    }

    fn header(denied: &Denied) -> String {
        denied.challenges[0].to_string()
    }

    #[test]
    fn the_first_challenge_names_metadata_and_scope_and_no_error() {
        let denied = challenger().missing(&Presented::Nothing);
        assert_eq!(
            header(&denied),
            r#"Bearer resource_metadata="https://h/.well-known/oauth-protected-resource/mcp", scope="base""#
        );
        let keys_only = Challenger {
            metadata: None,
            ..challenger()
        };
        assert_eq!(header(&keys_only.missing(&Presented::Nothing)), "Bearer");
    }

    #[test]
    fn a_wrong_audience_is_told_in_characters_that_a_header_allows() {
        let error = TokenError::Audience {
            got: vec!["https://a\"\r\nX: ä".to_owned()],
            want: vec!["https://h/mcp".to_owned()],
        };
        let denied = challenger().invalid(Scheme::Bearer, &error);
        let value = header(&denied);
        assert!(value.bytes().all(|b| (0x20..0x7f).contains(&b)), "{value}");
        let read = challenges(&value);
        assert_eq!(read[0].param("error"), Some("invalid_token"));
        assert_eq!(
            read[0].param("error_description"),
            Some("the audience is 'https://a'??X: ?', and 'https://h/mcp' is accepted")
        );
    }

    #[test]
    fn a_missing_scope_is_told_with_all_scopes_that_are_needed_and_those_that_must_not_be_lost() {
        let challenger = challenger();
        let permit = |scopes: &[&str], tools: &[&str]| {
            let permitted =
                challenger.permit(&identity(scopes), tools.iter().copied(), Scheme::Bearer);
            permitted.map_err(|denied| {
                assert_eq!(denied.status, 403);
                challenges(&header(&denied))[0]
                    .param("scope")
                    .map(str::to_owned)
            })
        };
        assert_eq!(permit(&["base"], &[]), Ok(()));
        assert_eq!(permit(&["base"], &["list"]), Ok(()));
        assert_eq!(permit(&["base", "admin"], &["delete_all"]), Ok(()));
        let told = |scopes: &str| Err(Some(scopes.to_owned()));
        assert_eq!(permit(&[], &[]), told("base"));
        assert_eq!(permit(&["base"], &["delete_all"]), told("base admin"));
        let more = permit(&["base", "read", "offline_access"], &["delete_all"]);
        assert_eq!(more, told("base admin read"));
        let both = permit(&["base"], &["delete_all", "read_all"]);
        assert_eq!(both, told("base admin read"));
    }

    #[test]
    fn the_scheme_is_that_of_the_client_or_the_one_that_is_required() {
        let shown = Presented::Dpop {
            token: "t",
            proof: None,
        };
        let denied = challenger().bad_proof(ProofError::Missing);
        assert!(header(&denied).starts_with(r#"DPoP error="invalid_dpop_proof""#));
        assert!(header(&denied).contains("ES256"));
        let required = Challenger {
            dpop: DpopMode::Required,
            ..challenger()
        };
        assert!(header(&required.missing(&Presented::Nothing)).starts_with("DPoP "));
        let off = Challenger {
            dpop: DpopMode::Off,
            ..challenger()
        };
        assert!(header(&off.missing(&shown)).starts_with("Bearer "));
    }
}

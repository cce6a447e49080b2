//! What a protected resource said when it refused a request.

use serde::{Deserialize, Serialize};

use super::scope;
use crate::challenge::challenges;

/// A refusal with 401 or 403, as far as it matters for signing in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Demand {
    /// Where the server says that its metadata is.
    pub metadata: Option<String>,
    /// The scopes that it asks for.
    pub scope: Option<Vec<String>>,
    /// The error code, such as `invalid_token` or `insufficient_scope`.
    pub error: Option<String>,
    /// Whether it wants tokens that are bound to a key.
    pub dpop: bool,
}

impl Demand {
    /// Reads the values of `WWW-Authenticate`; `None` if no scheme of OAuth is among them.
    pub fn read<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let all: Vec<_> = values.into_iter().flat_map(challenges).collect();
        let is_oauth = |scheme: &str| all.iter().find(|one| one.is(scheme));
        let bearer = is_oauth("Bearer");
        let dpop = is_oauth("DPoP");
        let asked: Vec<_> = dpop.into_iter().chain(bearer).collect();
        if asked.is_empty() {
            return None;
        }
        let param = |name: &str| asked.iter().find_map(|one| one.param(name));
        Some(Self {
            metadata: param("resource_metadata").map(str::to_owned),
            scope: param("scope").map(scope::parse),
            error: param("error").map(str::to_owned),
            // A server that takes both is content with Bearer.
            dpop: dpop.is_some() && bearer.is_none(),
        })
    }

    /// Whether the token is fine but allows too little.
    pub fn is_insufficient_scope(&self) -> bool {
        self.error.as_deref() == Some("insufficient_scope")
    }

    /// Whether only a nonce is missing in the proof.
    pub fn wants_nonce(&self) -> bool {
        self.error.as_deref() == Some("use_dpop_nonce")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demand_is_read_from_any_of_several_challenges() {
        let demand = Demand::read([
            r#"Basic realm="x""#,
            r#"Bearer error="insufficient_scope", scope="a b", resource_metadata="https://h/m""#,
        ])
        .unwrap();
        assert_eq!(demand.scope, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(demand.metadata.as_deref(), Some("https://h/m"));
        assert_eq!(demand.error.as_deref(), Some("insufficient_scope"));
        assert!(!demand.dpop);
    }

    #[test]
    fn a_server_that_takes_only_bound_tokens_is_recognised() {
        let only = Demand::read([r#"DPoP error="use_dpop_nonce""#]).unwrap();
        assert!(only.dpop && only.wants_nonce());
        assert!(!Demand::read(["DPoP algs=\"ES256\", Bearer"]).unwrap().dpop);
    }

    #[test]
    fn other_schemes_are_no_demand() {
        assert_eq!(Demand::read([r#"Basic realm="x""#]), None);
        assert_eq!(Demand::read([]), None);
    }
}

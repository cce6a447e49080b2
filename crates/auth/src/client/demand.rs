//! What a protected resource said when it refused a request.

use serde::{Deserialize, Serialize};

use url::Url;

use super::scope;
use crate::challenge::{Challenge, challenges};

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
    /// Reads the values of `WWW-Authenticate`; `None` if no scheme of OAuth is among them. Of several challenges the one
    /// that says most counts, and the others only for what it leaves out.
    pub fn read<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let all: Vec<_> = values.into_iter().flat_map(challenges).collect();
        let of = |scheme: &'static str| all.iter().filter(move |one| one.is(scheme));
        // A server that takes both is content with Bearer.
        let dpop = of("Bearer").next().is_none();
        let mut asked: Vec<Self> = of("Bearer").chain(of("DPoP")).map(Self::of).collect();
        // Stable: of equals the first one is the first.
        asked.sort_by_key(|one| std::cmp::Reverse(one.weight()));
        let mut asked = asked.into_iter();
        let mut chosen = asked.next()?;
        for other in asked {
            chosen.metadata = chosen.metadata.or(other.metadata);
            chosen.scope = chosen.scope.or(other.scope);
            chosen.error = chosen.error.or(other.error);
        }
        Some(Self { dpop, ..chosen })
    }

    /// What one challenge says. A value that is empty, and a place that is no URL, says nothing.
    fn of(challenge: &Challenge) -> Self {
        let param = |name: &str| challenge.param(name).filter(|it| !it.trim().is_empty());
        let metadata = param("resource_metadata").filter(|it| Url::parse(it).is_ok());
        Self {
            metadata: metadata.map(str::to_owned),
            scope: param("scope").map(scope::parse),
            error: param("error").map(str::to_owned),
            dpop: false,
        }
    }

    /// How much it helps: where to sign in comes before why, and why before what for.
    fn weight(&self) -> (bool, bool, bool) {
        let Self {
            metadata,
            error,
            scope,
            ..
        } = self;
        (metadata.is_some(), error.is_some(), scope.is_some())
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
    use proptest::prelude::*;

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
    fn of_several_challenges_the_one_that_helps_counts() {
        const HELPFUL: &str =
            r#"Bearer error="insufficient_scope", scope="a b", resource_metadata="https://h/m""#;
        for values in [
            vec![r#"Bearer realm="x", error="invalid_token""#, HELPFUL],
            vec![HELPFUL, r#"Bearer error="invalid_token", scope="z""#],
            vec![
                "Basic, Bearer",
                r#"DPoP algs="ES256", error="invalid_token""#,
                HELPFUL,
            ],
            vec!["Bearer resource_metadata=\"\", scope=\"\"", HELPFUL],
            vec![r#"Bearer resource_metadata="/relative""#, HELPFUL],
        ] {
            for joined in [values.clone(), vec![&*values.join(", ")]] {
                let demand = Demand::read(joined.iter().copied()).unwrap();
                assert_eq!(
                    demand.metadata.as_deref(),
                    Some("https://h/m"),
                    "{joined:?}"
                );
                assert!(demand.is_insufficient_scope(), "{joined:?}");
                assert_eq!(demand.scope, Some(vec!["a".to_owned(), "b".to_owned()]));
                assert!(!demand.dpop, "{joined:?}");
            }
        }
    }

    #[test]
    fn what_one_challenge_leaves_out_another_may_say() {
        let demand = Demand::read([
            r#"Bearer realm="x", resource_metadata="https://h/m""#,
            r#"DPoP algs="ES256", error="use_dpop_nonce""#,
            r#"Bearer scope="a""#,
        ])
        .unwrap();
        assert_eq!(demand.metadata.as_deref(), Some("https://h/m"));
        assert_eq!(demand.scope, Some(vec!["a".to_owned()]));
        assert!(demand.wants_nonce());
        // The error of a scheme that is not used here must not hide that of the scheme that is.
        let both = [
            r#"DPoP error="use_dpop_nonce""#,
            r#"Bearer error="invalid_token""#,
        ];
        assert_eq!(
            Demand::read(both).unwrap().error.as_deref(),
            Some("invalid_token")
        );
        let empty = Demand::read([r#"Bearer error="", scope="  ""#]).unwrap();
        assert_eq!(empty, Demand::default());
    }

    proptest! {
        #[test]
        fn any_headers_are_read(
            values in prop::collection::vec(
                r#"((Bearer|DPoP|Basic|scope|error|resource_metadata|=|"|\\|,| |https://h/m|[^ ]){0,12})"#, 0..4
            )
        ) {
            let demand = Demand::read(values.iter().map(String::as_str));
            if let Some(demand) = demand {
                prop_assert!(demand.metadata.is_none_or(|url| Url::parse(&url).is_ok()));
                prop_assert!(demand.scope.is_none_or(|scope| !scope.is_empty()));
                prop_assert!(demand.error.is_none_or(|error| !error.is_empty()));
            }
        }
    }

    #[test]
    fn other_schemes_are_no_demand() {
        assert_eq!(Demand::read([r#"Basic realm="x""#]), None);
        assert_eq!(Demand::read([]), None);
    }
}

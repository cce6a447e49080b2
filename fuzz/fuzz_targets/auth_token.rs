//! No text is taken for a token of the issuer, a proof of a key, or an API key: nothing of what the fuzzer makes up is
//! signed, and nothing panics.
#![no_main]

use std::collections::HashMap;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use linkspan_auth::Timestamp;
use linkspan_auth::jose::{Jwk, JwkSet, Jwt};
use linkspan_auth::resource::dpop::{BoundRequest, check_proof};
use linkspan_auth::resource::{ApiKeys, Policy, PublicUrl, check, check_issuer};

const ISSUER: &str = "https://as.example";
const RESOURCE: &str = "https://h.example/mcp";
const NOW: Timestamp = Timestamp(1_800_000_000);

/// A P-256 key whose private half is unknown.
const KEY: &str = r#"{"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#;

static KEYS: LazyLock<HashMap<String, JwkSet>> = LazyLock::new(|| {
    let keys = JwkSet::parse(KEY.as_bytes()).expect("a set of keys");
    [(ISSUER.to_owned(), keys)].into()
});

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let policy = Policy::new(RESOURCE, vec![ISSUER.to_owned()]);
    assert!(check(&text, &policy, &KEYS, NOW).is_err());
    if let Ok(jwt) = Jwt::parse(&text) {
        let key = jwt.header().get("jwk").and_then(|key| key.as_object());
        let key = key.and_then(Jwk::parse);
        let url = "https://h.example/mcp".parse().expect("a URL");
        let request = BoundRequest {
            method: "POST",
            url: &url,
            token: "token",
            bound_to: &key.map(|key| key.thumbprint()).unwrap_or_default(),
        };
        let _ = check_proof(&text, request, NOW);
    }
    let _ = JwkSet::parse(input);
    if let Ok(keys) = ApiKeys::parse(input) {
        assert!(keys.find("").is_none() || !keys.is_empty());
    }
    let _ = check_issuer(&text);
    if let Ok(url) = PublicUrl::parse(&text) {
        assert!(url.metadata_path().starts_with("/.well-known/"));
    }
});

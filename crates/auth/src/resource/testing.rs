//! An issuer and its tokens, for tests.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::policy::Policy;
use crate::Timestamp;
use crate::jose::{JwkSet, SigningKey};

pub(super) const NOW: Timestamp = Timestamp(1_800_000_000);
pub(super) const ISSUER: &str = "https://as.example";
pub(super) const RESOURCE: &str = "https://h.example/mcp";

/// A key of the issuer.
pub(super) struct TestKey {
    pub(super) key: SigningKey,
    pub(super) kid: String,
}

impl TestKey {
    pub(super) fn new(kid: &str) -> Self {
        let (key, _) = SigningKey::generate();
        let kid = kid.to_owned();
        Self { key, kid }
    }

    pub(super) fn jwk(&self) -> Value {
        let mut jwk = self.key.public().unwrap().to_json();
        jwk["kid"] = self.kid.as_str().into();
        jwk
    }

    /// Signs claims under a header.
    pub(super) fn sign(&self, header: &Value, claims: &Value) -> String {
        let mut header: Map<String, Value> = header.as_object().unwrap().clone();
        header
            .entry("kid")
            .or_insert_with(|| self.kid.as_str().into());
        self.key.sign(header, claims)
    }

    /// An access token with other values for some claims; `null` leaves one out.
    pub(super) fn token(&self, changes: &Value) -> String {
        self.sign(&json!({"typ": "at+jwt"}), &claims(changes))
    }
}

/// The claims of an access token, changed.
pub(super) fn claims(changes: &Value) -> Value {
    let mut claims = json!({
        "iss": ISSUER, "aud": RESOURCE, "sub": "ada", "client_id": "editor",
        "exp": NOW.0 + 600, "iat": NOW.0, "scope": "read write",
    });
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims
        .as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    claims
}

/// The published keys.
pub(super) fn jwks(keys: &[&TestKey]) -> Value {
    let keys: Vec<Value> = keys.iter().map(|key| key.jwk()).collect();
    json!({"keys": keys})
}

pub(super) fn key_set(keys: &[&TestKey]) -> JwkSet {
    JwkSet::parse(jwks(keys).to_string().as_bytes()).unwrap()
}

pub(super) fn key_sets(keys: &[&TestKey]) -> HashMap<String, JwkSet> {
    [(ISSUER.to_owned(), key_set(keys))].into()
}

pub(super) fn policy() -> Policy {
    Policy::new(RESOURCE, vec![ISSUER.to_owned()])
}

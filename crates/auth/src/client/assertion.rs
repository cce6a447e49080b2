//! A client that signs who it is (RFC 7523 §2.2).

use std::time::Duration;

use serde_json::{Map, json};

use crate::jose::SigningKey;
use crate::{Timestamp, random};

/// The type of the assertion in a form.
pub(super) const TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// Long enough for clocks that differ, short enough to be of no use to anyone later.
const LIFETIME: Duration = Duration::from_secs(120);

/// The assertion for a token request at this issuer.
pub(super) fn client(key: &SigningKey, client_id: &str, issuer: &str, now: Timestamp) -> String {
    let mut header = Map::new();
    header.insert("typ".to_owned(), "JWT".into());
    let claims = json!({
        "iss": client_id,
        "sub": client_id,
        "aud": issuer,
        "iat": now.0,
        "exp": now.after(LIFETIME).0,
        "jti": random::token(),
    });
    key.sign(header, &claims)
}

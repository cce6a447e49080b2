//! Telling an upstream server who the caller is, without the caller's token.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::identity::Identity;
use crate::jose::{KeyError, SigningKey};
use crate::{Timestamp, random};

/// The header that carries the statement.
pub const FORWARDED_IDENTITY: &str = "linkspan-identity";
/// How long a statement holds.
const LIFE: Duration = Duration::from_secs(60);

/// Signs statements about callers: short-lived JWTs for one upstream server.
#[derive(Debug)]
pub struct IdentitySigner {
    key: SigningKey,
    /// The public key with its name.
    public: Value,
    kid: String,
}

impl IdentitySigner {
    /// Signs with a new key, which ends with the process.
    pub fn generate() -> Self {
        let (key, _) = SigningKey::generate();
        Self::new(key).expect("a generated key is on P-256")
    }

    /// Signs with a P-256 key in PEM form.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        Self::new(SigningKey::from_pem(text, None)?)
    }

    fn new(key: SigningKey) -> Result<Self, KeyError> {
        let public = key.public().ok_or(KeyError::Algorithm("ES256"))?;
        let kid = public.thumbprint();
        let mut public = public.to_json();
        public["kid"] = kid.as_str().into();
        public["alg"] = key.algorithm().name().into();
        public["use"] = "sig".into();
        Ok(Self { key, public, kid })
    }

    /// The keys that verify the statements, as a document for the upstream server.
    pub fn jwks(&self) -> Value {
        json!({"keys": [self.public]})
    }

    /// A statement about a caller: `issuer` is our own URL, `audience` that of the upstream server.
    pub fn sign(
        &self,
        identity: &Identity,
        issuer: &str,
        audience: &str,
        now: Timestamp,
    ) -> String {
        let mut claims = json!({
            "iss": issuer,
            "aud": audience,
            "sub": identity.subject,
            "sub_iss": identity.issuer,
            "scope": identity.scope(),
            "iat": now.0,
            "exp": now.after(LIFE).0,
            "jti": random::token(),
        });
        if let Some(client) = &identity.client_id {
            claims["client_id"] = client.as_str().into();
        }
        if let Some(name) = &identity.name {
            claims["name"] = name.as_str().into();
        }
        let mut header = Map::new();
        header.insert("typ".to_owned(), "linkspan-identity+jwt".into());
        header.insert("kid".to_owned(), self.kid.as_str().into());
        self.key.sign(header, &claims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jose::{JwkSet, Jwt};
    use crate::resource::{Policy, TokenError, check};

    #[test]
    fn a_statement_is_verified_by_the_published_keys_and_is_no_access_token() {
        let signer = IdentitySigner::generate();
        let identity = Identity {
            issuer: "https://as".to_owned(),
            subject: "a".to_owned(),
            client_id: Some("c".to_owned()),
            scopes: vec!["x".to_owned(), "y".to_owned()],
            name: None,
            views: Vec::new(),
        };
        let now = Timestamp(1000);
        let text = signer.sign(&identity, "https://h/mcp", "https://up/mcp", now);
        let keys = JwkSet::parse(signer.jwks().to_string().as_bytes()).unwrap();
        let jwt = Jwt::parse(&text).unwrap();
        assert!(jwt.is_signed_by(&keys.keys[0]));
        let claims = jwt.claims();
        assert_eq!(claims["sub"], "a");
        assert_eq!(claims["sub_iss"], "https://as");
        assert_eq!(claims["scope"], "x y");
        assert_eq!(claims["aud"], "https://up/mcp");
        assert_eq!(claims["exp"], 1060);
        let policy = Policy::new("https://up/mcp", vec!["https://h/mcp".to_owned()]);
        let all = [("https://h/mcp".to_owned(), keys)].into();
        let refused = check(&text, &policy, &all, now).unwrap_err();
        assert!(matches!(refused, TokenError::Type(_)), "{refused}");
    }
}

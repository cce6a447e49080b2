//! Tokens that are bound to a key of ours (RFC 9449).

use std::sync::Arc;

use serde_json::{Map, json};
use url::Url;

use crate::jose::{KeyError, SigningKey};
use crate::{Secret, Timestamp, base64url, random};

/// The key, and how it is kept.
#[derive(Debug, Clone)]
pub struct DpopKey {
    key: Arc<SigningKey>,
    der: Secret,
}

impl DpopKey {
    /// A new key.
    pub fn generate() -> Self {
        let (key, der) = SigningKey::generate();
        Self {
            key: Arc::new(key),
            der: Secret::new(base64url::encode(&der)),
        }
    }

    /// A key that was kept.
    pub fn restore(kept: &Secret) -> Result<Self, KeyError> {
        let der = base64url::decode(kept.expose()).ok_or(KeyError::NotPem)?;
        Ok(Self {
            key: Arc::new(SigningKey::from_der(&der)?),
            der: kept.clone(),
        })
    }

    /// The form to keep.
    pub fn kept(&self) -> Secret {
        self.der.clone()
    }

    /// The proof for one request: `method` and `url`, the access token if one is sent, and the server's nonce if it
    /// gave one.
    pub fn proof(
        &self,
        method: &str,
        url: &Url,
        access_token: Option<&str>,
        nonce: Option<&str>,
        now: Timestamp,
    ) -> String {
        let mut htu = url.clone();
        htu.set_query(None);
        htu.set_fragment(None);
        let mut header = Map::new();
        header.insert("typ".to_owned(), "dpop+jwt".into());
        let public = self.key.public().map(|key| key.to_json());
        header.insert("jwk".to_owned(), public.unwrap_or_default());
        let mut claims = json!({
            "jti": random::token(),
            "htm": method,
            "htu": htu.as_str(),
            "iat": now.0,
        });
        if let Some(token) = access_token {
            claims["ath"] = base64url::encode(&random::sha256(token.as_bytes())).into();
        }
        if let Some(nonce) = nonce {
            claims["nonce"] = nonce.into();
        }
        self.key.sign(header, &claims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jose::{Jwk, Jwt};

    #[test]
    fn a_proof_names_the_request_and_the_token_and_is_fresh_each_time() {
        let key = DpopKey::restore(&DpopKey::generate().kept()).unwrap();
        let url = Url::parse("https://h/mcp?x=1#y").unwrap();
        let proof = |nonce| key.proof("POST", &url, Some("token"), nonce, Timestamp(7));
        let (first, second) = (proof(None), proof(Some("n")));
        let jwt = Jwt::parse(&first).unwrap();
        assert_eq!(jwt.header()["typ"], "dpop+jwt");
        let claims = jwt.claims();
        assert_eq!(claims["htu"], "https://h/mcp");
        assert_eq!(claims["htm"], "POST");
        assert_eq!(claims["ath"], base64url::encode(&random::sha256(b"token")));
        assert_eq!(claims.get("nonce"), None);
        let public = Jwk::parse(jwt.header()["jwk"].as_object().unwrap()).unwrap();
        assert!(jwt.is_signed_by(&public));
        let again = Jwt::parse(&second).unwrap();
        assert_ne!(claims["jti"], again.claims()["jti"]);
        assert_eq!(again.claims()["nonce"], "n");
    }
}

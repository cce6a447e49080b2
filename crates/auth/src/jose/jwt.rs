//! A JSON Web Token, taken apart (RFC 7519). Nothing in it is trusted before its signature is verified.

use serde_json::{Map, Value};

use super::algorithm::Algorithm;
use super::jwk::Jwk;
use crate::base64url;

/// The longest token that is looked at.
const LONGEST: usize = 16 * 1024;

/// A text that is not a signed JWT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a signed JWT")]
pub struct NotJwt;

/// A token whose parts can be read.
#[derive(Debug, Clone)]
pub struct Jwt<'a> {
    header: Map<String, Value>,
    claims: Map<String, Value>,
    signed: &'a str,
    signature: Vec<u8>,
}

impl<'a> Jwt<'a> {
    /// Takes a token apart.
    pub fn parse(text: &'a str) -> Result<Self, NotJwt> {
        let parsed = || {
            if text.len() > LONGEST {
                return None;
            }
            let (signed, signature) = text.rsplit_once('.')?;
            let (header, claims) = signed.split_once('.')?;
            Some(Self {
                header: object(header)?,
                claims: object(claims)?,
                signed,
                signature: base64url::decode(signature)?,
            })
        };
        parsed().ok_or(NotJwt)
    }

    /// `alg`, if it is one that can be trusted.
    pub fn algorithm(&self) -> Option<Algorithm> {
        Algorithm::parse(self.header.get("alg")?.as_str()?)
    }

    /// The header.
    pub fn header(&self) -> &Map<String, Value> {
        &self.header
    }

    /// The claims, which are only what the token says before [`Jwt::is_signed_by`].
    pub fn claims(&self) -> &Map<String, Value> {
        &self.claims
    }

    /// Whether this key signed the token.
    pub fn is_signed_by(&self, key: &Jwk) -> bool {
        self.algorithm()
            .is_some_and(|alg| key.verifies(alg, self.signed.as_bytes(), &self.signature))
    }
}

fn object(part: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&base64url::decode(part)?).ok()
}

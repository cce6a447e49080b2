//! A JWT as an access token.

use std::collections::HashMap;

use super::claims::Claims;
use super::id_token;
use super::identity::Identity;
use super::policy::Policy;
use super::token_error::TokenError;
use crate::Timestamp;
use crate::jose::{Algorithm, JwkSet, Jwt};

/// A token that fits the policy as far as it can be told without the keys of its issuer. Nothing in it is trusted.
#[derive(Debug)]
pub struct UnverifiedToken<'a> {
    jwt: Jwt<'a>,
    algorithm: Algorithm,
    verified: Verified,
}

/// What a token turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Who sends it.
    pub identity: Identity,
    /// When it expires.
    pub expires: Timestamp,
    /// The thumbprint of the key that it is bound to.
    pub bound_to: Option<String>,
}

impl<'a> UnverifiedToken<'a> {
    /// Reads a token and checks everything but its signature. That comes first because a token that is refused here
    /// must not cause a fetch of keys.
    pub fn read(token: &'a str, policy: &Policy, now: Timestamp) -> Result<Self, TokenError> {
        let jwt = Jwt::parse(token).map_err(|_| TokenError::NotJwt)?;
        let algorithm = algorithm(&jwt, policy)?;
        let is_access = check_type(&jwt)?;
        let claims = Claims(jwt.claims());
        let issuer = claims.text("iss").ok_or(TokenError::Missing("iss"))?;
        if !policy.issuers.iter().any(|trusted| trusted == issuer) {
            return Err(TokenError::Issuer {
                got: issuer.to_owned(),
                want: policy.issuers.clone(),
            });
        }
        let audience = claims.check_audience(&policy.audiences)?;
        let expires = claims.check_times(now)?;
        let expires = expires.ok_or(TokenError::Missing("exp"))?;
        if !is_access && !policy.accept_id_token {
            let for_resource = audience == policy.resource;
            if let Some(evidence) = id_token::evidence(claims, for_resource) {
                return Err(TokenError::IdToken(evidence));
            }
        }
        let verified = Verified {
            identity: claims.identity(issuer, policy.subject.as_deref())?,
            expires,
            bound_to: claims.bound_to()?.map(str::to_owned),
        };
        Ok(Self {
            algorithm,
            verified,
            jwt,
        })
    }

    /// The issuer whose keys are needed; it is one of the policy.
    pub fn issuer(&self) -> &str {
        &self.verified.identity.issuer
    }

    /// When it was issued, as it says.
    pub fn issued(&self) -> Option<Timestamp> {
        let issued = self.jwt.claims().get("iat")?.as_u64();
        issued.map(Timestamp)
    }

    /// Checks the signature. [`TokenError::UnknownKey`] means that newer keys may have it.
    pub fn verify(&self, keys: &JwkSet) -> Result<Verified, TokenError> {
        let kid = self.jwt.header().get("kid").and_then(|kid| kid.as_str());
        let mut named = false;
        for key in keys.candidates(kid, self.algorithm) {
            if self.jwt.is_signed_by(key) {
                return Ok(self.verified.clone());
            }
            named |= kid.is_some() && key.kid.as_deref() == kid;
        }
        if named {
            return Err(TokenError::Signature);
        }
        Err(TokenError::UnknownKey {
            issuer: self.issuer().to_owned(),
            kid: kid.map(str::to_owned),
        })
    }
}

/// Judges a token with the keys of all issuers.
pub fn check(
    token: &str,
    policy: &Policy,
    keys: &HashMap<String, JwkSet>,
    now: Timestamp,
) -> Result<Verified, TokenError> {
    let token = UnverifiedToken::read(token, policy, now)?;
    let none = JwkSet::default();
    token.verify(keys.get(token.issuer()).unwrap_or(&none))
}

fn algorithm(jwt: &Jwt<'_>, policy: &Policy) -> Result<Algorithm, TokenError> {
    let named = jwt.header().get("alg").and_then(|alg| alg.as_str());
    let known = jwt
        .algorithm()
        .filter(|known| policy.algorithms.contains(known));
    let refused = || TokenError::Algorithm(named.unwrap_or_default().to_owned());
    let algorithm = known.ok_or_else(refused)?;
    if jwt.header().contains_key("crit") {
        return Err(TokenError::Critical);
    }
    Ok(algorithm)
}

/// Whether the header says that this is an access token; an error if it says that it is something else.
fn check_type(jwt: &Jwt<'_>) -> Result<bool, TokenError> {
    let Some(named) = jwt.header().get("typ") else {
        return Ok(false);
    };
    let named = named.as_str().unwrap_or_default();
    let lower = named.to_ascii_lowercase();
    match lower.strip_prefix("application/").unwrap_or(&lower) {
        "at+jwt" => Ok(true),
        "jwt" => Ok(false),
        _ => Err(TokenError::Type(named.to_owned())),
    }
}

#[cfg(test)]
mod tests;

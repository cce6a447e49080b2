//! Proofs of possession at the resource (RFC 9449 §4.3, §7).

use serde_json::Value;
use url::Url;

use super::expiring::{Digest, Expiring, digest};
use crate::jose::{Algorithm, Jwk, Jwt};
use crate::urls::is_loopback;
use crate::{Timestamp, base64url, random};

/// How old a proof may be, and how far ahead the clock of its client, in seconds.
const WINDOW: u64 = 60;
/// Proofs that are remembered. Beyond that the oldest is forgotten before its time.
const MOST_PROOFS: usize = 1 << 16;

/// The algorithms that proofs may be signed with.
pub(super) fn algorithms() -> Vec<&'static str> {
    Algorithm::ALL.iter().map(|one| one.name()).collect()
}

/// Why a proof is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// No `DPoP` header, or several.
    #[error("a request has exactly one DPoP header")]
    Missing,
    /// Not a signed JWT of the type `dpop+jwt`.
    #[error("the proof is not a JWT of the type dpop+jwt")]
    Type,
    /// Not a public key, or the proof is not signed by it.
    #[error("the proof is not signed by the key in its header")]
    Signature,
    /// A claim is missing or is not of its type.
    #[error("`{0}` of the proof is missing")]
    Claim(&'static str),
    /// For another method or URL.
    #[error("the proof is for another request: `{0}` differs")]
    Request(&'static str),
    /// Too old, or from the future.
    #[error("the proof is not of this minute")]
    Time,
    /// For another access token.
    #[error("the proof is for another access token")]
    Token,
    /// The token is bound to another key.
    #[error("the access token is bound to another key")]
    Key,
    /// It was used before.
    #[error("the proof was used before")]
    Replayed,
}

/// A request and the bound token that came with it.
#[derive(Clone, Copy)]
pub struct BoundRequest<'a> {
    /// The HTTP method.
    pub method: &'a str,
    /// The URL as the client knows it; its query does not count.
    pub url: &'a Url,
    /// The access token.
    pub token: &'a str,
    /// The thumbprint of the key that the token is bound to.
    pub bound_to: &'a str,
}

/// Judges a proof. The result is what tells it from all other proofs; the caller refuses one that comes twice, with
/// [`Replays`].
pub fn check_proof(
    proof: &str,
    request: BoundRequest<'_>,
    now: Timestamp,
) -> Result<Digest, ProofError> {
    let jwt = Jwt::parse(proof).map_err(|_| ProofError::Type)?;
    let header = jwt.header();
    let typ = header.get("typ").and_then(Value::as_str);
    if typ != Some("dpop+jwt") || header.contains_key("crit") {
        return Err(ProofError::Type);
    }
    let key = header.get("jwk").and_then(Value::as_object);
    let key = key.and_then(Jwk::parse).ok_or(ProofError::Signature)?;
    let text = |name: &'static str| {
        let value = jwt.claims().get(name).and_then(Value::as_str);
        value.ok_or(ProofError::Claim(name))
    };
    if text("htm")? != request.method {
        return Err(ProofError::Request("htm"));
    }
    if !is_same(text("htu")?, request.url) {
        return Err(ProofError::Request("htu"));
    }
    let issued = jwt.claims().get("iat").and_then(Value::as_f64);
    let issued = issued.ok_or(ProofError::Claim("iat"))?;
    if (issued - now.0 as f64).abs() > WINDOW as f64 {
        return Err(ProofError::Time);
    }
    let hash = base64url::encode(&random::sha256(request.token.as_bytes()));
    if text("ath")? != hash {
        return Err(ProofError::Token);
    }
    let name = text("jti")?;
    let thumbprint = key.thumbprint();
    if thumbprint != request.bound_to {
        return Err(ProofError::Key);
    }
    // Last, because it costs most.
    if !jwt.is_signed_by(&key) {
        return Err(ProofError::Signature);
    }
    Ok(digest(format!("{thumbprint}\0{name}").as_bytes()))
}

/// Whether the URL of a proof is that of the request: without query and fragment, and with all names of this machine
/// for the same host.
fn is_same(named: &str, url: &Url) -> bool {
    let Ok(named) = Url::parse(named) else {
        return false;
    };
    let same_host = named.host() == url.host() || (is_loopback(&named) && is_loopback(url));
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    same_host
        && named.scheme() == url.scheme()
        && named.port_or_known_default() == url.port_or_known_default()
        && path(&named) == path(url)
}

/// The proofs of the last minutes.
#[derive(Debug)]
pub struct Replays(Expiring<()>);

impl Default for Replays {
    fn default() -> Self {
        Self(Expiring::new(MOST_PROOFS))
    }
}

impl Replays {
    /// Notes a proof that was accepted; an error if it was noted before.
    pub fn note(&mut self, proof: Digest, now: Timestamp) -> Result<(), ProofError> {
        if self.0.get(&proof, now).is_some() {
            return Err(ProofError::Replayed);
        }
        // A proof from the future stays valid for both halves of the window.
        self.0
            .insert(proof, (), Timestamp(now.0 + 2 * WINDOW + 1), now);
        Ok(())
    }
}

#[cfg(test)]
mod tests;

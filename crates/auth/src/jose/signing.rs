//! Private keys: client assertions and DPoP proofs.

use std::fmt;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    self as sig, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair, RsaKeyPair,
};
use data_encoding::BASE64;
use serde_json::{Map, Value};

use super::algorithm::Algorithm;
use super::jwk::Jwk;
use crate::base64url;

/// Why a private key cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// No PEM block with a private key.
    #[error("there is no private key in PEM form")]
    NotPem,
    /// A key that is protected by a password.
    #[error("the private key is encrypted; decrypt it first, for example with `openssl pkcs8`")]
    Encrypted,
    /// Not a key that can sign with the algorithm.
    #[error("the private key is neither an RSA (2048 bits or more), P-256, P-384 nor Ed25519 key")]
    Unsupported,
    /// The algorithm does not fit the key.
    #[error("the private key cannot sign with {0}")]
    Algorithm(&'static str),
}

/// A private key and the algorithm that it signs with.
pub struct SigningKey {
    key: Key,
    algorithm: Algorithm,
}

enum Key {
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
    Rsa(Box<RsaKeyPair>),
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.algorithm.name())
    }
}

impl SigningKey {
    /// A new P-256 key, and its PKCS#8 form for [`SigningKey::from_der`].
    pub fn generate() -> (Self, Vec<u8>) {
        let pair = EcdsaKeyPair::generate(&sig::ECDSA_P256_SHA256_FIXED_SIGNING)
            .expect("a P-256 key can be generated");
        let der = pair.to_pkcs8v1().expect("a new key can be written");
        let der = der.as_ref().to_vec();
        let key = Self {
            key: Key::Ec(pair),
            algorithm: Algorithm::Es256,
        };
        (key, der)
    }

    /// The first private key of a PEM file, with the algorithm that fits it or the one that is named.
    pub fn from_pem(text: &str, algorithm: Option<Algorithm>) -> Result<Self, KeyError> {
        let (label, der) = pem(text).ok_or(KeyError::NotPem)?;
        if label.starts_with("ENCRYPTED") || text.contains("Proc-Type: 4,ENCRYPTED") {
            return Err(KeyError::Encrypted);
        }
        let key = Self::from_der(&der)?;
        match algorithm {
            None => Ok(key),
            Some(algorithm) => key.with(algorithm),
        }
    }

    /// A key in PKCS#8, PKCS#1 or SEC 1 form.
    pub fn from_der(der: &[u8]) -> Result<Self, KeyError> {
        let ec = |algorithm: &'static EcdsaSigningAlgorithm| {
            EcdsaKeyPair::from_pkcs8(algorithm, der)
                .or_else(|_| EcdsaKeyPair::from_private_key_der(algorithm, der))
        };
        let (key, algorithm) = if let Ok(pair) = ec(&sig::ECDSA_P256_SHA256_FIXED_SIGNING) {
            (Key::Ec(pair), Algorithm::Es256)
        } else if let Ok(pair) = ec(&sig::ECDSA_P384_SHA384_FIXED_SIGNING) {
            (Key::Ec(pair), Algorithm::Es384)
        } else if let Ok(pair) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der) {
            (Key::Ed(pair), Algorithm::EdDsa)
        } else if let Ok(pair) = RsaKeyPair::from_pkcs8(der).or_else(|_| RsaKeyPair::from_der(der))
        {
            (Key::Rsa(Box::new(pair)), Algorithm::Rs256)
        } else {
            return Err(KeyError::Unsupported);
        };
        Ok(Self { key, algorithm })
    }

    /// The same key with another algorithm.
    fn with(self, algorithm: Algorithm) -> Result<Self, KeyError> {
        let fits = match &self.key {
            Key::Rsa(_) => algorithm.is_rsa(),
            Key::Ec(_) | Key::Ed(_) => algorithm == self.algorithm,
        };
        if fits {
            Ok(Self { algorithm, ..self })
        } else {
            Err(KeyError::Algorithm(algorithm.name()))
        }
    }

    /// The algorithm that the key signs with.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The public key, for keys on P-256.
    pub fn public(&self) -> Option<Jwk> {
        match &self.key {
            Key::Ec(pair) => Jwk::p256(pair.public_key().as_ref()),
            Key::Ed(_) | Key::Rsa(_) => None,
        }
    }

    /// Signs claims. `header` is added to `alg`.
    pub fn sign(&self, header: Map<String, Value>, claims: &Value) -> String {
        let mut header = header;
        header.insert("alg".to_owned(), self.algorithm.name().into());
        let header = Value::Object(header).to_string();
        let signed = format!(
            "{}.{}",
            base64url::encode(header.as_bytes()),
            base64url::encode(claims.to_string().as_bytes())
        );
        let signature = self.signature(signed.as_bytes());
        format!("{signed}.{}", base64url::encode(&signature))
    }

    fn signature(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.key {
            Key::Ec(pair) => {
                let signature = pair.sign(&random, message);
                signature.expect("a P-256 key signs").as_ref().to_vec()
            }
            Key::Ed(pair) => pair.sign(message).as_ref().to_vec(),
            Key::Rsa(pair) => {
                let encoding: &dyn sig::RsaEncoding = match self.algorithm {
                    Algorithm::Rs384 => &sig::RSA_PKCS1_SHA384,
                    Algorithm::Rs512 => &sig::RSA_PKCS1_SHA512,
                    Algorithm::Ps256 => &sig::RSA_PSS_SHA256,
                    Algorithm::Ps384 => &sig::RSA_PSS_SHA384,
                    Algorithm::Ps512 => &sig::RSA_PSS_SHA512,
                    _ => &sig::RSA_PKCS1_SHA256,
                };
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(encoding, &random, message, &mut signature)
                    .expect("an RSA key signs into a buffer of its size");
                signature
            }
        }
    }
}

/// The label and the content of the first private key.
fn pem(text: &str) -> Option<(&str, Vec<u8>)> {
    let mut rest = text;
    loop {
        let (_, after) = rest.split_once("-----BEGIN ")?;
        let (label, body) = after.split_once("-----")?;
        let (body, end) = body.split_once("-----END ")?;
        if label.ends_with("PRIVATE KEY") {
            let is_content = |line: &&str| !line.contains(':');
            let body: String = body.lines().filter(is_content).map(str::trim).collect();
            return Some((label, BASE64.decode(body.as_bytes()).ok()?));
        }
        rest = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jose::{JwkSet, Jwt};
    use serde_json::json;

    #[test]
    fn a_token_that_a_key_signed_is_verified_by_its_public_half_only() {
        let (key, der) = SigningKey::generate();
        let token = key.sign(Map::new(), &json!({"sub": "a"}));
        let jwt = Jwt::parse(&token).unwrap();
        assert_eq!(jwt.claims()["sub"], "a");
        let public = key.public().unwrap();
        assert!(jwt.is_signed_by(&public));
        let again = SigningKey::from_der(&der).unwrap();
        assert_eq!(again.public(), Some(public));
        let (other, _) = SigningKey::generate();
        assert!(!jwt.is_signed_by(&other.public().unwrap()));
    }

    #[test]
    fn an_altered_token_is_not_signed() {
        let (key, _) = SigningKey::generate();
        let token = key.sign(Map::new(), &json!({"sub": "a"}));
        let mut parts: Vec<&str> = token.split('.').collect();
        let forged = base64url::encode(br#"{"sub":"b"}"#);
        parts[1] = &forged;
        let forged = parts.join(".");
        let jwt = Jwt::parse(&forged).unwrap();
        assert!(!jwt.is_signed_by(&key.public().unwrap()));
    }

    #[test]
    fn unsigned_and_symmetric_algorithms_are_unknown() {
        for alg in ["none", "None", "HS256", "HS512", ""] {
            assert_eq!(Algorithm::parse(alg), None, "{alg}");
        }
    }

    #[test]
    fn a_key_with_private_parts_or_for_encryption_is_not_used() {
        let (key, _) = SigningKey::generate();
        let public = key.public().unwrap().to_json();
        let with = |name: &str, value: &str| {
            let mut key = public.clone();
            key[name] = value.into();
            JwkSet::parse(json!({"keys": [key]}).to_string().as_bytes())
                .unwrap()
                .keys
                .len()
        };
        assert_eq!(with("kid", "1"), 1);
        assert_eq!(with("use", "enc"), 0);
        assert_eq!(with("d", "AAAA"), 0);
        assert_eq!(with("alg", "RS256"), 0);
        assert_eq!(with("x", "AAAA"), 0);
    }

    #[test]
    fn the_thumbprint_is_that_of_rfc_7638() {
        let key = json!({
            "kty": "RSA",
            "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
            "e": "AQAB",
            "alg": "RS256",
            "kid": "2011-04-29"
        });
        let key = Jwk::parse(key.as_object().unwrap()).unwrap();
        assert_eq!(
            key.thumbprint(),
            "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
        );
    }
}

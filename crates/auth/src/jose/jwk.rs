//! Public keys as JSON (RFC 7517).

use aws_lc_rs::signature::{RsaPublicKeyComponents, UnparsedPublicKey};
use serde_json::{Map, Value, json};

use super::algorithm::Algorithm;
use crate::{base64url, random};

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jwk {
    /// The name of the key in its set.
    pub kid: Option<String>,
    /// The only algorithm that it is for, if it says so.
    pub alg: Option<Algorithm>,
    key: Key,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
    Ec {
        curve: Curve,
        x: Vec<u8>,
        y: Vec<u8>,
    },
    Ed25519 {
        x: Vec<u8>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Curve {
    P256,
    P384,
    P521,
}

impl Curve {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "P-256" => Self::P256,
            "P-384" => Self::P384,
            "P-521" => Self::P521,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::P256 => "P-256",
            Self::P384 => "P-384",
            Self::P521 => "P-521",
        }
    }

    /// Bytes of a coordinate.
    fn size(self) -> usize {
        match self {
            Self::P256 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    fn algorithm(self) -> Algorithm {
        match self {
            Self::P256 => Algorithm::Es256,
            Self::P384 => Algorithm::Es384,
            Self::P521 => Algorithm::Es512,
        }
    }
}

impl Jwk {
    /// Reads a public key for signatures. `None` for a key of another kind or use, a key with private parts, and
    /// anything malformed.
    pub fn parse(json: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| json.get(name).and_then(Value::as_str);
        let bytes = |name: &str| base64url::decode(text(name)?);
        if json.contains_key("d") || !is_for_verifying(json) {
            return None;
        }
        let key = match text("kty")? {
            "RSA" => Key::Rsa {
                n: bytes("n")?,
                e: bytes("e")?,
            },
            "EC" => {
                let curve = Curve::parse(text("crv")?)?;
                let (x, y) = (bytes("x")?, bytes("y")?);
                let fits = x.len() == curve.size() && y.len() == curve.size();
                fits.then_some(Key::Ec { curve, x, y })?
            }
            "OKP" if text("crv")? == "Ed25519" => Key::Ed25519 { x: bytes("x")? },
            _ => return None,
        };
        let alg = match text("alg") {
            Some(name) => Some(Algorithm::parse(name)?),
            None => None,
        };
        let jwk = Self {
            kid: text("kid").map(str::to_owned),
            alg,
            key,
        };
        alg.is_none_or(|alg| jwk.fits(alg)).then_some(jwk)
    }

    /// Whether the key can be used with this algorithm.
    pub fn fits(&self, algorithm: Algorithm) -> bool {
        let by_type = match &self.key {
            Key::Rsa { .. } => algorithm.is_rsa(),
            Key::Ec { curve, .. } => curve.algorithm() == algorithm,
            Key::Ed25519 { .. } => algorithm == Algorithm::EdDsa,
        };
        by_type && self.alg.is_none_or(|own| own == algorithm)
    }

    /// Whether this key made the signature.
    pub fn verifies(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        if !self.fits(algorithm) {
            return false;
        }
        match &self.key {
            Key::Rsa { n, e } => {
                let key = RsaPublicKeyComponents { n, e };
                let parameters = algorithm.rsa();
                parameters.is_some_and(|it| key.verify(it, message, signature).is_ok())
            }
            Key::Ec { x, y, .. } => {
                let point = [&[4], x.as_slice(), y.as_slice()].concat();
                verify(algorithm, &point, message, signature)
            }
            Key::Ed25519 { x } => verify(algorithm, x, message, signature),
        }
    }

    /// A P-256 key from its uncompressed point.
    pub(super) fn p256(point: &[u8]) -> Option<Self> {
        let (x, y) = point.strip_prefix(&[4])?.split_at_checked(32)?;
        Some(Self {
            kid: None,
            alg: None,
            key: Key::Ec {
                curve: Curve::P256,
                x: x.to_vec(),
                y: y.to_vec(),
            },
        })
    }

    /// The members that a key needs, in the order of RFC 7638.
    pub fn to_json(&self) -> Value {
        let text = |bytes: &[u8]| base64url::encode(bytes);
        match &self.key {
            Key::Rsa { n, e } => json!({"e": text(e), "kty": "RSA", "n": text(n)}),
            Key::Ec { curve, x, y } => {
                json!({"crv": curve.name(), "kty": "EC", "x": text(x), "y": text(y)})
            }
            Key::Ed25519 { x } => json!({"crv": "Ed25519", "kty": "OKP", "x": text(x)}),
        }
    }

    /// The SHA-256 thumbprint (RFC 7638).
    pub fn thumbprint(&self) -> String {
        let json = self.to_json();
        let members = json.as_object().into_iter().flatten();
        // Written by hand: the order of members must not depend on a feature of serde_json.
        let mut members: Vec<(&String, &Value)> = members.collect();
        members.sort_by_key(|(name, _)| *name);
        let members: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("\"{name}\":{value}"))
            .collect();
        let canonical = format!("{{{}}}", members.join(","));
        base64url::encode(&random::sha256(canonical.as_bytes()))
    }
}

/// Whether `use` and `key_ops` (RFC 7517 §4.2, §4.3), where they are there, both allow to verify signatures.
fn is_for_verifying(json: &Map<String, Value>) -> bool {
    let allows = |name: &str, allowed: fn(&Value) -> bool| match json.get(name) {
        None | Some(Value::Null) => true,
        Some(value) => allowed(value),
    };
    let verifies = |value: &Value| {
        value
            .as_array()
            .is_some_and(|all| all.contains(&json!("verify")))
    };
    allows("use", |value| value == "sig") && allows("key_ops", verifies)
}

fn verify(algorithm: Algorithm, key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let Some(verification) = algorithm.verification() else {
        return false;
    };
    let key = UnparsedPublicKey::new(verification, key);
    key.verify(message, signature).is_ok()
}

/// Public keys of an issuer (RFC 7517 §5).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JwkSet {
    /// The keys that can be used.
    pub keys: Vec<Jwk>,
}

impl JwkSet {
    /// Keys that are used of one set, so that a hostile set costs bounded work per token.
    const MOST: usize = 64;

    /// Reads a set and leaves out keys that cannot be used. `None` if it is not a set.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let json: Value = serde_json::from_slice(text).ok()?;
        let keys = json.get("keys")?.as_array()?.iter();
        let keys = keys.filter_map(|key| Jwk::parse(key.as_object()?));
        Some(Self {
            keys: keys.take(Self::MOST).collect(),
        })
    }

    /// The keys that may have signed a token with this header.
    pub fn candidates<'a>(
        &'a self,
        kid: Option<&'a str>,
        algorithm: Algorithm,
    ) -> impl Iterator<Item = &'a Jwk> {
        self.keys.iter().filter(move |key| {
            let named = match (kid, key.kid.as_deref()) {
                (Some(wanted), Some(own)) => wanted == own,
                // A token without a name, or a key without one.
                (None, _) | (_, None) => true,
            };
            named && key.fits(algorithm)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jose::SigningKey;
    use proptest::prelude::*;
    use proptest::sample::select;

    #[test]
    fn a_key_for_other_operations_verifies_no_signature() {
        let (key, _) = SigningKey::generate();
        let parse = |name: &str, value: &Value| {
            let mut json = key.public().unwrap().to_json();
            json[name] = value.clone();
            Jwk::parse(json.as_object().unwrap())
        };
        for (name, value) in [
            ("use", json!("sig")),
            ("use", json!(null)),
            ("key_ops", json!(["verify"])),
            ("key_ops", json!(["sign", "verify"])),
            ("key_ops", json!(null)),
        ] {
            assert!(parse(name, &value).is_some(), "{name}: {value}");
        }
        for (name, value) in [
            ("use", json!("enc")),
            ("use", json!("")),
            ("use", json!(["sig"])),
            ("use", json!(1)),
            ("key_ops", json!(["encrypt"])),
            ("key_ops", json!(["wrapKey", "deriveBits"])),
            ("key_ops", json!(["sign"])),
            ("key_ops", json!([])),
            ("key_ops", json!("verify")),
            ("key_ops", json!({"verify": true})),
            ("d", json!("x")),
        ] {
            assert!(parse(name, &value).is_none(), "{name}: {value}");
        }
    }

    proptest! {
        #[test]
        fn any_object_is_read_and_verifies_nothing(
            members in prop::collection::vec((
                select(vec!["kty", "crv", "x", "y", "n", "e", "alg", "kid", "use", "key_ops"]),
                prop_oneof![
                    select(vec![
                        json!("EC"), json!("RSA"), json!("OKP"), json!("P-256"), json!("Ed25519"), json!("ES256"),
                        json!("AQAB"), json!("RS256"), json!("sig"), json!(["verify"]), json!(null), json!(7),
                    ]),
                    (select(vec![0, 1, 32, 256]), any::<u8>())
                        .prop_map(|(size, byte)| json!(base64url::encode(&vec![byte; size]))),
                ],
            ), 0..10)
        ) {
            let json: Map<String, Value> =
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            if let Some(key) = Jwk::parse(&json) {
                prop_assert_eq!(key.thumbprint().len(), 43);
                for algorithm in Algorithm::ALL {
                    prop_assert!(!key.verifies(algorithm, b"message", &[0; 64]));
                }
                let again = Jwk::parse(key.to_json().as_object().unwrap()).unwrap();
                prop_assert_eq!(again.thumbprint(), key.thumbprint());
            }
        }
    }
}

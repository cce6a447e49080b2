//! API keys: secrets that the operator gives out, of which only hashes are stored.

use std::collections::BTreeMap;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use data_encoding::HEXLOWER_PERMISSIVE;
use serde::Deserialize;

use super::expiring::digest;
use super::identity::{API_KEYS, Identity, is_plain};
use super::scopes::{ScopeError, parse_scopes};

/// The keys of a file.
///
/// ```json
/// {
///   "ci": {"hash": "sha256:9f86d0…", "scopes": ["read"]},
///   "ops": {"hash": "blake3:4878ca…", "scopes": ["read", "admin"]}
/// }
/// ```
///
/// A hash without a prefix is SHA-256, as `sha256sum` prints it.
#[derive(Clone, Default)]
pub struct ApiKeys(Vec<ApiKey>);

#[derive(Clone)]
struct ApiKey {
    algorithm: Algorithm,
    hash: [u8; 32],
    identity: Identity,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Sha256,
    Blake3,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    hash: String,
    #[serde(default)]
    scopes: Vec<String>,
    #[serde(default)]
    views: Vec<String>,
}

/// Why a file of keys cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiKeysError {
    /// Not JSON of this form.
    #[error("it is not a list of keys: {0}")]
    Form(#[from] serde_json::Error),
    /// No key at all.
    #[error("it has no keys")]
    Empty,
    /// A name that cannot be one.
    #[error("`{0}` cannot be the name of a key")]
    Name(String),
    /// Neither of the two hashes.
    #[error("the hash of `{0}` is neither SHA-256 nor BLAKE3 in hex")]
    Hash(String),
    /// A scope that OAuth does not allow.
    #[error("key `{name}`: {error}")]
    Scope {
        /// The key.
        name: String,
        /// What is wrong.
        error: ScopeError,
    },
    /// Two names for the same key: the caller could not be told.
    #[error("`{0}` and `{1}` have the same hash")]
    Same(String, String),
}

impl std::fmt::Debug for ApiKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ApiKeys({})", self.0.len())
    }
}

impl ApiKeys {
    /// Reads the text of a file.
    pub fn parse(text: &[u8]) -> Result<Self, ApiKeysError> {
        let entries: BTreeMap<String, Entry> = serde_json::from_slice(text)?;
        if entries.is_empty() {
            return Err(ApiKeysError::Empty);
        }
        let mut keys: Vec<ApiKey> = Vec::new();
        for (name, entry) in entries {
            let key = ApiKey::new(name, entry)?;
            let same = |one: &&ApiKey| one.algorithm == key.algorithm && one.hash == key.hash;
            if let Some(other) = keys.iter().find(same) {
                let other = other.identity.subject.clone();
                return Err(ApiKeysError::Same(other, key.identity.subject));
            }
            keys.push(key);
        }
        Ok(Self(keys))
    }

    /// Whose key it is. Takes as long for each key, right or wrong.
    pub fn find(&self, key: &str) -> Option<&Identity> {
        let sha256 = digest(key.as_bytes());
        let needs_blake3 = self.0.iter().any(|one| one.algorithm == Algorithm::Blake3);
        let blake3 = needs_blake3.then(|| *blake3::hash(key.as_bytes()).as_bytes());
        let mut found = None;
        for one in &self.0 {
            let hash = match one.algorithm {
                Algorithm::Sha256 => &sha256,
                Algorithm::Blake3 => blake3.as_ref().unwrap_or(&sha256),
            };
            if verify_slices_are_equal(hash, &one.hash).is_ok() {
                found = Some(&one.identity);
            }
        }
        found
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl ApiKey {
    fn new(name: String, entry: Entry) -> Result<Self, ApiKeysError> {
        if !is_plain(&name) {
            return Err(ApiKeysError::Name(name.escape_debug().to_string()));
        }
        let Some((algorithm, hash)) = read_hash(&entry.hash) else {
            return Err(ApiKeysError::Hash(name));
        };
        let scopes = parse_scopes(&entry.scopes.join(" "));
        let scopes = scopes.map_err(|error| ApiKeysError::Scope {
            name: name.clone(),
            error,
        })?;
        let identity = Identity {
            issuer: API_KEYS.to_owned(),
            name: Some(name.clone()),
            subject: name,
            client_id: None,
            scopes,
            views: entry.views,
        };
        Ok(Self {
            algorithm,
            hash,
            identity,
        })
    }
}

fn read_hash(text: &str) -> Option<(Algorithm, [u8; 32])> {
    let (algorithm, hex) = match text.split_once(':') {
        Some(("sha256", hex)) => (Algorithm::Sha256, hex),
        Some(("blake3", hex)) => (Algorithm::Blake3, hex),
        Some(_) => return None,
        None => (Algorithm::Sha256, text),
    };
    let bytes = HEXLOWER_PERMISSIVE.decode(hex.as_bytes()).ok()?;
    Some((algorithm, bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn hex(bytes: &[u8]) -> String {
        HEXLOWER_PERMISSIVE.encode(bytes)
    }

    #[test]
    fn a_key_is_found_by_either_hash() {
        let blake3 = hex(blake3::hash(b"two").as_bytes());
        let file = json!({
            "one": {"hash": hex(&digest(b"one")), "scopes": ["a", "b"], "views": ["v"]},
            "two": {"hash": format!("blake3:{blake3}")},
            "three": {"hash": format!("sha256:{}", hex(&digest(b"three")).to_uppercase())},
        });
        let keys = ApiKeys::parse(file.to_string().as_bytes()).unwrap();
        let found = keys.find("one").unwrap();
        assert_eq!(
            (found.issuer.as_str(), found.subject.as_str()),
            (API_KEYS, "one")
        );
        assert_eq!(found.scope(), "a b");
        assert_eq!(found.views, ["v"]);
        assert_eq!(keys.find("two").unwrap().subject, "two");
        assert_eq!(keys.find("three").unwrap().subject, "three");
        for wrong in ["", "One", "one ", "four", &hex(&digest(b"one"))] {
            assert_eq!(keys.find(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_file_with_a_mistake_is_refused_as_a_whole() {
        let hash = hex(&digest(b"k"));
        for (file, told) in [
            (json!({}), "it has no keys"),
            (json!([]), "it is not a list of keys"),
            (json!({"a": {}}), "missing field `hash`"),
            (json!({"a": {"hash": "k"}}), "neither SHA-256 nor BLAKE3"),
            (
                json!({"a": {"hash": format!("md5:{hash}")}}),
                "neither SHA-256",
            ),
            (
                json!({"a": {"hash": &hash, "scope": "x"}}),
                "unknown field `scope`",
            ),
            (json!({"a": {"hash": &hash, "scopes": ["\""]}}), "key `a`"),
            (json!({"a\n": {"hash": &hash}}), "cannot be the name"),
            (json!({"": {"hash": &hash}}), "cannot be the name"),
            (
                json!({"a": {"hash": &hash}, "b": {"hash": &hash}}),
                "the same hash",
            ),
        ] {
            let error = ApiKeys::parse(file.to_string().as_bytes()).unwrap_err();
            assert!(error.to_string().contains(told), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_file_is_read_or_refused(text in ".{0,200}") {
            let _ = ApiKeys::parse(text.as_bytes());
        }
    }
}

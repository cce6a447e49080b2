//! Secrets of declarations, and proofs that a side knows one.

use data_encoding::HEXLOWER;

/// 256 random bits as hexadecimal digits, which the agent gets.
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new() -> Option<Self> {
        nonce().map(Self)
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    pub(crate) fn key(&self) -> Key {
        Key::of(&self.0)
    }

    /// The first half, for names that have to be unique but not secret.
    pub(crate) fn short(&self) -> &str {
        &self.0[..32]
    }
}

/// The hash of a secret. Comparisons take constant time.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key(blake3::Hash);

impl Key {
    pub(crate) fn of(secret: &str) -> Self {
        Self(blake3::hash(secret.as_bytes()))
    }
}

/// 256 random bits as hexadecimal digits.
pub(crate) fn nonce() -> Option<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).ok()?;
    Some(HEXLOWER.encode(&bytes))
}

/// The client's proof that it knows the secret.
pub(crate) fn client_proof(key: &Key, server: &str, client: &str) -> blake3::Hash {
    proof(key, "linkspan mcp client", server, client)
}

/// The conductor's proof that it knows the secret.
pub(crate) fn server_proof(key: &Key, server: &str, client: &str) -> blake3::Hash {
    proof(key, "linkspan mcp conductor", server, client)
}

fn proof(key: &Key, role: &str, server: &str, client: &str) -> blake3::Hash {
    let text = format!("{role}\n{server}\n{client}\n");
    blake3::keyed_hash(key.0.as_bytes(), text.as_bytes())
}

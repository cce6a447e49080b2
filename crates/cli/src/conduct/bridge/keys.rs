//! Secrets: one for each declaration, shown on a private socket, or proven over TCP.
//!
//! Over TCP anybody may stand at the other end: a program that took the port of a conductor which has
//! ended, or one that looks for open ports. So nobody shows the secret there; each side proves that it
//! knows it by a keyed hash over two numbers that were chosen for this connection.

use std::fmt::Write;

/// 256 bits that nobody can guess, as the agent is given them.
pub(super) struct Secret(String);

impl Secret {
    pub(super) fn new() -> Option<Self> {
        nonce().map(|bytes| Self(hex(&bytes)))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    pub(super) fn key(&self) -> Key {
        Key::of(&self.0)
    }

    /// Half of it, for what need not be secret as well.
    pub(super) fn short(&self) -> &str {
        &self.0[..32]
    }
}

/// What is kept of a secret. Comparing two takes the same time whatever they are.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key(blake3::Hash);

impl Key {
    pub(crate) fn of(secret: &str) -> Self {
        Self(blake3::hash(secret.as_bytes()))
    }
}

/// 256 random bits.
pub(crate) fn nonce() -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).ok().map(|()| bytes)
}

/// What the client says to show that it knows the secret.
pub(crate) fn proof_of_client(key: &Key, server: &str, client: &str) -> blake3::Hash {
    proof(key, "linkspan mcp client", server, client)
}

/// What the conductor says to show the same.
pub(crate) fn proof_of_server(key: &Key, server: &str, client: &str) -> blake3::Hash {
    proof(key, "linkspan mcp conductor", server, client)
}

fn proof(key: &Key, who: &str, server: &str, client: &str) -> blake3::Hash {
    let text = format!("{who}\n{server}\n{client}\n");
    blake3::keyed_hash(key.0.as_bytes(), text.as_bytes())
}

/// As hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

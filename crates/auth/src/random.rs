//! Random values and hashes.

use aws_lc_rs::{digest, rand};

use crate::base64url;

/// `N` bytes that cannot be predicted.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::fill(&mut bytes).expect("the system has random numbers");
    bytes
}

/// 256 random bits as text that needs no escaping in a URL.
pub(crate) fn token() -> String {
    base64url::encode(&bytes::<32>())
}

/// The SHA-256 of some bytes.
pub fn sha256(bytes: &[u8]) -> Vec<u8> {
    digest::digest(&digest::SHA256, bytes).as_ref().to_vec()
}

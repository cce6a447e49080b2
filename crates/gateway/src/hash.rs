//! Short hashes that are part of names.

use linkspan_wire::quote;

/// Characters of a short hash: 30 bits.
const LENGTH: usize = 6;
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// A hash of these texts as six characters of `a-z` and `2-7`, the same on every machine.
pub(crate) fn short(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        // A quoted text shows where it ends.
        hasher.update(quote(part).as_bytes());
    }
    let bytes = hasher.finalize();
    let bits = bytes
        .as_bytes()
        .first_chunk()
        .map_or(0, |b| u64::from_be_bytes(*b));
    let char_at = |i: usize| char::from(ALPHABET[(bits >> (5 * i)) as usize & 31]);
    (0..LENGTH).map(char_at).collect()
}

/// Whether a text ends like one that was shortened: in a hyphen and a hash.
pub(crate) fn is_at_the_end_of(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(start) = bytes.len().checked_sub(LENGTH + 1) else {
        return false;
    };
    bytes[start] == b'-' && bytes[start + 1..].iter().all(|b| ALPHABET.contains(b))
}

//! Digests of values whose parts must not run into each other.

use std::fmt;

/// A blake3 digest; its text is 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of one text.
    pub fn of(text: &str) -> Self {
        Self(blake3::hash(text.as_bytes()).into())
    }

    /// Reads 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text)
            .ok()
            .map(|hash| Self(hash.into()))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", blake3::Hash::from(self.0))
    }
}

/// Digests a series of fields; each is preceded by its length.
pub(crate) struct Fields(blake3::Hasher);

impl Fields {
    /// The purpose keeps equal fields of different things apart.
    pub(crate) fn new(purpose: &str) -> Self {
        let mut fields = Self(blake3::Hasher::new());
        fields.text(purpose);
        fields
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.update(text.as_bytes());
    }

    pub(crate) fn count(&mut self, count: usize) {
        self.0.update(&(count as u64).to_le_bytes());
    }

    pub(crate) fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_run_into_each_other() {
        let of = |parts: &[&str]| {
            let mut fields = Fields::new("x");
            parts.iter().for_each(|part| fields.text(part));
            fields.finish()
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["a"]), of(&["a", ""]));
    }

    #[test]
    fn a_digest_is_read_from_its_text() {
        let digest = Digest::of("x");
        assert_eq!(Digest::from_hex(&digest.to_string()), Some(digest));
        assert_eq!(Digest::from_hex("é"), None);
    }
}

//! The key of the store, and where it is kept.

use std::fmt;

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};
use zeroize::Zeroizing;

use crate::{Secret, base64url, random};

/// Where the key of the store comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KeySource {
    /// This key: 32 bytes as base64 or as hexadecimal digits.
    Given(Secret),
    /// The keyring of the system, and nothing else.
    Keyring,
    /// The file `key` beside the store, and nothing else.
    File,
    /// Where the store says that its key is. For a new store the keyring if it answers, else the file.
    #[default]
    Auto,
}

/// Where the key of a store is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// The caller has it.
    Given,
    /// An item of the system's keyring.
    Keyring,
    /// The file `key` beside the store: protected by the mode of the file alone.
    File,
}

impl KeyPlace {
    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Given => 0,
            Self::Keyring => 1,
            Self::File => 2,
        }
    }

    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        let all = [Self::Given, Self::Keyring, Self::File];
        all.into_iter().find(|place| place.byte() == byte)
    }
}

impl fmt::Display for KeyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Given => "the key that was given (LINKSPAN_STORE_KEY)",
            Self::Keyring => "the key in the OS keyring",
            Self::File => "the key in the file `key` beside it",
        })
    }
}

/// 256 bits.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Key(Zeroizing<[u8; 32]>);

/// A part of the key's hash, from which the key cannot be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyId(pub(super) [u8; Self::LENGTH]);

impl KeyId {
    pub(super) const LENGTH: usize = 8;
}

impl Key {
    pub(super) fn generate() -> Self {
        Self(Zeroizing::new(random::bytes()))
    }

    /// `None` if the text is not a key.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().as_bytes();
        // Hexadecimal digits are base64 as well, but of 48 bytes.
        let encodings = [
            HEXLOWER_PERMISSIVE,
            BASE64,
            BASE64_NOPAD,
            BASE64URL,
            BASE64URL_NOPAD,
        ];
        encodings.iter().find_map(|encoding| {
            let bytes = Zeroizing::new(encoding.decode(text).ok()?);
            let bytes = <[u8; 32]>::try_from(bytes.as_slice()).ok()?;
            Some(Self(Zeroizing::new(bytes)))
        })
    }

    /// The form in which it is kept: text, because the wallet of KDE keeps no other bytes.
    pub(super) fn text(&self) -> Secret {
        Secret::new(base64url::encode(&*self.0))
    }

    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(super) fn id(&self) -> KeyId {
        let hash = random::sha256(&*self.0);
        let id = hash.first_chunk().expect("a SHA-256 has 32 bytes");
        KeyId(*id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_in_every_usual_form() {
        let key = Key::generate();
        let bytes = key.bytes();
        let forms = [
            key.text().expose().to_owned(),
            BASE64.encode(bytes),
            BASE64URL.encode(bytes),
            HEXLOWER_PERMISSIVE.encode(bytes),
            format!("  {}\n", HEXLOWER_PERMISSIVE.encode(bytes).to_uppercase()),
        ];
        for form in forms {
            assert!(Key::parse(&form) == Some(key.clone()));
        }
    }

    #[test]
    fn a_text_of_another_length_is_not_a_key() {
        for text in [
            "",
            "password",
            &BASE64.encode(&[1; 31]),
            &BASE64.encode(&[1; 33]),
        ] {
            assert!(Key::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn every_place_has_its_byte() {
        for place in [KeyPlace::Given, KeyPlace::Keyring, KeyPlace::File] {
            assert_eq!(KeyPlace::from_byte(place.byte()), Some(place));
        }
        assert_eq!(KeyPlace::from_byte(3), None);
    }
}

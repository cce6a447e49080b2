//! The encrypted form of the store.
//!
//! | bytes | content |
//! |---|---|
//! | 1 | version of this form: 1 |
//! | 1 | where the key was kept when the file was written |
//! | 8 | id of the key, to tell a wrong key from damage |
//! | 12 | nonce |
//! | … | AES-256-GCM of the JSON text; the first two rows and the id are authenticated with it |
//!
//! Nonces are random. With 96 bits one key serves 2³² writes before a repetition becomes more likely than 2⁻³³.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use zeroize::Zeroizing;

use super::key::{Key, KeyId, KeyPlace};

const VERSION: u8 = 1;
const HEADER: usize = 2 + KeyId::LENGTH;

/// What can be read without the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) place: KeyPlace,
    pub(super) key: KeyId,
}

/// Why a file cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    Damaged,
    Newer,
}

impl Header {
    pub(super) fn of(file: &[u8]) -> Result<Self, Unreadable> {
        let (&version, rest) = file.split_first().ok_or(Unreadable::Damaged)?;
        if version > VERSION {
            return Err(Unreadable::Newer);
        }
        let (&place, rest) = rest.split_first().ok_or(Unreadable::Damaged)?;
        let id = rest.first_chunk().ok_or(Unreadable::Damaged)?;
        let place = KeyPlace::from_byte(place).ok_or(Unreadable::Damaged)?;
        if version != VERSION {
            return Err(Unreadable::Damaged);
        }
        let key = KeyId(*id);
        Ok(Self { place, key })
    }

    fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[0] = VERSION;
        bytes[1] = self.place.byte();
        bytes[2..].copy_from_slice(&self.key.0);
        bytes
    }
}

/// Encrypts a text.
pub(super) fn seal(key: &Key, place: KeyPlace, mut text: Zeroizing<Vec<u8>>) -> Vec<u8> {
    let header = Header {
        place,
        key: key.id(),
    };
    let header = header.bytes();
    let nonce = cipher(key)
        .seal_in_place_append_tag(Aad::from(header), &mut *text)
        .expect("16 MiB are less than AES-GCM can encrypt");
    [&header[..], nonce.as_ref(), &text].concat()
}

/// Decrypts a file.
pub(super) fn open(key: &Key, file: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unreadable> {
    let header = Header::of(file)?.bytes();
    let (nonce, sealed) = file[HEADER..]
        .split_first_chunk::<NONCE_LEN>()
        .ok_or(Unreadable::Damaged)?;
    let mut text = Zeroizing::new(sealed.to_vec());
    let length = cipher(key)
        .open_in_place(Nonce::from(nonce), Aad::from(header), &mut text)
        .map_err(|_| Unreadable::Damaged)?
        .len();
    text.truncate(length);
    Ok(text)
}

fn cipher(key: &Key) -> RandomizedNonceKey {
    RandomizedNonceKey::new(&AES_256_GCM, key.bytes()).expect("a key has 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sealed(key: &Key, text: &[u8]) -> Vec<u8> {
        seal(key, KeyPlace::File, Zeroizing::new(text.to_vec()))
    }

    #[test]
    fn a_file_of_a_later_version_is_not_taken_for_a_damaged_one() {
        let key = Key::generate();
        let mut file = sealed(&key, b"{}");
        file[0] = VERSION + 1;
        assert_eq!(open(&key, &file).unwrap_err(), Unreadable::Newer);
    }

    #[test]
    fn two_files_with_the_same_content_differ() {
        let key = Key::generate();
        let (one, other) = (sealed(&key, b"text"), sealed(&key, b"text"));
        assert_ne!(one[HEADER..], other[HEADER..]);
    }

    proptest! {
        #[test]
        fn what_is_sealed_is_opened_again(text in prop::collection::vec(any::<u8>(), 0..2000)) {
            let key = Key::generate();
            let file = sealed(&key, &text);
            prop_assert_eq!(Header::of(&file).unwrap(), Header { place: KeyPlace::File, key: key.id() });
            prop_assert_eq!(&**open(&key, &file).unwrap(), &text[..]);
        }

        #[test]
        fn a_file_with_one_changed_bit_is_not_opened(
            text in prop::collection::vec(any::<u8>(), 0..200),
            at in any::<prop::sample::Index>(),
            bit in 0..8_u8,
        ) {
            let key = Key::generate();
            let mut file = sealed(&key, &text);
            let at = at.index(file.len());
            file[at] ^= 1 << bit;
            prop_assert!(open(&key, &file).is_err());
        }

        #[test]
        fn a_file_that_was_cut_off_is_not_opened(
            text in prop::collection::vec(any::<u8>(), 0..200),
            at in any::<prop::sample::Index>(),
        ) {
            let key = Key::generate();
            let file = sealed(&key, &text);
            let cut = &file[..at.index(file.len())];
            prop_assert_eq!(open(&key, cut).unwrap_err(), Unreadable::Damaged);
        }

        #[test]
        fn a_file_of_another_key_is_not_opened(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let file = sealed(&Key::generate(), &text);
            prop_assert!(open(&Key::generate(), &file).is_err());
        }

        #[test]
        fn any_bytes_are_read(file in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert!(open(&Key::generate(), &file).is_err());
        }
    }
}

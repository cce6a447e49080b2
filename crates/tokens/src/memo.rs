//! Caches the token counts of short pieces.
//!
//! Words repeat within a text. The table has a fixed size; a piece that hashes to an occupied slot replaces its
//! content. A slot contains the piece itself, so collisions cannot give wrong counts.

/// The longest cached piece in bytes.
pub(crate) const LONGEST: usize = 15;

/// Half a megabyte: enough for the distinct words of a megabyte of code, and small enough for the cache of a core.
const PLACES: usize = 1 << 15;
/// The last byte of a slot has the length in its upper half and the number of tokens in its lower half.
const COUNT: u128 = 0xf << 120;

pub(crate) struct Memo(Box<[u128]>);

impl Memo {
    pub(crate) fn new() -> Self {
        Self(vec![0; PLACES].into_boxed_slice())
    }

    /// The number of tokens of a piece of 1 to [`LONGEST`] bytes: the cached count, or the result of `count`.
    #[inline]
    pub(crate) fn count(&mut self, key: Key, count: impl FnOnce() -> usize) -> u64 {
        let place = &mut self.0[key.place()];
        if *place & !COUNT != key.0 {
            // A piece has at most as many tokens as bytes, so the count fits.
            *place = key.0 | ((count() as u128) << 120) & COUNT;
        }
        ((*place & COUNT) >> 120) as u64
    }
}

/// A short piece as a number: its bytes and its length.
#[derive(Clone, Copy)]
pub(crate) struct Key(u128);

impl Key {
    /// The piece of `length` bytes at `at`.
    #[inline]
    pub(crate) fn new(bytes: &[u8], at: usize, length: usize) -> Self {
        let word = match bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()) {
            Some(chunk) => u128::from_le_bytes(*chunk),
            None => near_the_end(bytes.get(at..).unwrap_or_default()),
        };
        let bytes = word & ((1 << (8 * length)) - 1);
        Self(bytes | (length as u128) << 124)
    }

    #[inline]
    fn place(self) -> usize {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        let mixed = (low ^ high.rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - PLACES.trailing_zeros())) as usize % PLACES
    }
}

#[cold]
fn near_the_end(rest: &[u8]) -> u128 {
    let mut chunk = [0; 16];
    for (to, from) in chunk.iter_mut().zip(rest) {
        *to = *from;
    }
    u128::from_le_bytes(chunk)
}

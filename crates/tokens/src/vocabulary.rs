//! The vocabularies, packed: which two tokens merge into which.
//!
//! A token is a byte or the merge of two tokens, and its number is its rank: lower ranks merge first. So the list of
//! merges in the order of their ranks is a whole vocabulary. `cargo xtask vocabulary` writes the files in `data`.

use std::sync::LazyLock;

use crate::merges::{Merges, Token};

/// The merges of o200k, unpacked on first use.
pub(crate) static O200K: LazyLock<Merges> =
    LazyLock::new(|| unpack(include_bytes!("../data/o200k.zst")));

/// The merges of cl100k, unpacked on first use.
pub(crate) static CL100K: LazyLock<Merges> =
    LazyLock::new(|| unpack(include_bytes!("../data/cl100k.zst")));

/// More than the size of either list.
const MOST: usize = 2 << 20;
const BYTES: usize = 256;
/// The bytes of a token's number, each in a plane of its own: all high bytes are before all middle ones.
const PLANES: usize = 3;

/// The bytes in the order of their ranks, then three planes of the left halves of all merges, then three of the right.
fn unpack(packed: &[u8]) -> Merges {
    let list = zstd::bulk::decompress(packed, MOST).expect("the list is ours and whole");
    let (bytes, halves) = list.split_at(BYTES);
    let (left, right) = halves.split_at(halves.len() / 2);
    let count = left.len() / PLANES;
    let token = |planes: &[u8], at: usize| {
        (0..PLANES).fold(0, |token: Token, plane| {
            token << 8 | Token::from(planes[plane * count + at])
        })
    };
    let halves: Vec<_> = (0..count)
        .map(|at| (token(left, at), token(right, at)))
        .collect();
    Merges::new(bytes, &halves)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use bpe_openai::Tokenizer;

    use super::*;

    /// Every token of the published vocabulary, by the merges that make it.
    fn same(ours: &Merges, published: &Tokenizer) {
        let bpe = &published.bpe;
        let mut numbers = HashMap::new();
        for number in 0..bpe.num_tokens() as Token {
            let text = bpe.token_bytes(number);
            numbers.insert(text, number);
            assert_eq!(crate::pieces::tokens(ours, text), [number], "{text:?}");
        }
        assert_eq!(ours.len() + BYTES, numbers.len());
    }

    #[test]
    fn every_token_of_the_published_vocabularies_is_the_merge_of_its_bytes() {
        same(&O200K, bpe_openai::o200k_base());
        same(&CL100K, bpe_openai::cl100k_base());
    }
}

//! Counts the tokens of a text: cuts it into pieces and adds up their tokens.

use bpe_openai::byte_pair_encoding::BytePairEncoding;
use parking_lot::Mutex;

use crate::classes::Classes;
use crate::memo::{Key, LONGEST, Memo};

/// Recent counts of a vocabulary: a memo for each thread that counts at the same time.
pub(crate) struct Memos(Mutex<Vec<Memo>>);

/// The most idle memos that are retained.
const SPARE: usize = 4;

/// From this length on, counting a piece stops early at the limit.
const LONG: usize = 4 << 10;

impl Memos {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The number of tokens of a text, if it does not exceed `limit`. `piece` returns the end of the piece at an
    /// offset.
    #[inline]
    pub(crate) fn count(
        &self,
        bpe: &BytePairEncoding,
        piece: impl Fn(Classes<'_>, usize) -> usize,
        text: &str,
        limit: u64,
    ) -> Option<u64> {
        let spare = || self.0.lock();
        let mut memo = spare().pop().unwrap_or_else(Memo::new);
        let count = count(&mut memo, bpe, piece, text, limit);
        let mut spare = spare();
        if spare.len() < SPARE {
            spare.push(memo);
        }
        count
    }
}

#[inline]
fn count(
    memo: &mut Memo,
    bpe: &BytePairEncoding,
    piece: impl Fn(Classes<'_>, usize) -> usize,
    text: &str,
    limit: u64,
) -> Option<u64> {
    let classes = Classes::of(text);
    let bytes = text.as_bytes();
    let (mut at, mut sum) = (0, 0);
    while at < bytes.len() {
        let end = piece(classes, at);
        let length = end - at;
        sum += if length <= LONGEST {
            memo.count(Key::new(bytes, at, length), || bpe.count(&bytes[at..end]))
        } else {
            long(bpe, &bytes[at..end], limit - sum)?
        };
        if sum > limit {
            return None;
        }
        at = end;
    }
    Some(sum)
}

/// The tokens of a long piece; for a very long one, `None` if they exceed `limit`.
fn long(bpe: &BytePairEncoding, piece: &[u8], limit: u64) -> Option<u64> {
    if piece.len() < LONG {
        return Some(bpe.count(piece) as u64);
    }
    // As more of a piece becomes known, its first tokens may merge, but never this many.
    let enough = usize::try_from(limit)
        .unwrap_or(usize::MAX)
        .saturating_add(LONG);
    Some(bpe.count_till_limit(piece, enough)? as u64)
}

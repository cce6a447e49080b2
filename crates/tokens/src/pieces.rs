//! Byte-pair encoding: counts the tokens of a piece.
//!
//! As long as two neighbours merge, the pair with the lowest rank does, the leftmost of them first. A window of
//! [`WINDOW`] bytes is merged in arrays on the stack. A longer piece is encoded by windows that overlap (`long`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::merges::{BITS, Merges, NONE, Token};

/// The longest token in bytes.
const LONGEST: usize = 128;

/// The bytes that are merged at once.
const WINDOW: usize = 2 * LONGEST;
const BLOCK: usize = 16;
const BLOCKS: usize = WINDOW / BLOCK;

/// The tokens of a window are used up to here; behind it, they may depend on what follows.
const SURE: usize = WINDOW - LONGEST / 2;

/// The number of tokens of a piece, if it does not exceed `limit`.
pub(crate) fn count(window: &mut Window, merges: &Merges, piece: &[u8], limit: u64) -> Option<u64> {
    if piece.len() > WINDOW {
        return long(window, merges, piece, limit);
    }
    Some(short(window, merges, piece) as u64).filter(|count| *count <= limit)
}

/// The number of tokens of a piece that fits into a window.
pub(crate) fn short(window: &mut Window, merges: &Merges, piece: &[u8]) -> usize {
    match piece.len() {
        0 | 1 => piece.len(),
        _ => window.merge(merges, piece),
    }
}

/// The tokens of a piece that fits into a window.
#[cfg(test)]
pub(crate) fn tokens(merges: &Merges, piece: &[u8]) -> Vec<Token> {
    let mut window = Window::new();
    window.merge(merges, piece);
    let starts = window.starts(piece.len());
    starts.map(|start| window.tokens[start]).collect()
}

/// A piece longer than a window. The tokens of a prefix that ends between two tokens are the first tokens of the
/// whole, so windows follow each other from one of these ends to the next. The next window confirms that a window was
/// left at such an end: if it begins with the token that the window before had there, the tokens at both sides of the
/// end are neighbours in an encoding, and so in every text. Otherwise (not seen with the real vocabularies) the piece
/// is encoded as a whole.
fn long(window: &mut Window, merges: &Merges, piece: &[u8], limit: u64) -> Option<u64> {
    let (mut at, mut sum) = (0, 0);
    let mut expected = None;
    loop {
        let rest = &piece[at..];
        let count = window.merge(merges, &rest[..rest.len().min(WINDOW)]) as u64;
        if expected.is_some_and(|token| token != window.tokens[0]) {
            return Some(whole(merges, piece)).filter(|count| *count <= limit);
        }
        if rest.len() <= WINDOW {
            return Some(sum + count).filter(|sum| *sum <= limit);
        }
        if sum > limit {
            return None;
        }
        let (mut end, mut used) = (0, 0);
        for start in window
            .starts(WINDOW)
            .skip(1)
            .take_while(|start| *start <= SURE)
        {
            end = start;
            used += 1;
        }
        if used == 0 {
            return Some(whole(merges, piece)).filter(|count| *count <= limit);
        }
        at += end;
        sum += used;
        expected = Some(window.tokens[end]);
    }
}

/// The tokens of a part of a text while neighbours merge. Each is at the index of its first byte.
pub(crate) struct Window {
    tokens: [Token; WINDOW],
    lengths: [u8; WINDOW],
    /// Where the previous token begins.
    before: [u8; WINDOW],
    /// For each token the rank of its merge with the next one, above its index: the least of them is the next merge.
    /// Signed, because older processors compare vectors of signed numbers only.
    ranks: [[i32; BLOCK]; BLOCKS],
    /// The least rank of each block.
    least: [i32; BLOCKS],
}

const INDEX: u32 = WINDOW.trailing_zeros();
const _: () = assert!(BITS + INDEX < i32::BITS && INDEX == u8::BITS);

impl Window {
    pub(crate) fn new() -> Self {
        Self {
            tokens: [0; WINDOW],
            lengths: [1; WINDOW],
            before: [0; WINDOW],
            ranks: [[rank(NONE, 0); BLOCK]; BLOCKS],
            least: [rank(NONE, 0); BLOCKS],
        }
    }

    /// Merges a text of 1 to [`WINDOW`] bytes, and returns the number of its tokens.
    fn merge(&mut self, merges: &Merges, text: &[u8]) -> usize {
        let length = text.len();
        let blocks = length.div_ceil(BLOCK);
        let mut count = self.load(merges, text);
        loop {
            let least = self.least[..blocks]
                .iter()
                .fold(i32::MAX, |least, rank| least.min(*rank));
            let token = (least >> INDEX) as Token;
            if token == NONE {
                return count;
            }
            let at = (least & (WINDOW as i32 - 1)) as usize;
            let right = at + usize::from(self.lengths[at]);
            let end = right + usize::from(self.lengths[right]);
            self.tokens[at] = token;
            self.lengths[at] = (end - at) as u8;
            count -= 1;
            let block = at / BLOCK;
            if end < length {
                self.before[end] = at as u8;
                self.ranks[block][at % BLOCK] = rank(merges.of(token, self.tokens[end]), at);
            } else {
                self.ranks[block][at % BLOCK] = rank(NONE, at);
            }
            self.change(right, NONE);
            if at > 0 {
                let before = usize::from(self.before[at]);
                self.change(before, merges.of(self.tokens[before], token));
            }
            self.least[block] = lowest(&self.ranks[block]);
        }
    }

    /// The tokens before the first merge: bytes, or characters whose bytes always merge first. Returns their number.
    fn load(&mut self, merges: &Merges, text: &[u8]) -> usize {
        let (mut at, mut count) = (0, 0);
        // The previous token, and the byte if it is one.
        let mut last: Option<(usize, Token, Option<u8>)> = None;
        self.ranks[..text.len().div_ceil(BLOCK)].fill([rank(NONE, 0); BLOCK]);
        while at < text.len() {
            let byte = text[at];
            let whole = if byte.is_ascii() {
                None
            } else {
                merges.whole_char(text, at)
            };
            let (token, length) = whole.unwrap_or((merges.byte(byte), 1));
            let byte = (length == 1).then_some(byte);
            if let Some((before, left, left_byte)) = last {
                let merge = match (left_byte, byte) {
                    (Some(left), Some(right)) => merges.of_bytes(left, right),
                    _ => merges.of(left, token),
                };
                self.ranks[before / BLOCK][before % BLOCK] = rank(merge, before);
                self.before[at] = before as u8;
            }
            self.tokens[at] = token;
            self.lengths[at] = length as u8;
            last = Some((at, token, byte));
            at += length;
            count += 1;
        }
        for (least, ranks) in self
            .least
            .iter_mut()
            .zip(&self.ranks[..text.len().div_ceil(BLOCK)])
        {
            *least = lowest(ranks);
        }
        count
    }

    /// Where the tokens of a merged text of this length begin.
    fn starts(&self, length: usize) -> impl Iterator<Item = usize> {
        let next = |start: &usize| Some(start + usize::from(self.lengths[*start]));
        std::iter::successors(Some(0), move |start| {
            next(start).filter(|next| *next < length)
        })
    }

    /// The merge of a token with its successor is another one, or none. The least rank of a block is looked for again
    /// only if it was this one.
    #[inline(always)]
    fn change(&mut self, at: usize, token: Token) {
        let block = at / BLOCK;
        let new = rank(token, at);
        let old = std::mem::replace(&mut self.ranks[block][at % BLOCK], new);
        if new < self.least[block] {
            self.least[block] = new;
        } else if old == self.least[block] {
            self.least[block] = lowest(&self.ranks[block]);
        }
    }
}

#[inline(always)]
const fn rank(token: Token, at: usize) -> i32 {
    (token << INDEX) as i32 | at as i32
}

#[inline(always)]
fn lowest(ranks: &[i32; BLOCK]) -> i32 {
    // By halves, because this becomes a handful of vector instructions.
    let mut lower: [i32; BLOCK / 2] =
        std::array::from_fn(|at| ranks[at].min(ranks[at + BLOCK / 2]));
    for half in [4, 2, 1] {
        for at in 0..half {
            lower[at] = lower[at].min(lower[at + half]);
        }
    }
    lower[0]
}

/// The number of tokens of a text of any length, with a queue of all merges.
fn whole(merges: &Merges, text: &[u8]) -> u64 {
    let mut tokens: Vec<Token> = text.iter().map(|byte| merges.byte(*byte)).collect();
    let mut next: Vec<usize> = (1..=text.len()).collect();
    let mut before: Vec<usize> = (0..text.len()).map(|at| at.wrapping_sub(1)).collect();
    let mut queue = BinaryHeap::new();
    let push = |queue: &mut BinaryHeap<_>, left: Token, right: Token, at: usize| {
        let token = merges.of(left, right);
        if token != NONE {
            queue.push(Reverse((token, at, left, right)));
        }
    };
    for (at, pair) in tokens.windows(2).enumerate() {
        push(&mut queue, pair[0], pair[1], at);
    }
    let mut count = text.len() as u64;
    while let Some(Reverse((token, at, left, right))) = queue.pop() {
        let middle = next[at];
        // Outdated where one of the two has merged since. A merged right half has no number.
        if tokens[at] != left || tokens.get(middle) != Some(&right) {
            continue;
        }
        let end = next[middle];
        tokens[at] = token;
        tokens[middle] = NONE;
        next[at] = end;
        count -= 1;
        if end < text.len() {
            before[end] = at;
            push(&mut queue, token, tokens[end], at);
        }
        if at > 0 {
            push(&mut queue, tokens[before[at]], token, before[at]);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vocabulary::{CL100K, O200K};

    /// A small vocabulary with merges of four of the bytes. As in the real ones, a token is what its bytes merge into.
    fn vocabulary(halves: &[(u8, u8)]) -> Merges {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut known: Vec<(Token, Vec<u8>)> = (b'a'..=b'd')
            .map(|byte| (byte.into(), vec![byte]))
            .collect();
        let mut made = Vec::new();
        for (left, right) in halves {
            let [left, right] = [left, right].map(|half| &known[usize::from(*half) % known.len()]);
            let (pair, text) = ((left.0, right.0), [&*left.1, &*right.1].concat());
            if text.len() <= LONGEST
                && tokens(&Merges::new(&bytes, &made), &text) == [pair.0, pair.1]
            {
                known.push(((bytes.len() + made.len()) as Token, text));
                made.push(pair);
            }
        }
        Merges::new(&bytes, &made)
    }

    fn in_windows(merges: &Merges, text: &[u8]) -> u64 {
        count(&mut Window::new(), merges, text, u64::MAX).unwrap()
    }

    proptest! {
        #[test]
        fn windows_have_the_tokens_of_the_whole(text in "[a-z ]{2,2000}|[=/ -]{1,2000}|[ぁ-ん漢字]{1,400}") {
            for merges in [&*O200K, &*CL100K] {
                prop_assert_eq!(in_windows(merges, text.as_bytes()), whole(merges, text.as_bytes()));
            }
        }

        #[test]
        fn windows_have_the_tokens_of_the_whole_in_any_vocabulary(
            halves in prop::collection::vec(any::<(u8, u8)>(), 0..24),
            text in "[a-d]{1,1200}|(ab){100,500}[a-d]{0,9}|a{100,900}b?",
        ) {
            let merges = vocabulary(&halves);
            prop_assert_eq!(in_windows(&merges, text.as_bytes()), whole(&merges, text.as_bytes()));
        }
    }
}

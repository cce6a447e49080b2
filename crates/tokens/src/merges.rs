//! The table of a vocabulary: the token that two neighbours merge into.

use crate::chars;

/// The number of a token, which is its rank: lower ranks merge first.
pub(crate) type Token = u32;

/// No token: greater than all of them.
pub(crate) const NONE: Token = (1 << BITS) - 1;

/// Enough for the numbers of all tokens.
pub(crate) const BITS: u32 = 18;

/// The merges of a vocabulary. A slot has both halves and their merge in one word: 4 MB for o200k, 2 MB for cl100k.
pub(crate) struct Merges {
    /// The token of each byte.
    bytes: [Token; 256],
    /// The merges of two bytes, with which each piece begins: a table of its own, because its used part is small
    /// enough for the innermost cache.
    first: Box<[Token]>,
    /// The characters beyond ASCII whose bytes always merge first.
    chars: Box<[Token]>,
    slots: Box<[u64]>,
    /// How far the hash of a pair is shifted to be the number of a slot.
    shift: u32,
}

const EMPTY: u64 = u64::MAX;

impl Merges {
    /// The tokens of `bytes`, in this order, and the merges of two earlier tokens each that follow.
    pub(crate) fn new(bytes: &[u8], halves: &[(Token, Token)]) -> Self {
        let mut tokens = [NONE; 256];
        for (token, byte) in bytes.iter().enumerate() {
            tokens[usize::from(*byte)] = token as Token;
        }
        // At most half of the slots are occupied, so that most absent pairs are recognized by the first slot.
        let size = (halves.len() * 2).max(2).next_power_of_two();
        let mut merges = Self {
            bytes: tokens,
            first: vec![NONE; 1 << 16].into_boxed_slice(),
            chars: Box::default(),
            slots: vec![EMPTY; size].into_boxed_slice(),
            shift: u64::BITS - size.trailing_zeros(),
        };
        for (token, &(left, right)) in (bytes.len() as Token..).zip(halves) {
            let pair = pair(left, right);
            let mut slot = merges.slot(pair);
            while merges.slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            merges.slots[slot] = pair << BITS | u64::from(token);
            if let (Some(left), Some(right)) = (bytes.get(left as usize), bytes.get(right as usize))
            {
                merges.first[first(*left, *right)] = token;
            }
        }
        merges.chars = chars::whole(&merges, bytes, halves);
        merges
    }

    /// The character that begins at `at`, if its bytes always merge first: its token and its length.
    #[inline(always)]
    pub(crate) fn whole_char(&self, text: &[u8], at: usize) -> Option<(Token, usize)> {
        let (code, length) = match text[at..] {
            [first @ 0xc2..=0xdf, second, ..] => {
                (u32::from(first & 0x1f) << 6 | u32::from(second & 0x3f), 2)
            }
            [first @ 0xe0..=0xef, second, third, ..] => {
                let high = u32::from(first & 0xf) << 6 | u32::from(second & 0x3f);
                (high << 6 | u32::from(third & 0x3f), 3)
            }
            _ => return None,
        };
        let neighbours = [at.wrapping_sub(1), at + length];
        let is_beyond = |at: usize| text.get(at).is_none_or(|byte| !byte.is_ascii());
        let token = self.chars[code as usize];
        (token != NONE && neighbours.into_iter().all(is_beyond)).then_some((token, length))
    }

    /// The token of a byte.
    #[inline(always)]
    pub(crate) fn byte(&self, byte: u8) -> Token {
        self.bytes[usize::from(byte)]
    }

    /// What two bytes merge into, or [`NONE`].
    #[inline(always)]
    pub(crate) fn of_bytes(&self, left: u8, right: u8) -> Token {
        self.first[first(left, right)]
    }

    /// What two tokens merge into, or [`NONE`].
    #[inline(always)]
    pub(crate) fn of(&self, left: Token, right: Token) -> Token {
        let pair = pair(left, right);
        let mut slot = self.slot(pair);
        loop {
            let found = self.slots[slot & (self.slots.len() - 1)];
            if found >> BITS == pair {
                return found as Token & NONE;
            }
            if found == EMPTY {
                return NONE;
            }
            slot += 1;
        }
    }

    /// The number of merges.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.slots.iter().filter(|slot| **slot != EMPTY).count()
    }

    #[inline(always)]
    fn slot(&self, pair: u64) -> usize {
        (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }
}

#[inline(always)]
fn pair(left: Token, right: Token) -> u64 {
    u64::from(left) << BITS | u64::from(right)
}

#[inline(always)]
fn first(left: u8, right: u8) -> usize {
    usize::from(left) << 8 | usize::from(right)
}

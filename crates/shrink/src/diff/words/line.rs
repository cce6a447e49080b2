//! A line split into words, spaces and punctuation.

use std::ops::Range;

/// Longer lines are not merged.
const LONGEST: usize = 4096;

/// A line and the boundaries of its tokens.
pub(super) struct Line<'a> {
    text: &'a str,
    /// The end of each token, preceded by a zero.
    ends: Vec<u32>,
    /// A hash of each token; collisions are rare.
    pub(super) keys: Vec<u32>,
    /// The estimated number of model tokens before each token, and in total.
    weights: Vec<u32>,
    /// The set of words, as a 64-bit Bloom filter.
    words: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Sign,
}

impl Class {
    fn of(byte: u8) -> Self {
        match byte {
            b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => Self::Word,
            b' ' | b'\t' => Self::Space,
            _ => Self::Sign,
        }
    }
}

impl<'a> Line<'a> {
    /// Splits a line without its sign. A line that is too long has no tokens.
    pub(super) fn new(line: &'a str) -> Self {
        let text = line
            .get(1..)
            .filter(|text| text.len() <= LONGEST)
            .unwrap_or("");
        let mut made = Self {
            text,
            ends: vec![0],
            keys: Vec::new(),
            weights: vec![0],
            words: 0,
        };
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut weight = 0;
        let mut last = Class::Space;
        while let Some(first) = bytes.get(at) {
            let class = Class::of(*first);
            let more = match class {
                Class::Sign => 0,
                _ => bytes[at + 1..]
                    .iter()
                    .take_while(|b| Class::of(**b) == class)
                    .count(),
            };
            let token = &bytes[at..=at + more];
            let key = key(token);
            at += token.len();
            // Adjacent punctuation counts as one model token, and a space as part of the next word.
            let new = class == Class::Word || class == Class::Sign && last != Class::Sign;
            weight += u32::from(new) + (token.len() / 10) as u32;
            if class != Class::Space {
                made.words |= 1 << (key >> 26);
            }
            last = class;
            made.ends.push(at as u32);
            made.keys.push(key);
            made.weights.push(weight);
        }
        made
    }

    pub(super) fn weight(&self, tokens: &Range<usize>) -> usize {
        (self.weights[tokens.end] - self.weights[tokens.start]) as usize
    }

    pub(super) fn text(&self, tokens: &Range<usize>) -> &'a str {
        let (from, to) = (self.ends[tokens.start], self.ends[tokens.end]);
        &self.text[from as usize..to as usize]
    }

    /// Whether both lines may share more than a few words.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (self.words & other.words).count_ones() > 3
    }
}

/// FNV-1a.
fn key(token: &[u8]) -> u32 {
    token.iter().fold(0x811c_9dc5, |key, byte| {
        (key ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

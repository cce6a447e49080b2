//! Characters whose bytes always merge first, so that encoding starts with one token instead of two or three.
//!
//! The bytes of a character merge in a fixed order until a token crosses one of its ends. A merge of two neighbours
//! crosses an end if it has a part of the character on its inner side. Where each of these merges has a higher rank
//! than the merge that uses up this part inside of the character, none of them is ever first. Which merges are
//! possible depends on the neighbours: here they are bytes of characters beyond ASCII, or absent.

use crate::merges::{Merges, NONE, Token};

/// The codes of characters of at most three bytes.
const CODES: u32 = 1 << 16;

/// The token of a character whose bytes always merge first, by its code; otherwise [`NONE`]. For `bytes` and merges in
/// the order of their ranks.
pub(crate) fn whole(merges: &Merges, bytes: &[u8], halves: &[(Token, Token)]) -> Box<[Token]> {
    let crossing = Crossing::new(bytes, halves);
    let token = |code| {
        let char = char::from_u32(code).filter(|char| !char.is_ascii())?;
        let mut buffer = [0; 4];
        crossing.whole(merges, char.encode_utf8(&mut buffer).as_bytes())
    };
    (0..CODES).map(|code| token(code).unwrap_or(NONE)).collect()
}

/// For each token, the lowest rank of its merges across an end of a character.
struct Crossing {
    /// With a token on its left that ends with a character beyond ASCII.
    left: Vec<Token>,
    /// With a token on its right that begins with one.
    right: Vec<Token>,
}

impl Crossing {
    fn new(bytes: &[u8], halves: &[(Token, Token)]) -> Self {
        // The first and the last byte of each token.
        let mut ends: Vec<(u8, u8)> = bytes.iter().map(|byte| (*byte, *byte)).collect();
        for (left, right) in halves {
            ends.push((ends[*left as usize].0, ends[*right as usize].1));
        }
        let mut left_of = vec![NONE; ends.len()];
        let mut right_of = left_of.clone();
        for (token, (left, right)) in (bytes.len() as Token..).zip(halves) {
            let (left, right) = (*left as usize, *right as usize);
            if !ends[left].1.is_ascii() {
                left_of[right] = left_of[right].min(token);
            }
            // Before a continuation byte, no character ends.
            if ends[right].0 >= 0xc0 {
                right_of[left] = right_of[left].min(token);
            }
        }
        Self {
            left: left_of,
            right: right_of,
        }
    }

    /// The token of a character of two or three bytes, if no merge across its ends can precede one of its own merges.
    fn whole(&self, merges: &Merges, text: &[u8]) -> Option<Token> {
        let is_late = |lowest: Token, token: Token| lowest > token;
        let join = |first: Token, second: Token, token: Token| {
            let is_whole = is_late(self.left[first as usize], token)
                && is_late(self.right[second as usize], token);
            (token != NONE && is_whole).then_some(token)
        };
        let byte = |at: usize| merges.byte(text[at]);
        if text.len() == 2 {
            return join(byte(0), byte(1), merges.of_bytes(text[0], text[1]));
        }
        let (first, second) = (
            merges.of_bytes(text[0], text[1]),
            merges.of_bytes(text[1], text[2]),
        );
        if first < second && is_late(self.left[byte(0) as usize], first) {
            join(first, byte(2), merges.of(first, byte(2)))
        } else if second < first && is_late(self.right[byte(2) as usize], second) {
            join(byte(0), second, merges.of(byte(0), second))
        } else {
            None
        }
    }
}

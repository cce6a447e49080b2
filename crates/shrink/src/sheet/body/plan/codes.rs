//! Letters for values that are long and often there.

use std::borrow::Cow;

use super::super::weigh::weigh;

/// Letters and the values that they stand for.
type Codes<'a> = Vec<(char, Cow<'a, str>)>;

/// The most codes: the reader has to remember them.
const MOST: usize = 12;

/// The codes for a column whose cells are given in order, and what these then weigh. Only for columns that have few
/// values: in others a letter here and there would be a riddle. Numbers are said as they are.
pub(super) fn find<'a>(sorted: &[&'a str]) -> Option<(Codes<'a>, usize)> {
    let mut worth: Vec<(usize, &'a str)> = Vec::new();
    let mut sum = 0;
    let mut covered = 0;
    for run in sorted.chunk_by(|a, b| a == b) {
        let value = run[0];
        let spaced = usize::from(value.contains(' ')) * 2;
        let weight = weigh(value) + spaced;
        sum += run.len() * weight;
        let saved = run.len() * weight.saturating_sub(1);
        if is_sayable(value) && weight > 2 && run.len() > 2 && saved > weight + 3 {
            covered += run.len();
            worth.push((saved, value));
        } else if value.is_empty() || weight < 2 {
            covered += run.len();
        }
    }
    if worth.is_empty() || worth.len() > MOST || covered * 4 < sorted.len() * 3 {
        return None;
    }
    worth.sort_unstable_by_key(|(saved, value)| (std::cmp::Reverse(*saved), *value));
    let mut codes: Codes<'a> = Vec::new();
    for (saved, value) in worth {
        let code = letter(value, &codes)?;
        sum -= saved;
        codes.push((code, Cow::Borrowed(value)));
    }
    Some((codes, sum))
}

fn is_sayable(value: &str) -> bool {
    value.contains(char::is_alphabetic) && !value.contains(['|', '{', '}', '*', '"', '\n'])
}

/// A letter that is not taken: one of the value, if possible.
fn letter(value: &str, taken: &[(char, Cow<'_, str>)]) -> Option<char> {
    let is_free = |c: &char| !taken.iter().any(|(code, _)| code == c);
    let letters = value.chars().filter(char::is_ascii_alphabetic);
    let own = letters.map(|c| c.to_ascii_lowercase()).find(is_free);
    own.or_else(|| ('a'..='z').find(is_free))
}

//! Counts the tokens of a text: cuts it into pieces and adds up their tokens.

use parking_lot::Mutex;

use crate::classes::Classes;
use crate::memo::{Key, LONGEST, Memo};
use crate::merges::Merges;
use crate::pieces::{self, Window};

/// What counting needs besides the vocabulary, for each thread that counts at the same time: recent counts, and room
/// for merging.
pub(crate) struct Memos(Mutex<Vec<(Memo, Box<Window>)>>);

/// The most idle memos that are retained.
const SPARE: usize = 4;

impl Memos {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The number of tokens of a text, if it does not exceed `limit`. `piece` returns the end of the piece at an
    /// offset.
    #[inline]
    pub(crate) fn count(
        &self,
        merges: &Merges,
        piece: impl Fn(Classes<'_>, usize) -> usize,
        text: &str,
        limit: u64,
    ) -> Option<u64> {
        let spare = || self.0.lock();
        let new = || (Memo::new(), Box::new(Window::new()));
        let (mut memo, mut window) = spare().pop().unwrap_or_else(new);
        let count = count(&mut memo, &mut window, merges, piece, text, limit);
        let mut spare = spare();
        if spare.len() < SPARE {
            spare.push((memo, window));
        }
        count
    }
}

#[inline]
fn count(
    memo: &mut Memo,
    window: &mut Window,
    merges: &Merges,
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
            let count = || pieces::short(window, merges, &bytes[at..end]);
            memo.count(Key::new(bytes, at, length), count)
        } else {
            pieces::count(window, merges, &bytes[at..end], limit - sum)?
        };
        if sum > limit {
            return None;
        }
        at = end;
    }
    Some(sum)
}

//! Features of the cells of a sample, computed once so that cells can be compared quickly.

use super::cells::{Cell, Role, hash, masks, pattern};
use super::weigh::weigh;

/// A cell and its features.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub(crate) cell: Cell,
    /// Hashes of the whole text, of the text without numbers, and of the text up to the last separator.
    pub(crate) value: u64,
    pub(crate) pattern: u64,
    pub(crate) stem: u64,
    /// Estimated tokens of the whole text, of its numbers, and of the text behind the stem.
    pub(crate) whole: u32,
    pub(crate) numbers: u32,
    pub(crate) rest: u32,
}

impl Known {
    pub(crate) fn of(text: &str, cell: Cell, room: &mut Vec<(u32, u32)>) -> Self {
        if cell.role == Role::Clock {
            return Self {
                cell,
                value: 0,
                pattern: 0,
                stem: 0,
                whole: 0,
                numbers: 0,
                rest: 0,
            };
        }
        let value = cell.of(text);
        let bytes = value.as_bytes();
        masks(value, room);
        // Plus one for the separator.
        let number = |(start, end): &(u32, u32)| weigh(&bytes[*start as usize..*end as usize]) + 1;
        let numbers = room.iter().map(number).sum();
        let stem = stem_of(bytes);
        let gap = u32::from(cell.gap != 0 && !bytes.first().is_some_and(u8::is_ascii_alphabetic));
        Self {
            cell,
            value: hash(bytes),
            pattern: pattern(value, room),
            stem: hash(&bytes[..stem]),
            whole: weigh(bytes) + gap,
            numbers,
            rest: weigh(&bytes[stem..]),
        }
    }
}

/// The length of a prefix that many values may share: folders, modules, `key=`.
fn stem_of(bytes: &[u8]) -> usize {
    let inner = bytes.len().saturating_sub(1);
    let last = bytes[..inner]
        .iter()
        .rposition(|byte| matches!(byte, b'/' | b':' | b'.' | b'=' | b'#' | b'\\'));
    last.map_or(0, |at| at + 1)
}

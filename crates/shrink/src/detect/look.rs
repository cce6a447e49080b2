//! The byte classes of a line, so that most finders need not run.

use super::line::Line;

/// What occurs in a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    seen: u16,
    /// The first byte that is not a space or a tab; zero if the line is blank.
    pub(super) first: u8,
    /// Whether `first` is the first byte of the line.
    pub(super) flush: bool,
    pub(super) last: u8,
    pub(super) length: usize,
}

pub(super) const SPACE: u16 = 1;
pub(super) const TAB: u16 = 1 << 1;
pub(super) const COMMA: u16 = 1 << 2;
pub(super) const SEMICOLON: u16 = 1 << 3;
pub(super) const BAR: u16 = 1 << 4;
pub(super) const COLON: u16 = 1 << 5;
pub(super) const SLASH: u16 = 1 << 6;
pub(super) const DOT: u16 = 1 << 7;
pub(super) const EQUALS: u16 = 1 << 8;
pub(super) const DIGIT: u16 = 1 << 9;
pub(super) const DASH: u16 = 1 << 10;
pub(super) const FOREIGN: u16 = 1 << 11;
pub(super) const BRACKET: u16 = 1 << 14;
/// Two spaces in a row, after another byte.
pub(super) const GAP: u16 = 1 << 12;

const OTHER: u16 = 1 << 13;

const CLASSES: [u16; 256] = classes();

const fn classes() -> [u16; 256] {
    let mut classes = [OTHER; 256];
    classes[b' ' as usize] = SPACE;
    classes[b'\t' as usize] = TAB;
    classes[b',' as usize] = COMMA;
    classes[b';' as usize] = SEMICOLON;
    classes[b'|' as usize] = BAR;
    classes[b':' as usize] = COLON;
    classes[b'/' as usize] = SLASH;
    classes[b'\\' as usize] = SLASH;
    classes[b'.' as usize] = DOT;
    classes[b'=' as usize] = EQUALS;
    classes[b'-' as usize] = DASH;
    classes[b'(' as usize] = BRACKET;
    let mut digit = b'0';
    while digit <= b'9' {
        classes[digit as usize] = DIGIT;
        digit += 1;
    }
    let mut foreign = 128;
    while foreign < 256 {
        classes[foreign] = FOREIGN;
        foreign += 1;
    }
    classes
}

impl Look {
    pub(super) fn at(line: Line<'_>) -> Self {
        let bytes = line.bytes();
        let indent = line.indent();
        let mut seen = 0;
        let mut gap = 0;
        let mut before = 0;
        for &byte in &bytes[indent..] {
            let class = CLASSES[usize::from(byte)];
            seen |= class;
            gap |= class & before;
            before = class;
        }
        Self {
            seen: seen | ((gap & SPACE) * GAP),
            first: bytes.get(indent).copied().unwrap_or(0),
            flush: indent == 0,
            last: bytes.last().copied().unwrap_or(0),
            length: bytes.len(),
        }
    }

    pub(super) fn is_blank(self) -> bool {
        self.first == 0
    }

    /// Whether a byte of any of these classes occurs.
    pub(super) fn has(self, class: u16) -> bool {
        self.seen & class != 0
    }
}

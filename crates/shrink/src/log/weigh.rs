//! Estimates the number of tokens of a few bytes.

/// An estimate for comparing forms of the same line; `shrink` counts exactly.
pub(crate) fn weigh(bytes: &[u8]) -> u32 {
    let mut tokens = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let class = Class::of(byte);
        let length = bytes[at..]
            .iter()
            .take_while(|byte| Class::of(**byte) == class)
            .count();
        at += length;
        let length = length as u32;
        tokens += match class {
            Class::Letter => 1 + length.saturating_sub(1) / 7,
            Class::Digit => length.div_ceil(3),
            Class::Space if length == 1 && bytes.get(at).is_some_and(u8::is_ascii_alphabetic) => 0,
            Class::Space => 1,
            Class::Mark => length.div_ceil(2),
            Class::Other => length.div_ceil(2),
        };
    }
    tokens
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Class {
    Letter,
    Digit,
    Space,
    Mark,
    Other,
}

impl Class {
    #[inline]
    fn of(byte: u8) -> Self {
        CLASSES[usize::from(byte)]
    }

    const fn read(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Self::Letter,
            b'0'..=b'9' => Self::Digit,
            b' ' | b'\t' | b'\r' => Self::Space,
            0x80.. => Self::Other,
            _ => Self::Mark,
        }
    }
}

/// A table, because this is looked up for every byte of every cell.
static CLASSES: [Class; 256] = {
    let mut classes = [Class::Mark; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = Class::read(byte as u8);
        byte += 1;
    }
    classes
};

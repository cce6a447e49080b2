//! The width of a text on a screen, as the program that drew the table counts it.

/// The unit in which a program pads cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Measure {
    /// Characters.
    #[default]
    Chars,
    /// Terminal columns: two for wide characters, none for combining marks.
    Screen,
    /// Bytes.
    Bytes,
}

impl Measure {
    /// All measures, the most common first.
    pub(super) const ALL: [Self; 3] = [Self::Chars, Self::Screen, Self::Bytes];

    /// The width of a text.
    pub(super) fn of(self, text: &str) -> usize {
        match self {
            _ if text.is_ascii() => text.len(),
            Self::Bytes => text.len(),
            Self::Chars => text.chars().count(),
            Self::Screen => text.chars().map(places).sum(),
        }
    }

    /// The word in a head; `None` for the default.
    pub(super) const fn word(self) -> Option<&'static str> {
        match self {
            Self::Chars => None,
            Self::Screen => Some("screen"),
            Self::Bytes => Some("bytes"),
        }
    }

    /// The inverse of [`Self::word`], except for the default.
    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == Some(word))
    }

    /// The width of a character.
    pub(super) fn of_char(self, c: char) -> usize {
        match self {
            Self::Bytes => c.len_utf8(),
            Self::Chars => 1,
            Self::Screen => places(c),
        }
    }
}

/// Converts between byte offsets and screen columns, walking along a line.
pub(super) struct LineCursor<'a> {
    pub(super) line: &'a str,
    pub(super) measure: Measure,
    pub(super) is_ascii: bool,
    /// The byte offset that was reached.
    pub(super) byte: usize,
    /// The screen column at `byte`.
    pub(super) column: usize,
}

impl<'a> LineCursor<'a> {
    /// A cursor at the beginning of a line.
    pub(super) fn new(line: &'a str, measure: Measure) -> Self {
        Self {
            line,
            measure,
            is_ascii: line.is_ascii(),
            byte: 0,
            column: 0,
        }
    }

    /// The screen column of a later byte offset.
    pub(super) fn column_of(&mut self, byte: usize) -> usize {
        if self.is_ascii {
            return byte;
        }
        let passed = self.line.get(self.byte..byte).unwrap_or_default();
        self.column += self.measure.of(passed);
        self.byte = byte;
        self.column
    }

    /// The byte offset of a later screen column; the end if the line is shorter.
    pub(super) fn byte_at(&mut self, column: usize) -> Option<usize> {
        if self.is_ascii {
            return Some(column.min(self.line.len()));
        }
        let mut rest = self.line.get(self.byte..)?.chars();
        while self.column < column {
            let Some(c) = rest.next() else { break };
            self.byte += c.len_utf8();
            self.column += self.measure.of_char(c);
        }
        (self.column <= column).then_some(self.byte)
    }
}

/// The number of terminal columns of a character, by Unicode block. This is an approximation; the encoder verifies the
/// result.
fn places(c: char) -> usize {
    match u32::from(c) {
        0x20..=0x2ff => 1,
        0x300..=0x36f
        | 0x483..=0x489
        | 0x591..=0x5bd
        | 0x610..=0x61a
        | 0x64b..=0x65f
        | 0xe31
        | 0xe34..=0xe3a
        | 0xe47..=0xe4e
        | 0x200b..=0x200f
        | 0x20d0..=0x20ff
        | 0xfe00..=0xfe0f
        | 0xfe20..=0xfe2f
        | 0xfeff
        | 0xe0100..=0xe01ef => 0,
        0x1100..=0x115f
        | 0x231a..=0x231b
        | 0x23e9..=0x23f3
        | 0x25fd..=0x25fe
        | 0x2614..=0x2615
        | 0x26a1
        | 0x26aa..=0x26ab
        | 0x26d4
        | 0x2705
        | 0x2728
        | 0x274c
        | 0x274e
        | 0x2753..=0x2757
        | 0x2795..=0x2797
        | 0x2b1b..=0x2b1c
        | 0x2b50
        | 0x2b55
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xa960..=0xa97f
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff01..=0xff60
        | 0xffe0..=0xffe6
        | 0x16fe0..=0x18aff
        | 0x1b000..=0x1b2ff
        | 0x1f191..=0x1f19a
        | 0x1f200..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f7e0..=0x1f7eb
        | 0x1f90c..=0x1f9ff
        | 0x1fa70..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_are_two_columns_wide_and_marks_none() {
        assert_eq!(Measure::Screen.of("日本 e\u{301}✅"), 4 + 1 + 1 + 2);
        assert_eq!(Measure::Chars.of("日本"), 2);
        assert_eq!(Measure::Bytes.of("日本"), 6);
    }
}

//! Estimates the tokens of a cell. Exact counts for all notations of a column would dominate the running time; the
//! chosen rendering is counted exactly.

/// The estimated number of tokens of a text after a space. Vocabularies contain most words with a leading space or
/// other character, and numbers as groups of three digits without a leading space.
pub(super) fn weigh(text: &str) -> usize {
    let mut tokens = 0;
    let mut before = Class::Lead;
    let mut run = 0_usize;
    for byte in text.bytes() {
        let class = Class::of(byte);
        if class == before {
            run += 1;
            tokens += class.more(run);
            continue;
        }
        tokens += match (before, class) {
            // Counted with the next run.
            (_, Class::Lead) => 0,
            (Class::Lead, Class::Digits) => 2,
            (Class::Lead, Class::Marks) => 1,
            _ => 1,
        };
        // A single mark joins the word after it, as a space does.
        if before == Class::Marks && run == 1 && class == Class::Letters {
            tokens -= 1;
        }
        before = class;
        run = 1;
    }
    tokens.max(1)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A space, or the start.
    Lead,
    Letters,
    Digits,
    Marks,
    Others,
}

impl Class {
    #[inline]
    fn of(byte: u8) -> Self {
        CLASSES[usize::from(byte)]
    }

    const fn read(byte: u8) -> Self {
        match byte {
            b' ' => Self::Lead,
            b'a'..=b'z' | b'A'..=b'Z' => Self::Letters,
            b'0'..=b'9' => Self::Digits,
            0x80.. => Self::Others,
            _ => Self::Marks,
        }
    }

    /// The cost of the next byte of a run.
    const fn more(self, run: usize) -> usize {
        let each = match self {
            Self::Lead => 16,
            Self::Letters => 12,
            Self::Digits => 3,
            Self::Marks => 4,
            Self::Others => 3,
        };
        (run % each == 1) as usize
    }
}

/// A table, because this is looked up for every byte of every notation of a column.
static CLASSES: [Class; 256] = {
    let mut classes = [Class::Marks; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = Class::read(byte as u8);
        byte += 1;
    }
    classes
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_words_numbers_and_marks() {
        assert_eq!(weigh("active"), 1);
        assert_eq!(weigh("12"), 2);
        assert_eq!(weigh("85000"), 3);
        assert_eq!(weigh("eu-west-1"), 4);
        assert_eq!(weigh("2024-01-05"), 7);
        assert_eq!(weigh("Alice Smith"), 2);
    }
}

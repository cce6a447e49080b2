//! The text of a configuration, and the positions of its values.

use std::fmt;

use linkspan_wire::Json;

/// A line and a column, both from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Bytes between marks in a long line.
const MARKS: usize = 4096;

/// A text and the same as JSON.
pub(super) struct Source<'a> {
    text: &'a str,
    plain: &'a str,
    /// Offsets and their positions: the beginning of each line, and some in between.
    marks: Vec<(usize, Position)>,
}

impl<'a> Source<'a> {
    /// A text and what [`linkspan_wire::without_comments`] made of it.
    pub(super) fn new(text: &'a str, plain: &'a str) -> Self {
        let mut at = Position { line: 1, column: 1 };
        let mut marks = vec![(0, at)];
        for (offset, c) in text.char_indices() {
            let last = marks.last().map_or(0, |(last, _)| *last);
            if at.column == 1 && offset > 0 || offset - last >= MARKS {
                marks.push((offset, at));
            }
            match c {
                '\n' => {
                    at.line += 1;
                    at.column = 1;
                }
                '\u{feff}' if offset == 0 => {}
                _ => at.column += 1,
            }
        }
        if at.column == 1 {
            marks.push((text.len(), at));
        }
        Self { text, plain, marks }
    }

    /// The position of an offset.
    pub(super) fn at(&self, offset: usize) -> Position {
        let after = self.marks.partition_point(|(mark, _)| *mark <= offset);
        let first = (0, Position { line: 1, column: 1 });
        let (mark, at) = after.checked_sub(1).map_or(first, |last| self.marks[last]);
        let between = self.text.as_bytes().get(mark..offset).unwrap_or_default();
        let between = String::from_utf8_lossy(between);
        let is_mark = mark == 0 && between.starts_with('\u{feff}');
        let column = at.column + between.chars().count() - usize::from(is_mark);
        Position { column, ..at }
    }

    /// The position of a value.
    pub(super) fn of(&self, value: Json<'a>) -> Position {
        self.at(self.offset(value))
    }

    /// The position of the name of a member.
    pub(super) fn of_name(&self, value: Json<'a>) -> Position {
        let before = self.plain.as_bytes();
        let before = before.get(..self.offset(value)).unwrap_or_default();
        let end = before.iter().rposition(|byte| *byte == b'"').unwrap_or(0);
        let mut start = end;
        while start > 0 {
            start -= 1;
            let is_quote = before.get(start) == Some(&b'"');
            if is_quote && before.get(start.wrapping_sub(1)) != Some(&b'\\') {
                break;
            }
        }
        self.at(start)
    }

    /// Values are slices of the text.
    fn offset(&self, value: Json<'a>) -> usize {
        let offset = (value.text().as_ptr() as usize).wrapping_sub(self.plain.as_ptr() as usize);
        offset.min(self.plain.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::without_comments;
    use proptest::prelude::*;

    #[test]
    fn positions_count_characters() {
        let text = "\u{feff}{\"é\": 1,\n  \"b\\\"c\" : [2] }";
        let plain = without_comments(text).unwrap();
        let source = Source::new(text, &plain);
        let json = Json::parse(&plain).unwrap();
        let (one, two) = (json.get("é").unwrap(), json.get("b\"c").unwrap());
        assert_eq!(source.of(one).to_string(), "1:7");
        assert_eq!(source.of_name(one).to_string(), "1:2");
        assert_eq!(source.of(two).to_string(), "2:12");
        assert_eq!(source.of_name(two).to_string(), "2:3");
    }

    #[test]
    fn positions_in_a_long_line_are_exact() {
        let text = format!("\u{feff}\n{}\n\"é\"", "é".repeat(3 * MARKS));
        let source = Source::new(&text, &text);
        for (count, (offset, c)) in text.char_indices().skip(2).enumerate() {
            if c == 'é' && count < 3 * MARKS {
                assert_eq!(
                    source.at(offset),
                    Position {
                        line: 2,
                        column: count + 1
                    }
                );
            }
        }
        assert_eq!(source.at(4), Position { line: 2, column: 1 });
        assert_eq!(source.at(text.len()), Position { line: 3, column: 4 });
        assert_eq!(source.at(text.len() + 9).line, 3);
    }

    proptest! {
        #[test]
        fn any_text_keeps_its_length(text in r#"([{}\[\]",:/*\\ \r\n1]|é|\PC){0,40}"#) {
            if let Ok(plain) = without_comments(&text) {
                prop_assert_eq!(plain.len(), text.len());
                let source = Source::new(&text, &plain);
                for offset in 0..=text.len() + 1 {
                    prop_assert!(source.at(offset).line >= 1);
                }
            }
        }

    }
}

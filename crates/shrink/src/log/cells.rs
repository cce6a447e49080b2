//! Cuts a line into cells at spaces; quoted text is one cell, and so is the timestamp.

use memchr::memchr;

use super::clock::Clock;

/// The most cells of a line; the last cell is the rest of the line.
pub(crate) const MOST: usize = 48;

/// A piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cell {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The number of alignment spaces before it, not counting the separator.
    pub(crate) pad: u32,
    /// The separator before it, a space or tab; 0 if there is none.
    pub(crate) gap: u8,
    pub(crate) role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Role {
    #[default]
    Word,
    /// Quoted text with spaces in it.
    Quoted,
    Clock,
}

impl Cell {
    pub(crate) fn of(self, text: &str) -> &str {
        &text[self.start as usize..self.end as usize]
    }

    /// The cell with its alignment spaces.
    pub(crate) fn padded(self, text: &str) -> &str {
        &text[(self.start - self.pad) as usize..self.end as usize]
    }
}

/// Appends the cells of the line `text[start..end]`.
pub(crate) fn cut(text: &str, start: u32, end: u32, clock: Option<Clock>, cells: &mut Vec<Cell>) {
    let first = cells.len();
    let room = |cells: &Vec<Cell>| MOST.saturating_sub(cells.len() - first).max(1);
    let Some(clock) = clock else {
        return cut_words(text, start..end, true, MOST, cells);
    };
    if clock.start > start {
        // Reserves three cells: the timestamp, the text behind it, and the rest.
        cut_words(text, start..clock.start, true, MOST - 3, cells);
    }
    cells.push(Cell {
        start: clock.start,
        end: clock.end,
        pad: 0,
        gap: 0,
        role: Role::Clock,
    });
    if clock.end < end {
        let gap = text.as_bytes()[clock.end as usize];
        let spaced = matches!(gap, b' ' | b'\t');
        let from = clock.end + u32::from(spaced);
        let at = cells.len();
        cut_words(text, from..end, true, room(cells), cells);
        cells[at].gap = if spaced { gap } else { 0 };
    }
}

/// Appends the words of a quoted cell as cells.
pub(crate) fn cut_quoted(text: &str, cell: Cell, cells: &mut Vec<Cell>) {
    let at = cells.len();
    cut_words(text, cell.start - cell.pad..cell.end, false, MOST, cells);
    cells[at].gap = cell.gap;
}

/// Appends at least one cell, which may be empty.
fn cut_words(
    text: &str,
    range: std::ops::Range<u32>,
    quotes: bool,
    most: usize,
    cells: &mut Vec<Cell>,
) {
    let bytes = &text.as_bytes()[..range.end as usize];
    let last = cells.len() + most - 1;
    // Cleared when a quote has no end, so that the rest of the line is searched only once.
    let mut quotes = quotes;
    let mut start = range.start as usize;
    let mut gap = 0;
    loop {
        let mut at = start;
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        let word = at;
        let mut role = Role::Word;
        if cells.len() >= last {
            at = bytes.len();
        }
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' => break,
                b'"' if quotes && (at == word || opens_quote(bytes[at - 1])) => {
                    match quote_end(bytes, at + 1) {
                        Some(end) => {
                            if memchr(b' ', &bytes[at..end]).is_some() {
                                role = Role::Quoted;
                            }
                            at = end;
                        }
                        None => quotes = false,
                    }
                }
                _ => {}
            }
            at += 1;
        }
        cells.push(Cell {
            start: word as u32,
            end: at.min(bytes.len()) as u32,
            pad: (word - start) as u32,
            gap,
            role,
        });
        match bytes.get(at) {
            Some(&byte) => gap = byte,
            None => return,
        }
        start = at + 1;
    }
}

fn opens_quote(before: u8) -> bool {
    matches!(before, b'=' | b'(' | b'[' | b'{' | b':' | b',')
}

/// The offset of the closing quote.
fn quote_end(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let at = from + memchr(b'"', bytes.get(from..)?)?;
        if bytes[at - 1] != b'\\' {
            return Some(at);
        }
        from = at + 1;
    }
}

/// A hash of the structure of a line: only lines with equal skeletons are compared cell by cell.
pub(crate) fn skeleton(cells: &[Cell]) -> u64 {
    let mut hash = cells.len() as u64;
    for cell in cells {
        let clock = u64::from(cell.role == Role::Clock);
        hash = mix(hash, u64::from(cell.gap) << 1 | clock);
    }
    hash
}

/// Finds the parts of a cell that are expected to vary: numbers and ids.
pub(crate) fn masks(cell: &str, found: &mut Vec<(u32, u32)>) {
    found.clear();
    let bytes = cell.as_bytes();
    // Most cells are words without digits, and every masked part has a digit.
    let Some(first) = bytes.iter().position(u8::is_ascii_digit) else {
        return;
    };
    // Text before the word with the first digit is not masked.
    let mut at = word_start(bytes, first);
    while let Some(&byte) = bytes.get(at) {
        if !byte.is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let word = run(bytes, at, u8::is_ascii_alphanumeric);
        if let Some(end) = id_end(bytes, at, word) {
            found.push((at as u32, end as u32));
            at = end;
            continue;
        }
        while at < word {
            at = run(&bytes[..word], at, u8::is_ascii_alphabetic);
            let end = run(&bytes[..word], at, u8::is_ascii_digit);
            if at < end {
                found.push((number_start(bytes, at) as u32, end as u32));
            }
            at = end;
        }
    }
}

/// A hash of a cell without the masked parts.
pub(crate) fn pattern(cell: &str, masks: &[(u32, u32)]) -> u64 {
    let starts = std::iter::once(0).chain(masks.iter().map(|mask| mask.1 as usize));
    let ends = masks.iter().map(|mask| mask.0 as usize).chain([cell.len()]);
    pattern_of(starts.zip(ends).map(|(start, end)| &cell[start..end]))
}

/// The same hash, of the texts around the masked parts.
pub(crate) fn pattern_of<'a>(texts: impl Iterator<Item = &'a str>) -> u64 {
    texts.fold(0, |pattern, text| mix(pattern, hash(text.as_bytes())))
}

/// The start of the word that contains this byte; ids may contain `-`.
fn word_start(bytes: &[u8], at: usize) -> usize {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let before = bytes[..at].iter().rposition(|byte| !is_word(byte));
    before.map_or(0, |before| before + 1)
}

#[inline]
fn run(bytes: &[u8], from: usize, is: impl Fn(&u8) -> bool) -> usize {
    from + bytes[from..].iter().take_while(|byte| is(byte)).count()
}

/// The end of an id that begins with this word: `3f9a0c…`, a UUID, `a8Fk2Lq`.
fn id_end(bytes: &[u8], start: usize, word: usize) -> Option<usize> {
    let is_hex = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
    let mut end = run(bytes, start, is_hex);
    while end > start && bytes[end - 1] == b'-' {
        end -= 1;
    }
    let mixed = |part: &[u8]| {
        part.iter().any(u8::is_ascii_digit) && part.iter().any(u8::is_ascii_alphabetic)
    };
    let whole = !bytes.get(end).is_some_and(u8::is_ascii_alphanumeric);
    if end - start >= 6 && whole && mixed(&bytes[start..end]) {
        return Some(end);
    }
    let part = &bytes[start..word];
    let turns = part
        .windows(2)
        .filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit());
    (part.len() >= 6 && turns.count() >= 3).then_some(word)
}

/// The start of a number, including its sign.
fn number_start(bytes: &[u8], digits: usize) -> usize {
    let at = |back: usize| digits.checked_sub(back).map(|at| bytes[at]);
    let signed = matches!(at(1), Some(b'-' | b'+'))
        && matches!(
            at(2),
            None | Some(b' ' | b'=' | b'(' | b':' | b',' | b'[' | b'_' | b'"')
        );
    digits - usize::from(signed)
}

/// A hash that is the same on every run.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        hash = mix(hash, u64::from_le_bytes(*chunk));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(hash, u64::from_le_bytes(last))
}

pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    let product =
        u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(value ^ 0xa076_1d64_78bd_642f);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<&str> {
        let mut cells = Vec::new();
        let clock = Clock::find(line.as_bytes(), 0);
        cut(line, 0, line.len() as u32, clock, &mut cells);
        cells.iter().map(|cell| cell.of(line)).collect()
    }

    #[test]
    fn a_line_is_cut_into_words_quotes_and_its_timestamp() {
        assert_eq!(
            words("ts=2025-11-02T10:11:12Z  x=\"a b\" \"q"),
            ["ts=", "2025-11-02T10:11:12", "Z", "x=\"a b\"", "\"q"]
        );
        assert_eq!(words("10:11:12 a  b "), ["10:11:12", "a", "b", ""]);
        assert_eq!(words(""), [""]);
    }

    #[test]
    fn cells_and_gaps_make_up_the_whole_line() {
        let line = "\t a\t\tb \"c d\" 10:11:12  e ".repeat(9);
        let mut cells = Vec::new();
        cut(
            &line,
            0,
            line.len() as u32,
            Clock::find(line.as_bytes(), 0),
            &mut cells,
        );
        let mut again = String::new();
        for cell in &cells {
            if cell.gap != 0 {
                again.push(char::from(cell.gap));
            }
            again.push_str(cell.padded(&line));
        }
        assert_eq!(again, line);
        assert!(cells.len() <= MOST + 1);
    }

    #[test]
    fn numbers_and_ids_are_masked() {
        let mut found = Vec::new();
        for (cell, masked) in [
            ("[worker-3]", vec!["3"]),
            ("dur=-12.5ms", vec!["-12", "5"]),
            ("v1.2.3", vec!["1", "2", "3"]),
            (
                "id=550e8400-e29b-41d4-a716-446655440000,",
                vec!["550e8400-e29b-41d4-a716-446655440000"],
            ),
            ("2025-11-02", vec!["2025", "11", "02"]),
            ("req_a8Fk2Lq", vec!["a8Fk2Lq"]),
            ("/static/3f9a0c11.js", vec!["3f9a0c11"]),
            ("plain-words", vec![]),
        ] {
            masks(cell, &mut found);
            let parts: Vec<_> = found
                .iter()
                .map(|(a, b)| &cell[*a as usize..*b as usize])
                .collect();
            assert_eq!(parts, masked, "{cell}");
        }
    }
}

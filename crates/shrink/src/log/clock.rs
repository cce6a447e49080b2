//! Finds the timestamp near the beginning of a line.

use memchr::memchr_iter;

/// How many bytes of a line are searched: container prefixes and client addresses may precede the timestamp.
const WITHIN: usize = 160;

const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// A timestamp within a text: an optional date, `HH:MM:SS`, an optional fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Clock {
    /// Where the date begins, or the hour if there is no date.
    pub(crate) start: u32,
    /// Where the hour begins.
    pub(crate) hour: u32,
    pub(crate) end: u32,
}

impl Clock {
    /// Finds the first timestamp of a line. Offsets are relative to the text, in which the line begins at `at`.
    pub(crate) fn find(line: &[u8], at: u32) -> Option<Self> {
        let near = &line[..line.len().min(WITHIN)];
        let hour = memchr_iter(b':', near).find_map(|colon| hour_before(near, colon))?;
        let mut end = hour + 8;
        if let Some(b'.' | b',') = line.get(end) {
            let digits = digits(&line[end + 1..]);
            if (1..=9).contains(&digits) {
                end += 1 + digits;
            }
        }
        let start = date_before(line, hour);
        Some(Self {
            start: at + start as u32,
            hour: at + hour as u32,
            end: at + end as u32,
        })
    }

    /// The date with the separator before the hour; may be empty.
    pub(crate) fn date(self, text: &str) -> &str {
        &text[self.start as usize..self.hour as usize]
    }

    /// The timestamp with its date or without.
    pub(crate) fn with_date(self, dated: bool) -> Self {
        let start = if dated { self.start } else { self.hour };
        Self { start, ..self }
    }
}

/// The offset of the hour, if `colon` is the first colon of `HH:MM:SS`.
fn hour_before(line: &[u8], colon: usize) -> Option<usize> {
    let hour = colon.checked_sub(2)?;
    let time: &[u8; 8] = line.get(hour..hour + 8)?.try_into().ok()?;
    let [h1, h2, b':', m1, m2, b':', s1, s2] = *time else {
        return None;
    };
    let all_digits = [h1, h2, m1, m2, s1, s2].iter().all(u8::is_ascii_digit);
    let in_range = (h1 < b'2' || (h1 == b'2' && h2 < b'4')) && m1 < b'6' && s1 <= b'6';
    // Excludes addresses such as `00:16:3e` and longer numbers.
    let before = hour.checked_sub(1).map(|at| line[at]);
    let in_address = before == Some(b':')
        && hour >= 2
        && line[hour - 2].is_ascii_hexdigit()
        && !is_year(line, hour - 1);
    let free_before = !before.is_some_and(|byte| byte.is_ascii_digit()) && !in_address;
    let after = line.get(hour + 8);
    let free_after = !after.is_some_and(|byte| byte.is_ascii_digit() || *byte == b':');
    (all_digits && in_range && free_before && free_after).then_some(hour)
}

/// Whether a year ends here, as in `02/Nov/2025:10:11:12`.
fn is_year(line: &[u8], end: usize) -> bool {
    end >= 5 && line[end - 4..end].iter().all(u8::is_ascii_digit) && line[end - 5] == b'/'
}

/// Where the date before an hour begins; the hour itself without a date.
fn date_before(line: &[u8], hour: usize) -> usize {
    let Some(end) = hour.checked_sub(1) else {
        return hour;
    };
    if !matches!(line[end], b'T' | b' ' | b':' | b'_') {
        return hour;
    }
    let start = word_before(line, end);
    let word = &line[start..end];
    if is_date(word) {
        return start;
    }
    if line[end] != b' ' {
        return hour;
    }
    // klog: `I1102 10:11:12`.
    if let [b'I' | b'W' | b'E' | b'F', rest @ ..] = word
        && rest.len() == 4
        && digits(rest) == 4
        && start == 0
    {
        return 1;
    }
    match digits(word) {
        // `Nov  2 10:11:12`
        1 | 2 if digits(word) == word.len() => month_before(line, start).unwrap_or(hour),
        // `02 Nov 2025 10:11:12`
        4 if word.len() == 4 => day_before(line, start).unwrap_or(hour),
        _ => hour,
    }
}

fn month_before(line: &[u8], day: usize) -> Option<usize> {
    let end = day - spaces_before(line, day);
    let start = end.checked_sub(3).filter(|_| end < day)?;
    let free = start == 0 || !line[start - 1].is_ascii_alphanumeric();
    (free && MONTHS.contains(&&line[start..end])).then_some(start)
}

fn day_before(line: &[u8], year: usize) -> Option<usize> {
    let month = month_before(line, year)?;
    let end = month.checked_sub(1).filter(|end| line[*end] == b' ')?;
    let start = word_before(line, end);
    let day = &line[start..end];
    (matches!(day.len(), 1 | 2) && digits(day) == day.len()).then_some(start)
}

/// Counts at most two spaces.
fn spaces_before(line: &[u8], at: usize) -> usize {
    let before = &line[at.saturating_sub(2)..at];
    before
        .iter()
        .rev()
        .take_while(|byte| **byte == b' ')
        .count()
}

/// Where the run of letters, digits and date separators begins that ends at `end`.
fn word_before(line: &[u8], end: usize) -> usize {
    let from = end.saturating_sub(12);
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.');
    let length = line[from..end]
        .iter()
        .rev()
        .take_while(|byte| inside(byte))
        .count();
    end - length
}

/// `2025-11-02`, `02/Nov/2025`, `2.11.2025`, `11-02` or `20251102`.
fn is_date(word: &[u8]) -> bool {
    let Some(mark) = word.iter().find(|byte| !byte.is_ascii_digit()) else {
        return word.len() == 8;
    };
    if !matches!(mark, b'-' | b'/' | b'.') {
        return false;
    }
    let mut count = 0;
    let fits = word
        .split(|byte| byte == mark)
        .enumerate()
        .all(|(at, part)| {
            count += 1;
            let number = (1..=4).contains(&part.len()) && digits(part) == part.len();
            number || (at == 1 && MONTHS.contains(&part))
        });
    fits && (count == 3 || (count == 2 && word.len() == 5))
}

fn digits(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<(&str, &str)> {
        let clock = Clock::find(line.as_bytes(), 0)?;
        let (start, hour, end) = (
            clock.start as usize,
            clock.hour as usize,
            clock.end as usize,
        );
        Some((&line[start..hour], &line[hour..end]))
    }

    #[test]
    fn times_are_found_with_their_dates() {
        for (line, date, time) in [
            ("2025-11-02T10:11:12.123Z x", "2025-11-02T", "10:11:12.123"),
            ("[2025-11-02 10:11:12,123] x", "2025-11-02 ", "10:11:12,123"),
            (
                "a - [02/Nov/2025:10:11:12 +0000]",
                "02/Nov/2025:",
                "10:11:12",
            ),
            ("Nov  2 10:11:12 host x", "Nov  2 ", "10:11:12"),
            ("Nov 15 10:11:12 host x", "Nov 15 ", "10:11:12"),
            ("[Sun Nov 02 10:11:12.5 2025]", "Nov 02 ", "10:11:12.5"),
            ("I1102 10:11:12.123456  1 x", "1102 ", "10:11:12.123456"),
            (
                "1:M 02 Nov 2025 10:11:12.1 * x",
                "02 Nov 2025 ",
                "10:11:12.1",
            ),
            ("03-17 16:13:38.811  1702", "03-17 ", "16:13:38.811"),
            ("10:11:12 x", "", "10:11:12"),
            ("ts=20251102T10:11:12 x", "20251102T", "10:11:12"),
        ] {
            assert_eq!(found(line), Some((date, time)), "{line}");
        }
    }

    #[test]
    fn addresses_and_long_numbers_are_not_timestamps() {
        for line in [
            "MAC=00:16:33:5e:6c",
            "aa:00:16:33",
            "25:00:00",
            "10:61:00",
            "1:02:03",
            "123:10:11:12:13",
            "10:11",
            "",
            "é:::::::",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}

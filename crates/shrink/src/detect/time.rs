//! Timestamps in the notations of logs.

use super::line::digits;

const MONTHS: &[u8] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
const DAYS: &[u8] = b"MonTueWedThuFriSatSun";

/// The length of the timestamp that a text begins with.
pub(super) fn stamp(bytes: &[u8]) -> Option<usize> {
    match *bytes.first()? {
        b'0'..=b'9' => numeric(bytes),
        b'I' | b'W' | b'E' | b'F' | b'D' if digits(&bytes[1..]) == 4 => {
            let day = 5 + usize::from(bytes.get(5) == Some(&b' '));
            Some(day + clock(bytes.get(day..)?)?)
        }
        b'A'..=b'Z' => named(bytes),
        _ => None,
    }
}

fn numeric(bytes: &[u8]) -> Option<usize> {
    if let Some(length) = clock(bytes) {
        return Some(length);
    }
    match digits(bytes) {
        count @ (4 | 2 | 1) => {
            let date = date(bytes, count)?;
            let gap = usize::from(matches!(
                bytes.get(date),
                Some(b' ' | b'T' | b't' | b'_' | b':' | b'-' | b',')
            ));
            let gap = gap + usize::from(gap == 1 && bytes.get(date + 1) == Some(&b' '));
            let time = bytes.get(date + gap..).and_then(clock)?;
            Some(date + gap + time)
        }
        // 20250102T030405 or 20250102-030405
        8 if matches!(bytes.get(8), Some(b'T' | b'-' | b'_')) => {
            (digits(&bytes[9..]) >= 6).then_some(15)
        }
        // Seconds or milliseconds since 1970.
        count @ (10 | 13 | 16) if matches!(bytes[0], b'1') => {
            let fraction = bytes.get(count) == Some(&b'.');
            let after = count + usize::from(fraction);
            let end = after
                + if fraction {
                    digits(bytes.get(after..)?)
                } else {
                    0
                };
            matches!(bytes.get(end), Some(b' ' | b']' | b'\t' | b'|' | b':')).then_some(end)
        }
        // Seconds since boot, as dmesg prints them.
        count @ 1..=7 if bytes.get(count) == Some(&b'.') => {
            let fraction = digits(&bytes[count + 1..]);
            (fraction == 6).then_some(count + 7)
        }
        _ => None,
    }
}

/// `2025-01-02`, `02.01.2025`, `02/Jan/2025`; the first number has `count` digits.
fn date(bytes: &[u8], count: usize) -> Option<usize> {
    let mark = *bytes.get(count)?;
    if !matches!(mark, b'-' | b'/' | b'.' | b' ') {
        return None;
    }
    let middle = bytes.get(count + 1..)?;
    let month = match digits(middle) {
        month @ (1 | 2) => month,
        0 if is_one_of(middle, MONTHS) => 3,
        _ => return None,
    };
    let last = count + 1 + month;
    if bytes.get(last) != Some(&mark) {
        return None;
    }
    let day = digits(bytes.get(last + 1..)?);
    matches!((count, day), (4, 1 | 2) | (1 | 2, 2 | 4)).then_some(last + 1 + day)
}

/// `Jan  2 03:04:05`, `Mon Jan 2 03:04:05 2025`, `Thu, 02 Jan 2025 03:04:05`
fn named(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    if is_one_of(bytes, DAYS) {
        at = 3 + bytes[3..]
            .iter()
            .take_while(|byte| matches!(byte, b',' | b' '))
            .count();
        if at == 3 {
            return None;
        }
    }
    let rest = bytes.get(at..)?;
    if is_one_of(rest, MONTHS) {
        at += 3 + spaces(&rest[3..])?;
        let day = digits(bytes.get(at..)?);
        if !(1..=2).contains(&day) {
            return None;
        }
        at += day;
    } else {
        let count = digits(rest);
        at += date(rest, count)?;
    }
    if bytes.get(at) == Some(&b',') {
        at += 1;
    }
    at += spaces(bytes.get(at..)?)?;
    // A year may precede the time.
    if digits(bytes.get(at..)?) == 4 {
        at += 4;
        at += spaces(bytes.get(at..)?)?;
    }
    Some(at + clock(bytes.get(at..)?)?)
}

/// `03:04:05`, optionally with a fraction and a zone.
fn clock(bytes: &[u8]) -> Option<usize> {
    let pair = |at: usize| {
        bytes.get(at).is_some_and(u8::is_ascii_digit)
            && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
    };
    if !(pair(0) && bytes.get(2) == Some(&b':') && pair(3)) {
        return None;
    }
    if !(bytes.get(5) == Some(&b':') && pair(6)) {
        return None;
    }
    if matches!(bytes.get(8), Some(b'0'..=b'9')) {
        return None;
    }
    let mut at = 8;
    if let Some(b'.' | b',') = bytes.get(at) {
        let fraction = digits(&bytes[at + 1..]);
        at += if fraction > 0 { fraction + 1 } else { 0 };
    }
    match bytes.get(at) {
        Some(b'Z') => Some(at + 1),
        Some(b'+' | b'-') if digits(&bytes[at + 1..]) >= 2 => {
            Some(at + 1 + digits(&bytes[at + 1..]))
        }
        _ => Some(at),
    }
}

fn spaces(bytes: &[u8]) -> Option<usize> {
    let count = bytes.iter().take_while(|byte| **byte == b' ').count();
    (count > 0).then_some(count)
}

fn is_one_of(bytes: &[u8], words: &[u8]) -> bool {
    bytes.len() >= 3 && words.chunks(3).any(|word| bytes.starts_with(word))
}

/// Whether a text contains a time such as `03:04:05` that is not part of a longer number.
pub(super) fn has_clock(bytes: &[u8]) -> bool {
    let mut colons = memchr::memchr_iter(b':', bytes);
    colons.any(|at| {
        let Some(start) = at.checked_sub(2) else {
            return false;
        };
        let alone = match start.checked_sub(1).map(|before| bytes[before]) {
            Some(b'0'..=b'9') => false,
            // `02/Jan/2025:03:04:05`
            Some(b':') => start > 5 && digits(&bytes[start - 5..]) == 4,
            _ => true,
        };
        alone && is_hour(&bytes[start..]) && clock(&bytes[start..]).is_some()
    })
}

fn is_hour(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [b'0' | b'1', b'0'..=b'9', ..] | [b'2', b'0'..=b'3', ..]
    )
}

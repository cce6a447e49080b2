//! Lines that repeat a few patterns and report what a program did: builds, tests, downloads.

use super::evidence::reports;
use super::found::{Detection, Found};
use super::line::Line;
use crate::kind::Kind;

/// Lower than the confidence of any format with definite marks.
const SURE: f32 = 0.72;

/// How many lines are examined for patterns at a time.
const WINDOW: usize = 200;

/// Fewer lines are not worth a region.
const LEAST: usize = 8;

pub(super) fn find(text: &str, first: Line<'_>) -> Detection {
    let word = first_word(first);
    let mut near = first
        .below(text)
        .take(3)
        .filter(|line| line.first() == first.first());
    if word.is_empty() || !near.any(|line| first_word(line) == word) {
        return Detection::No;
    }
    let mut end = None;
    let mut from = first;
    // Reads windows as long as their lines repeat patterns.
    loop {
        let window = Window::read(text, from);
        match window.repeats() {
            Some(last) => end = Some(last),
            None => break,
        }
        match Line::at(text, window.end) {
            Some(next) if window.is_full() => from = next,
            _ => break,
        }
    }
    match end {
        Some(end) => Detection::Yes(Found {
            end,
            kind: Kind::Log,
            confidence: SURE,
        }),
        None => Detection::NotBefore(Window::read(text, first).middle),
    }
}

/// The text before the first space or digit.
fn first_word(line: Line<'_>) -> &str {
    let text = line.head(64).trim_start_matches([' ', '\t']);
    let length = text
        .bytes()
        .take_while(|byte| !matches!(byte, b' ' | b'\t' | b'0'..=b'9'))
        .count();
    &text[..length]
}

/// Whether another finder may match at this line.
fn begins_something(line: Line<'_>) -> bool {
    let begins = |with| line.text.starts_with(with);
    match line.first() {
        Some(b'{' | b'[') => matches!(line.text, "{" | "[" | "[{"),
        Some(b'`') => begins("```"),
        Some(b'~') => begins("~~~"),
        Some(b'd') => begins("diff "),
        Some(b'|') => begins("| "),
        Some(b'+') => begins("+--"),
        Some(b'#') => true,
        Some(0xe2) => begins("├") || begins("┌"),
        _ => false,
    }
}

/// The features of a line.
struct Shaped {
    shape: u64,
    reports: bool,
    end: usize,
}

/// The features of consecutive lines.
struct Window {
    lines: Vec<Shaped>,
    middle: usize,
    end: usize,
}

impl Window {
    fn read(text: &str, first: Line<'_>) -> Self {
        let mut lines = Vec::with_capacity(WINDOW);
        let (mut middle, mut end) = (first.next, first.next);
        let mut blanks = 0;
        for line in first.and_below(text) {
            if line.is_blank() {
                blanks += 1;
                if blanks > 1 {
                    break;
                }
                continue;
            }
            if lines.len() == WINDOW || begins_something(line) {
                break;
            }
            blanks = 0;
            lines.push(Shaped {
                shape: shape(line),
                reports: reports(line),
                end: line.next,
            });
            end = line.next;
            if lines.len() <= WINDOW / 2 {
                middle = end;
            }
        }
        Self { lines, middle, end }
    }

    fn is_full(&self) -> bool {
        self.lines.len() == WINDOW
    }

    /// The end of the last line whose shape occurs at least three times, if most lines have such shapes and half of
    /// these report an event.
    fn repeats(&self) -> Option<usize> {
        if self.lines.len() < LEAST {
            return None;
        }
        let mut sorted: Vec<u64> = self.lines.iter().map(|line| line.shape).collect();
        sorted.sort_unstable();
        let is_repeated = |line: &&Shaped| {
            let from = sorted.partition_point(|other| *other < line.shape);
            sorted.get(from + 2) == Some(&line.shape)
        };
        let (mut count, mut reports, mut last) = (0, 0, None);
        for line in self.lines.iter().filter(is_repeated) {
            count += 1;
            reports += usize::from(line.reports);
            last = Some(line.end);
        }
        let is_log = count * 5 >= self.lines.len() * 3 && count >= LEAST && reports * 2 >= count;
        last.filter(|_| is_log)
    }
}

/// A hash of the first word, the number of words, and the last byte.
fn shape(line: Line<'_>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    for byte in first_word(line).bytes() {
        mix(byte);
    }
    let head = line.head(256).as_bytes();
    mix(memchr::memchr_iter(b' ', head).count() as u8);
    let last = line.bytes().last().copied().unwrap_or(0);
    mix(if last.is_ascii_digit() { b'0' } else { last });
    hash
}

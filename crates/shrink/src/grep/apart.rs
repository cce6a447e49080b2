//! The `--` between lines that do not follow each other, where it can be told from their numbers.

use super::APART;
use super::head::Head;
use super::hit::digits;
use super::split::Cut;

/// Lines that make it worth to explain why they are not there.
const ENOUGH: usize = 8;

/// Knows whether a `--` comes before a line.
pub(super) struct Apart {
    left_out: bool,
    /// The file and the number of the line before.
    last: Option<(String, u64)>,
}

impl Apart {
    pub(super) fn new(head: &Head) -> Self {
        Self {
            left_out: head.apart,
            last: None,
        }
    }

    /// Whether there are many of them, and each of them is where it can be told.
    pub(super) fn pays<'a>(lines: impl Iterator<Item = (&'a str, &'a Option<Cut<'a>>)>) -> bool {
        let mut count = 0_usize;
        let mut before = false;
        let mut last: Option<(&str, u64)> = None;
        for (line, cut) in lines {
            let Some(cut) = cut else {
                // One that stands somewhere else could not be told from one that was left out.
                if before || line == APART && last.is_none() {
                    return false;
                }
                before = line == APART;
                if !before {
                    last = None;
                }
                continue;
            };
            let here = (cut.path, number(cut.rest));
            if before != last.is_some_and(|last| !follows(last, here)) {
                return false;
            }
            count += usize::from(before);
            before = false;
            last = Some(here);
        }
        !before && count >= ENOUGH
    }

    /// A line that belongs to no file.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    /// A line of a file: whether a `--` was left out before it.
    pub(super) fn is_before(&mut self, path: &str, rest: &str) -> bool {
        if !self.left_out {
            return false;
        }
        let here = (path, number(rest));
        let last = self.last.as_ref();
        let apart = last.is_some_and(|(path, number)| !follows((path, *number), here));
        match &mut self.last {
            Some((last, number)) if last == path => *number = here.1,
            last => *last = Some((path.to_owned(), here.1)),
        }
        apart
    }
}

fn number(rest: &str) -> u64 {
    rest[..digits(rest)].parse().unwrap_or(0)
}

fn follows(last: (&str, u64), here: (&str, u64)) -> bool {
    last.0 == here.0 && last.1.checked_add(1) == Some(here.1)
}

//! The `--` between lines that are not adjacent, where line numbers imply it.

use super::SEPARATOR;
use super::head::Head;
use super::hit::digits;
use super::split::Cut;

/// The least number of separators whose omission is worth explaining in the head.
const ENOUGH: usize = 8;

/// Decides whether a `--` precedes a line.
pub(super) struct Separators {
    left_out: bool,
    /// The file and the number of the previous line.
    last: Option<(String, u64)>,
}

impl Separators {
    pub(super) fn new(head: &Head) -> Self {
        Self {
            left_out: head.implied_separators,
            last: None,
        }
    }

    /// Whether the separators can be omitted: there are enough, and each is exactly where line numbers imply it.
    pub(super) fn pays<'a>(lines: impl Iterator<Item = (&'a str, &'a Option<Cut<'a>>)>) -> bool {
        let mut count = 0_usize;
        let mut before = false;
        let mut last: Option<(&str, u64)> = None;
        for (line, cut) in lines {
            let Some(cut) = cut else {
                // A separator elsewhere could not be told from an omitted one.
                if before || line == SEPARATOR && last.is_none() {
                    return false;
                }
                before = line == SEPARATOR;
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

    /// Forgets the previous line, at a line without a file.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    /// Whether a `--` was omitted before this line of a file.
    pub(super) fn is_before(&mut self, path: &str, rest: &str) -> bool {
        if !self.left_out {
            return false;
        }
        let here = (path, number(rest));
        let last = self.last.as_ref();
        let separators = last.is_some_and(|(path, number)| !follows((path, *number), here));
        match &mut self.last {
            Some((last, number)) if last == path => *number = here.1,
            last => *last = Some((path.to_owned(), here.1)),
        }
        separators
    }
}

fn number(rest: &str) -> u64 {
    rest[..digits(rest)].parse().unwrap_or(0)
}

fn follows(last: (&str, u64), here: (&str, u64)) -> bool {
    last.0 == here.0 && last.1.checked_add(1) == Some(here.1)
}

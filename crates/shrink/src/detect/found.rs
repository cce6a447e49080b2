//! What a finder says, and how sure it is.

use super::line::Line;
use crate::kind::Kind;

/// Lines from where a finder was asked to `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) end: usize,
    pub(super) kind: Kind,
    pub(super) confidence: f32,
}

/// What a finder says about the lines from a place on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Detection {
    /// Not what it looks for.
    No,
    /// Not what it looks for, and neither is any line before this offset. A detector that reads more than a
    /// few lines before it declines has to return this: otherwise an adversarial text would be read again
    /// for each of its lines.
    NotBefore(usize),
    /// That is what it looks for.
    Yes(Found),
}

/// Lines that fit, and a few among them that do not.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) fit: usize,
    pub(super) unfit: usize,
    /// After the last line that fits.
    pub(super) end: usize,
    /// How many have not fitted since.
    pending: usize,
    /// So many in a row end it.
    gap: usize,
}

impl Run {
    pub(super) fn new(first: Line<'_>, gap: usize) -> Self {
        Self {
            fit: 0,
            unfit: 0,
            end: first.start,
            pending: 0,
            gap,
        }
    }

    /// This line fits.
    pub(super) fn yes(&mut self, line: Line<'_>) {
        self.fit += 1;
        self.unfit += std::mem::take(&mut self.pending);
        self.end = line.next;
    }

    /// This line says nothing, and belongs to what is before it.
    pub(super) fn with(&mut self, line: Line<'_>) {
        if self.pending == 0 {
            self.end = line.next;
        }
    }

    /// This line does not fit. Whether to go on all the same.
    pub(super) fn no(&mut self) -> bool {
        self.pending += 1;
        self.pending <= self.gap && self.pending + self.unfit <= 2 + self.fit
    }

    /// As sure as `top` if there are many lines and all of them fit.
    pub(super) fn detection(&self, kind: Kind, least: usize, top: f32) -> Detection {
        if self.fit < least {
            return Detection::NotBefore(self.end);
        }
        Detection::Yes(Found {
            end: self.end,
            kind,
            confidence: sure(top, self.fit, self.unfit),
        })
    }
}

/// As sure as `top` if there are many lines and all of them fit.
pub(super) fn sure(top: f32, fit: usize, unfit: usize) -> f32 {
    let all = (fit + unfit).max(1) as f32;
    let share = fit as f32 / all;
    let few = 0.4 / fit.max(1) as f32;
    top * (0.4 + 0.6 * share) * (1.0 - few)
}

//! What a finder returns, and its confidence.

use super::line::Line;
use crate::kind::Kind;

/// A region from the line that the finder was given to `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) end: usize,
    pub(super) kind: Kind,
    pub(super) confidence: f32,
}

/// What a finder returns for the lines from an offset on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Detection {
    /// The line does not begin a region of this kind.
    No,
    /// No line before this offset begins a region of this kind. A finder that reads more than a few lines before it
    /// declines must return this: otherwise an adversarial text would be read again for each of its lines.
    NotBefore(usize),
    /// The region.
    Yes(Found),
}

/// Lines that fit, with a few among them that do not.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) fit: usize,
    pub(super) unfit: usize,
    /// The end of the last line that fits.
    pub(super) end: usize,
    /// Unfit lines since the last line that fits.
    pending: usize,
    /// More unfit lines in a row than this end the run.
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

    /// Adds a line that fits.
    pub(super) fn yes(&mut self, line: Line<'_>) {
        self.fit += 1;
        self.unfit += std::mem::take(&mut self.pending);
        self.end = line.next;
    }

    /// Adds a line that is neither evidence for nor against, if it directly follows a line that fits.
    pub(super) fn with(&mut self, line: Line<'_>) {
        if self.pending == 0 {
            self.end = line.next;
        }
    }

    /// Adds a line that does not fit; returns whether the run goes on.
    pub(super) fn no(&mut self) -> bool {
        self.pending += 1;
        self.pending <= self.gap && self.pending + self.unfit <= 2 + self.fit
    }

    /// The result for the run, with a confidence that approaches `top` if many lines fit and none does not.
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

/// A confidence that approaches `top` if many lines fit and none does not.
pub(super) fn sure(top: f32, fit: usize, unfit: usize) -> f32 {
    let all = (fit + unfit).max(1) as f32;
    let share = fit as f32 / all;
    let few = 0.4 / fit.max(1) as f32;
    top * (0.4 + 0.6 * share) * (1.0 - few)
}

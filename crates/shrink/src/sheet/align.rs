//! Alignment of cells in their column.

use super::measure::Measure;
use super::rows::{Rows, is_number};

/// The alignment of a cell in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
    /// With an odd number of spaces, the extra one is on the right.
    Center,
    /// With an odd number of spaces, the extra one is on the left.
    CenterLate,
    /// As in Python: the extra space is on the left if the column width is odd.
    CenterPython,
}

impl Align {
    /// All alignments, the most likely first.
    pub(super) const ALL: [Self; 5] = [
        Self::Left,
        Self::Right,
        Self::Center,
        Self::CenterLate,
        Self::CenterPython,
    ];

    /// The letter of an alignment in a head.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::Left => 'l',
            Self::Right => 'r',
            Self::Center => 'c',
            Self::CenterLate => 'm',
            Self::CenterPython => 'p',
        }
    }

    /// The alignment of a letter.
    pub(super) fn parse(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.letter() == letter)
    }

    /// The number of spaces before and after a cell.
    pub(super) const fn split(self, spaces: usize, width: usize) -> (usize, usize) {
        let before = match self {
            Self::Left => 0,
            Self::Right => spaces,
            Self::Center => spaces / 2,
            Self::CenterLate => spaces.div_ceil(2),
            Self::CenterPython => spaces / 2 + (spaces & width & 1),
        };
        (before, spaces - before)
    }

    /// Removes the padding of a cell. Spaces that cannot be padding stay.
    pub(super) fn trim(self, field: &str) -> &str {
        match self {
            Self::Left => field.trim_end_matches(' '),
            Self::Right => field.trim_start_matches(' '),
            _ => field.trim_matches(' '),
        }
    }
}

/// The usual alignment of columns: numbers to the right.
pub(super) fn usual(rows: &Rows<'_>) -> Vec<Align> {
    // `None` until a cell is seen, then whether all cells are numbers.
    let mut are_numbers: Vec<Option<bool>> = vec![None; rows.width];
    for row in rows.rows() {
        for (cell, are_numbers) in row.iter().zip(&mut are_numbers) {
            if *are_numbers != Some(false) && !matches!(&**cell, "" | "NULL" | "null") {
                *are_numbers = Some(is_number(cell));
            }
        }
    }
    let align = |are_numbers| match are_numbers {
        Some(true) => Align::Right,
        _ => Align::Left,
    };
    are_numbers.into_iter().map(align).collect()
}

/// For each alignment, the number of cells of a column whose position it explains.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Votes {
    votes: [usize; 5],
    /// The number of cells that are numbers, and of those that are not.
    numbers: usize,
    others: usize,
}

impl Votes {
    /// Counts a cell, given with its padding.
    pub(super) fn cast(&mut self, field: &str, width: usize, measure: Measure) {
        let cell = field.trim_matches(' ');
        if cell.is_empty() {
            return;
        }
        if is_number(cell) {
            self.numbers += 1;
        } else if !matches!(cell, "NULL" | "null") {
            self.others += 1;
        }
        let before = field.len() - field.trim_start_matches(' ').len();
        let spaces = width.saturating_sub(measure.of(cell));
        for (align, votes) in Align::ALL.into_iter().zip(&mut self.votes) {
            *votes += usize::from(align.split(spaces, width).0 == before);
        }
    }

    /// The usual alignment of a column like this.
    pub(super) const fn usual(&self) -> Align {
        if self.numbers > 0 && self.others == 0 {
            Align::Right
        } else {
            Align::Left
        }
    }

    /// The alignment with the most votes; `usual` if it is among them.
    pub(super) fn elected_or(&self, usual: Align) -> Align {
        let most = self.votes.iter().max().copied().unwrap_or(0);
        let votes = Align::ALL.into_iter().zip(self.votes);
        let mut elected = votes
            .filter(|(_, votes)| *votes == most)
            .map(|(align, _)| align);
        if elected.clone().any(|one| one == usual) {
            usual
        } else {
            elected.next().unwrap_or(usual)
        }
    }
}

/// The letters of the columns' alignments.
pub(super) fn letters(aligns: &[Align]) -> String {
    aligns.iter().map(|one| one.letter()).collect()
}

/// The inverse of [`letters`].
pub(super) fn parse_letters(letters: &str) -> Option<Vec<Align>> {
    letters.chars().map(Align::parse).collect()
}

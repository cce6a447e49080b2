//! Where in its column a cell stands.

use super::measure::Measure;
use super::rows::{Rows, is_number};

/// Where in its column a cell stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
    /// An odd space goes to the right.
    Center,
    /// An odd space goes to the left.
    CenterLate,
    /// As Python does it: an odd space goes to the left if the column is odd.
    CenterPython,
}

impl Align {
    /// All of them, from the one to guess first.
    pub(super) const ALL: [Self; 5] = [
        Self::Left,
        Self::Right,
        Self::Center,
        Self::CenterLate,
        Self::CenterPython,
    ];

    /// The letter for it in a head.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::Left => 'l',
            Self::Right => 'r',
            Self::Center => 'c',
            Self::CenterLate => 'm',
            Self::CenterPython => 'p',
        }
    }

    /// What a letter means.
    pub(super) fn parse(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.letter() == letter)
    }

    /// How many spaces go before and after a cell.
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

    /// What is left of a cell if its padding is taken off. Spaces that cannot be padding stay.
    pub(super) fn trim(self, field: &str) -> &str {
        match self {
            Self::Left => field.trim_end_matches(' '),
            Self::Right => field.trim_start_matches(' '),
            _ => field.trim_matches(' '),
        }
    }
}

/// How most programs align these columns: numbers to the right.
pub(super) fn usual(rows: &Rows<'_>) -> Vec<Align> {
    // Nothing yet, or whether all are numbers.
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

/// How many cells of a column would stand where they do, for each way to align them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Votes {
    votes: [usize; 5],
    /// How many are numbers, and how many are not.
    numbers: usize,
    others: usize,
}

impl Votes {
    /// Looks at a cell with its spaces.
    pub(super) fn cast(&mut self, field: &str, width: usize, measure: Measure) {
        let cell = field.trim_matches(' ');
        if cell.is_empty() {
            return;
        }
        match is_number(cell) {
            true => self.numbers += 1,
            false if matches!(cell, "NULL" | "null") => {}
            false => self.others += 1,
        }
        let before = field.len() - field.trim_start_matches(' ').len();
        let spaces = width.saturating_sub(measure.of(cell));
        for (align, votes) in Align::ALL.into_iter().zip(&mut self.votes) {
            *votes += usize::from(align.split(spaces, width).0 == before);
        }
    }

    /// How most programs align such a column.
    pub(super) const fn usual(&self) -> Align {
        if self.numbers > 0 && self.others == 0 {
            Align::Right
        } else {
            Align::Left
        }
    }

    /// The one with the most votes, or this one if no other has more.
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

/// The letters for a row of columns.
pub(super) fn letters(aligns: &[Align]) -> String {
    aligns.iter().map(|one| one.letter()).collect()
}

/// The way back.
pub(super) fn parse_letters(letters: &str) -> Option<Vec<Align>> {
    letters.chars().map(Align::parse).collect()
}

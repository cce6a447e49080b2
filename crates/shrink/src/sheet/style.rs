//! The drawing of a table, in any style.

use super::csv::Csv;
use super::grid::Grid;
use super::head::Words;
use super::listing::Listing;
use super::markdown::Markdown;
use super::page::Page;
use super::rows::Rows;
use crate::rendering::Malformed;

/// The drawing of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Style {
    Csv(Csv),
    Markdown(Markdown),
    Grid(Grid),
    Listing(Listing),
}

impl Style {
    /// The words of the head.
    pub(super) fn head(&self) -> String {
        match self {
            Self::Csv(csv) => csv.head(),
            Self::Markdown(markdown) => markdown.head(),
            Self::Grid(grid) => grid.head(),
            Self::Listing(listing) => listing.head(),
        }
    }

    /// The inverse of [`Self::head`], for a table with this many columns.
    pub(super) fn parse(words: Words<'_>, columns: usize) -> Option<Self> {
        let mut rest = words.clone();
        match rest.next()? {
            word @ ("csv" | "tsv") => Csv::parse(word, rest, columns).map(Self::Csv),
            "markdown" => Markdown::parse(rest, columns).map(Self::Markdown),
            "aligned" => Listing::parse(rest, columns).map(Self::Listing),
            _ => Grid::parse(&mut words.clone(), columns).map(Self::Grid),
        }
    }

    /// Draws the table.
    pub(super) fn draw(&self, rows: &Rows<'_>, page: &mut Page<'_>) -> Result<(), Malformed> {
        match self {
            Self::Csv(csv) => csv.draw(rows, page),
            Self::Markdown(markdown) => markdown.draw(rows, page),
            Self::Grid(grid) => grid.draw(rows, page),
            Self::Listing(listing) => listing.draw(rows, page),
        }
    }

    /// How wide the head alone can make a line.
    pub(super) fn given(&self, columns: usize) -> usize {
        match self {
            Self::Csv(_) => 0,
            Self::Markdown(markdown) => markdown.given(),
            Self::Grid(grid) => grid.given(columns),
            Self::Listing(listing) => listing.given(columns),
        }
    }
}

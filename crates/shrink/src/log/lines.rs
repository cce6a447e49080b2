//! The offsets of the lines of a text.

use std::ops::Range;

use memchr::memchr_iter;

/// Longer lines have no template: they rarely repeat.
const LONG: u32 = 8192;

/// The lines of a text, without line ends.
pub(crate) struct Lines<'a> {
    pub(crate) text: &'a str,
    /// The start of each line, and of the line after the last.
    starts: Vec<u32>,
}

impl<'a> Lines<'a> {
    /// `None` if templates cannot save tokens: too few lines, lines too short, or too much text.
    pub(crate) fn new(text: &'a str) -> Option<Self> {
        let size = u32::try_from(text.len())
            .ok()
            .filter(|size| *size < u32::MAX)?;
        let count = memchr_iter(b'\n', text.as_bytes()).count() + 1;
        if count < 4 || text.len() / count < 4 {
            return None;
        }
        let mut starts = Vec::with_capacity(count + 1);
        starts.push(0);
        starts.extend(memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        starts.push(size + 1);
        Some(Self { text, starts })
    }

    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn range(&self, line: usize) -> Range<u32> {
        self.starts[line]..self.starts[line + 1] - 1
    }

    pub(crate) fn line(&self, line: usize) -> &'a str {
        let range = self.range(line);
        &self.text[range.start as usize..range.end as usize]
    }

    /// Whether a line may have a template: it is neither empty nor too long.
    pub(crate) fn is_usual(&self, line: usize) -> bool {
        let range = self.range(line);
        (1..LONG).contains(&(range.end - range.start))
    }

    /// All lines, or blocks of lines spread over the text if there are more than `most`.
    pub(crate) fn sample(&self, most: usize) -> Vec<u32> {
        const BLOCK: usize = 25;
        let count = self.count();
        let usual = |line: &u32| self.is_usual(*line as usize);
        if count <= most {
            return (0..count as u32).filter(usual).collect();
        }
        let blocks = most / BLOCK;
        let first = |block: usize| block * (count - BLOCK) / (blocks - 1).max(1);
        let lines = (0..blocks).flat_map(|block| first(block)..first(block) + BLOCK);
        lines.map(|line| line as u32).filter(usual).collect()
    }
}

//! Many short texts in one buffer.

use crate::context::Context;

/// Texts in one buffer, each with the offset of its first comma if it has more than one cell.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: String,
    ends: Vec<(usize, Option<usize>)>,
}

impl Lines {
    /// The buffer to append the next text to; [`Lines::end`] ends it.
    pub(super) fn text(&mut self) -> &mut String {
        &mut self.text
    }

    /// Ends a text.
    pub(super) fn end(&mut self, comma: Option<usize>) {
        self.ends.push((self.text.len(), comma));
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A text; empty if there is none at this index.
    pub(super) fn get(&self, at: usize) -> &str {
        let start = match at.checked_sub(1) {
            Some(before) => self.ends.get(before).map(|(end, _)| *end),
            None => Some(0),
        };
        let end = self.ends.get(at).map(|(end, _)| *end);
        match (start, end) {
            (Some(start), Some(end)) => &self.text[start..end],
            _ => "",
        }
    }

    /// The first cell of a text with more than one.
    pub(super) fn first(&self, at: usize) -> Option<&str> {
        let comma = self.ends.get(at)?.1?;
        Some(&self.get(at)[..comma])
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// All texts, joined behind `first`, each preceded by `between`.
    pub(super) fn join(&self, first: String, between: char) -> String {
        let mut out = first;
        out.reserve(self.text.len() + self.ends.len());
        for text in self.iter() {
            out.push(between);
            out.push_str(text);
        }
        out
    }

    /// The tokens of all texts.
    pub(super) fn tokens(&self, context: &Context) -> u64 {
        context.tokens(&self.join(String::new(), ';'))
    }

    /// The bytes of all texts.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }
}

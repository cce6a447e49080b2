//! Many short texts in one.

use crate::context::Context;

/// Texts in one buffer, and for each where its first comma is, if it has cells after the first.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: String,
    ends: Vec<(usize, Option<usize>)>,
}

impl Lines {
    /// Where the next text is to be written; [`Lines::end`] ends it.
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

    /// A text, or an empty one if there is none.
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

    /// The first cell of a text that has more.
    pub(super) fn first(&self, at: usize) -> Option<&str> {
        let comma = self.ends.get(at)?.1?;
        Some(&self.get(at)[..comma])
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// All of them after `first`, each with `between` before it.
    pub(super) fn join(&self, first: String, between: char) -> String {
        let mut out = first;
        out.reserve(self.text.len() + self.ends.len());
        for text in self.iter() {
            out.push(between);
            out.push_str(text);
        }
        out
    }

    /// What all of them weigh.
    pub(super) fn tokens(&self, context: &Context) -> u64 {
        context.tokens(&self.join(String::new(), ';'))
    }

    /// How many bytes all of them have.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }
}

//! Skips unused values. A loop instead of recursion, because the input determines their depth.

use std::io::Read;

use super::{Json, Result, Shape};

impl<R: Read> Json<R> {
    /// Skips the rest of arrays and objects until at most `depth` are open.
    pub(in crate::manifest) fn close_to(&mut self, depth: usize) -> Result<()> {
        let mut scratch = std::mem::take(&mut self.scratch);
        while self.open.len() > depth {
            let more = match self.open.last() {
                Some(b'}') => self.key(&mut scratch)?,
                _ => self.item()?,
            };
            if more {
                self.skip_or_open(&mut scratch)?;
            }
        }
        self.scratch = scratch;
        Ok(())
    }

    /// Skips the next value.
    pub(in crate::manifest) fn skip(&mut self) -> Result<()> {
        let depth = self.depth();
        let mut scratch = std::mem::take(&mut self.scratch);
        self.skip_or_open(&mut scratch)?;
        self.scratch = scratch;
        self.close_to(depth)
    }

    fn skip_or_open(&mut self, scratch: &mut Vec<u8>) -> Result<()> {
        scratch.clear();
        match self.shape()? {
            Shape::Text => self.text(scratch),
            Shape::Number => self.number(scratch),
            Shape::Bool(true) => self.literal(b"true"),
            Shape::Bool(false) => self.literal(b"false"),
            Shape::Null => self.literal(b"null"),
            Shape::Array => self.open_array(),
            Shape::Object => self.open_object(),
        }
    }

    fn literal(&mut self, word: &[u8]) -> Result<()> {
        word.iter()
            .try_for_each(|byte| self.exactly(*byte, "true, false or null"))
    }
}

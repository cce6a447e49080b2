//! The part of the input that is in memory.

use std::io::{self, Read};

/// How much is read at a time. Twice as much is slower: it has to stay in the nearest caches, beside
/// what is made of it.
const CHUNK: usize = 64 << 10;

/// How much can be looked at from any position without asking whether it is there.
pub(super) const LOOK: usize = 32;

/// Bytes of an input, those that were taken and those that are next.
pub(super) struct Window<R> {
    input: R,
    /// What was read, followed by [`LOOK`] quotes: a search for the end of a string always finds one,
    /// and need not check for the end of the window.
    bytes: Vec<u8>,
    at: usize,
    end: usize,
    /// Bytes of the input before the window.
    before: u64,
}

impl<R: Read> Window<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            bytes: vec![b'"'; CHUNK + LOOK],
            at: 0,
            end: 0,
            before: 0,
        }
    }

    /// The next byte, if there is one.
    #[inline]
    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at == self.end && !self.fill()? {
            return Ok(None);
        }
        Ok(Some(self.bytes[self.at]))
    }

    /// Takes bytes that were looked at.
    #[inline]
    pub(super) fn take(&mut self, count: usize) {
        self.at = (self.at + count).min(self.end);
    }

    /// What is there without reading more, and [`LOOK`] quotes.
    #[inline]
    pub(super) fn ahead(&self) -> &[u8] {
        &self.bytes[self.at..self.end + LOOK]
    }

    /// How much is there without reading more.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.end - self.at
    }

    /// How many bytes were taken.
    pub(super) fn offset(&self) -> u64 {
        self.before + self.at as u64
    }

    #[cold]
    fn fill(&mut self) -> io::Result<bool> {
        self.before += self.end as u64;
        (self.at, self.end) = (0, 0);
        let got = loop {
            match self.input.read(&mut self.bytes[..CHUNK]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other?.min(CHUNK),
            }
        };
        self.end = got;
        self.bytes[got..got + LOOK].fill(b'"');
        Ok(got > 0)
    }
}

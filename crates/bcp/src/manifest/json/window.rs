//! The part of the input that is in memory.

use std::io::{self, Read};

/// The number of bytes per read. Twice as much is slower: the window has to stay in the nearest caches
/// together with the output.
const CHUNK: usize = 64 << 10;

/// The number of bytes that may be inspected at any position without a bounds check.
pub(super) const LOOK: usize = 32;

/// A window of an input.
pub(super) struct Window<R> {
    input: R,
    /// The bytes read, followed by [`LOOK`] quotes: a search for the end of a string always finds a quote,
    /// and need not check for the end of the window.
    bytes: Vec<u8>,
    at: usize,
    end: usize,
    /// The number of bytes of the input before the window.
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

    /// Consumes inspected bytes.
    #[inline]
    pub(super) fn take(&mut self, count: usize) {
        self.at = (self.at + count).min(self.end);
    }

    /// The bytes in the window, and [`LOOK`] quotes.
    #[inline]
    pub(super) fn ahead(&self) -> &[u8] {
        &self.bytes[self.at..self.end + LOOK]
    }

    /// The number of bytes in the window.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.end - self.at
    }

    /// The number of bytes consumed.
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

//! Text that is held back until it is complete.
//!
//! A file appears when it is complete; a stream, too, should get the whole text or none of it. A source whose
//! frames have been checked cannot fail at its end; one with a compressed payload can.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use linkspan_bcp::Document;

use crate::cleaned::Cleaned;
use crate::error::{BcpError, Result};
use crate::files::Output;

/// Bytes held in memory; more are held in an unnamed file.
const MEMORY: usize = 1 << 20;

/// Bytes copied at a time.
const CHUNK: usize = 128 << 10;

pub(crate) struct Held<'o> {
    out: Out<'o>,
    state: State,
    /// Whether the source may fail at its end.
    doubtful: bool,
    last: u8,
    /// The error of a failed write. The renderer reports it like an unreadable source.
    failed: Option<BcpError>,
}

enum Out<'o> {
    Plain(&'o mut Output),
    /// Control characters of a file must not reach a terminal.
    Terminal(Cleaned<&'o mut Output>),
}

enum State {
    Memory(Vec<u8>),
    Spooled(File),
    /// The text is passed on without being held.
    Passed,
}

impl<'o> Held<'o> {
    pub(crate) fn new(out: &'o mut Output, document: &Document, terminal: bool) -> Self {
        let compressed = document
            .reader()
            .is_ok_and(|reader| reader.header().is_compressed());
        Self {
            doubtful: compressed && !out.is_atomic(),
            state: if out.is_atomic() {
                State::Passed
            } else {
                State::Memory(Vec::new())
            },
            out: if terminal {
                Out::Terminal(Cleaned::new(out))
            } else {
                Out::Plain(out)
            },
            last: b'\n',
            failed: None,
        }
    }

    /// Whether the output is a stream and its last line is not terminated.
    pub(crate) fn wants_line_end(&self) -> bool {
        self.output().is_stream() && self.last != b'\n'
    }

    /// Writes the held text: it is complete.
    pub(crate) fn finish(mut self) -> Result<()> {
        let finished = self.release().and_then(|()| match &mut self.out {
            Out::Plain(out) => out.flush(),
            Out::Terminal(out) => out.finish().and_then(|()| out.flush()),
        });
        finished.map_err(|e| self.output().incomplete(e))
    }

    /// The error of a failed write, if any.
    pub(crate) fn failed(&mut self) -> Option<BcpError> {
        self.failed.take()
    }

    fn output(&self) -> &Output {
        match &self.out {
            Out::Plain(out) => out,
            Out::Terminal(out) => out.inner(),
        }
    }

    fn release(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.state, State::Passed) {
            State::Memory(held) => self.pass(&held),
            State::Spooled(mut file) => {
                file.rewind()?;
                let mut chunk = vec![0; CHUNK];
                loop {
                    match file.read(&mut chunk)? {
                        0 => return Ok(()),
                        read => self.pass(&chunk[..read])?,
                    }
                }
            }
            State::Passed => Ok(()),
        }
    }

    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.out {
            Out::Plain(out) => out.write_all(bytes),
            Out::Terminal(out) => out.write_all(bytes),
        }
    }

    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.last = bytes.last().copied().unwrap_or(self.last);
        if let State::Memory(held) = &mut self.state {
            if held.len() + bytes.len() <= MEMORY {
                held.extend_from_slice(bytes);
                return Ok(());
            }
            if self.doubtful {
                let held = std::mem::take(held);
                let spool = self.output().spool();
                let mut file = spool.map_err(|e| io::Error::other(e.to_string()))?;
                file.write_all(&held)?;
                self.state = State::Spooled(file);
            } else {
                self.release()?;
            }
        }
        match &mut self.state {
            State::Spooled(file) => file.write_all(bytes),
            _ => self.pass(bytes),
        }
    }
}

impl Write for Held<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.take(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(e) => {
                let kind = e.kind();
                self.failed = Some(self.output().incomplete(e));
                Err(kind.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

//! Text on its way out, held back until it is sure that all of it can be made.
//!
//! A file on a disk appears when it is complete, and whoever reads stdout should have that, too: all
//! or nothing. A file whose frames were looked at before has no surprise at its end; one that is
//! compressed as a whole may have.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, Write};

use linkspan_bcp::Document;

use crate::bcp::files::Output;
use crate::exit::Failure;
use crate::show::Cleaned;

/// So much is held in memory, and more in a file without a name, if it has to be held at all.
const MEMORY: usize = 1 << 20;

/// How much is copied at a time.
const CHUNK: usize = 128 << 10;

pub(crate) struct Held<'o> {
    out: Out<'o>,
    state: State,
    /// Whether there may be a surprise at the end.
    doubtful: bool,
    last: u8,
    /// Why it could not be written. Whoever renders cannot tell that from a file that could not be
    /// read.
    torn: Option<Failure>,
}

enum Out<'o> {
    Plain(&'o mut Output),
    /// What a file says must not drive a terminal.
    Terminal(Cleaned<&'o mut Output>),
}

enum State {
    Memory(Vec<u8>),
    Spooled(File),
    /// Nothing is held any more.
    Passed,
}

impl<'o> Held<'o> {
    pub(crate) fn new(out: &'o mut Output, document: &Document) -> Self {
        let compressed = document
            .reader()
            .is_ok_and(|reader| reader.header().is_compressed());
        Self {
            doubtful: compressed && !out.is_atomic(),
            state: match out.is_atomic() {
                true => State::Passed,
                false => State::Memory(Vec::new()),
            },
            out: match out.is_stdout() && io::stdout().is_terminal() {
                true => Out::Terminal(Cleaned::new(out)),
                false => Out::Plain(out),
            },
            last: b'\n',
            torn: None,
        }
    }

    /// Whether it is a stream whose last line has no end.
    pub(crate) fn wants_line_end(&self) -> bool {
        self.output().is_stdout() && self.last != b'\n'
    }

    /// All of it was made.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        let finished = self.let_go().and_then(|()| match &mut self.out {
            Out::Plain(out) => out.flush(),
            Out::Terminal(out) => out.finish().and_then(|()| out.flush()),
        });
        finished.map_err(|e| self.output().torn(&e))
    }

    /// Why it could not be written, if that was it.
    pub(crate) fn torn(&mut self) -> Option<Failure> {
        self.torn.take()
    }

    fn output(&self) -> &Output {
        match &self.out {
            Out::Plain(out) => out,
            Out::Terminal(out) => out.inner(),
        }
    }

    fn let_go(&mut self) -> io::Result<()> {
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
                let mut file = spool.map_err(|e| io::Error::other(e.in_words()))?;
                file.write_all(&held)?;
                self.state = State::Spooled(file);
            } else {
                self.let_go()?;
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
                self.torn = Some(self.output().torn(&e));
                Err(e)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

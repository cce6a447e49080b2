//! Whether what we said got through.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use crate::exit::{Exit, Failure};

/// The first thing that went wrong with stdout.
static TROUBLE: Mutex<Option<io::Error>> = Mutex::new(None);

/// Remembers that something could not be printed.
pub(crate) fn note(printed: io::Result<()>) {
    if let Err(e) = printed {
        let mut trouble = TROUBLE.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.get_or_insert(e);
    }
}

/// Whether everything was printed, because half an answer must not pass for one. A reader that has
/// gone away (`| head`) is no error.
pub(crate) fn printed() -> Result<(), Failure> {
    note(io::stdout().flush());
    let trouble = TROUBLE
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    match trouble {
        Some(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(cannot_print(&e)),
        _ => Ok(()),
    }
}

/// stdout did not take what it was given.
pub(crate) fn cannot_print(e: &io::Error) -> Failure {
    Failure::new(Exit::Invalid, format!("cannot write stdout: {e}"))
        .hint("what was printed is not all of it")
}

/// Remembers why something could not be written: whoever makes a text from a file cannot tell that
/// from a file that could not be read.
pub(crate) struct Watched<W> {
    out: W,
    pub(crate) torn: Option<io::Error>,
}

impl<W: Write> Watched<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, torn: None }
    }

    fn remember<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|e| {
            let kind = e.kind();
            if kind != io::ErrorKind::Interrupted {
                self.torn = Some(e);
            }
            kind.into()
        })
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.remember(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.remember(flushed)
    }
}

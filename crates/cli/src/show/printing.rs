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

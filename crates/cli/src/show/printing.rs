//! Whether stdout took everything that was printed.

use std::io::{self, Write};

use parking_lot::Mutex;

use crate::exit::{Exit, Failure};

/// The first error of stdout.
static ERROR: Mutex<Option<io::Error>> = Mutex::new(None);

/// Stores an error of stdout for [`printed`].
pub(crate) fn note(printed: io::Result<()>) {
    if let Err(e) = printed {
        ERROR.lock().get_or_insert(e);
    }
}

/// Fails if not everything was printed. A closed stdout (`| head`) is not an error.
pub(crate) fn printed() -> Result<(), Failure> {
    note(io::stdout().flush());
    let error = ERROR.lock().take();
    match error {
        Some(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(cannot_print(&e)),
        _ => Ok(()),
    }
}

/// An error of stdout.
pub(crate) fn cannot_print(e: &io::Error) -> Failure {
    Failure::new(Exit::Invalid, format!("cannot write stdout: {e}"))
        .hint("the output is incomplete")
}

//! Printing to stdout.

mod printing;

use std::io::{self, IsTerminal, Write};

use linkspan_wire::escape_json;

pub(crate) use crate::harmless::{clean, indented, on_one_line, path};
pub(crate) use printing::{cannot_print, note, printed};

/// Prints to stdout. Errors are reported once, at the end: [`printed`].
macro_rules! say {
    ($($arg:tt)*) => {{
        use std::io::Write;
        $crate::show::note(writeln!(anstream::stdout(), $($arg)*));
    }};
}
pub(crate) use say;

/// Prints JSON unchanged, for programs. On a terminal, control characters are written as `\uXXXX`, which is the same
/// value.
pub(crate) fn raw(json: &str) {
    let shown = if io::stdout().is_terminal() {
        escape_json(json)
    } else {
        json.into()
    };
    note(writeln!(io::stdout(), "{shown}"));
}

/// Prints the output of a function.
pub(crate) fn print(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
    note(render(&mut anstream::stdout().lock()));
}

//! Messages at a terminal while a command waits for input.

use std::io::{self, IsTerminal, Read};

use crate::exit;
use crate::show::clean;

/// Whether a person is typing our stdin.
pub(crate) fn at_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Says what stdin expects and what to do about it, if stdin is a terminal.
///
/// `what` completes "waiting on stdin for …".
pub(crate) fn on_stdin(what: &str, hint: &str) {
    if at_terminal() {
        anstream::eprintln!("waiting on stdin for {}", clean(what));
        exit::print_hint(hint);
    }
}

/// The same for data that is typed or piped in, up to its end.
pub(crate) fn for_input(what: &str, usual: &str) {
    on_stdin(
        &format!("{what}; Ctrl-D ends it"),
        &format!("the usual way is `{usual}`"),
    );
}

/// Our stdin; the first read prints a notice, as [`for_input`] does.
pub(crate) fn stdin(what: &'static str, usual: &'static str) -> impl Read {
    Announced {
        words: Some((what, usual)),
        stdin: io::stdin(),
    }
}

/// Our stdin, for the arguments of a call.
pub(crate) fn for_arguments() -> impl Read {
    stdin(
        "the arguments as a JSON object",
        "linkspan call TOOL - TARGET < arguments.json",
    )
}

struct Announced {
    words: Option<(&'static str, &'static str)>,
    stdin: io::Stdin,
}

impl Read for Announced {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some((what, usual)) = self.words.take() {
            for_input(what, usual);
        }
        self.stdin.read(buffer)
    }
}

/// The same for a server on stdio: an MCP client is expected to start it. `try_it` is a command line that shows the
/// same server to a person.
pub(crate) fn for_client(try_it: &str) {
    on_stdin(
        "an MCP client, which usually starts this command itself; Ctrl-C ends it",
        &format!("to see the server yourself: {try_it}"),
    );
}

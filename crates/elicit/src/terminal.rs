//! The user at the terminal.

use std::io::{self, BufRead, IsTerminal, Read};
use std::sync::Arc;

use linkspan_client::Person;

/// The longest line that is read.
const MAX_LINE: u64 = 64 << 10;

/// Reads from stdin and writes to stderr.
struct Terminal;

/// The user at the terminal, if stdin and stderr are terminals.
pub fn at_terminal() -> Option<Arc<dyn Person>> {
    let is_there = io::stdin().is_terminal() && io::stderr().is_terminal();
    is_there.then(|| Arc::new(Terminal) as Arc<dyn Person>)
}

impl Person for Terminal {
    fn say(&self, text: &str) {
        anstream::eprint!("{text}");
    }

    fn read_line(&self) -> Option<String> {
        let mut line = String::new();
        match io::stdin().lock().take(MAX_LINE).read_line(&mut line) {
            Ok(1..) => Some(line.trim().to_owned()),
            Ok(0) | Err(_) => None,
        }
    }
}

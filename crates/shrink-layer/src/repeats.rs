//! Texts already sent in a session.

use std::collections::HashMap;

/// How many texts are remembered; above this the memory is cleared.
const MOST: usize = 4096;

/// Texts that were sent to this client, by their hashes, with the call and tool of each.
#[derive(Default)]
pub(crate) struct Repeats {
    calls: u64,
    seen: HashMap<String, (u64, String)>,
}

impl Repeats {
    /// Counts a call.
    pub(crate) fn next_call(&mut self) {
        self.calls += 1;
    }

    /// The earlier call, and its tool, that sent this text in full; without one, the current call sends it.
    pub(crate) fn earlier(&mut self, name: &str, tool: &str) -> Option<(u64, String)> {
        if let Some(seen) = self.seen.get(name) {
            return Some(seen.clone()).filter(|(call, _)| *call < self.calls);
        }
        if self.seen.len() >= MOST {
            self.seen.clear();
        }
        let now = (self.calls, tool.to_owned());
        self.seen.insert(name.to_owned(), now);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_text_refers_to_the_call_that_sent_it_in_full() {
        let mut repeats = Repeats::default();
        repeats.next_call();
        assert_eq!(repeats.earlier("x", "a"), None);
        assert_eq!(repeats.earlier("x", "a"), None);
        for _ in 0..2 {
            repeats.next_call();
            assert_eq!(repeats.earlier("x", "b"), Some((1, "a".to_owned())));
        }
        assert_eq!(repeats.earlier("y", "b"), None);
    }
}

//! What a session has seen already.

use std::collections::HashMap;

/// Texts that are remembered.
const MOST: usize = 4096;

/// Texts that came to this client, by their names, and in which call.
#[derive(Default)]
pub(crate) struct Repeats {
    calls: u64,
    seen: HashMap<String, (u64, String)>,
}

impl Repeats {
    /// Another call has been answered.
    pub(crate) fn next_call(&mut self) {
        self.calls += 1;
    }

    /// In which earlier call of which tool this text came in full, if it did. Otherwise it comes now.
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
    fn a_text_is_a_repetition_of_the_call_that_had_it_in_full() {
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

//! Whose question it is.
//!
//! A server behind HTTP asks on the stream of the call. Over stdio a question names no call, so it
//! belongs to the only one that it can belong to; where there are several, nobody guesses.

use super::Up;
use super::call::Call;

pub(super) enum Owner {
    Call(u64),
    /// Several could be meant; time may tell.
    Unclear,
    Nobody,
}

impl Up {
    pub(super) fn owner_of(&self, about: Option<u64>) -> Owner {
        if let Some(number) = about.filter(|number| self.calls.contains_key(number)) {
            return Owner::Call(number);
        }
        let all = |is: fn(&Call) -> bool| -> Vec<u64> {
            let candidates = self
                .calls
                .iter()
                .filter(|(_, call)| call.may_ask && is(call));
            candidates.map(|(number, _)| *number).collect()
        };
        // A parked call has asked and waits for its client, so a new question is that of one that runs.
        for mut candidates in [
            all(|call| call.parked.is_none()),
            all(|call| call.parked.is_some()),
        ] {
            match candidates.len() {
                0 => {}
                1 => return candidates.pop().map_or(Owner::Nobody, Owner::Call),
                _ => return Owner::Unclear,
            }
        }
        Owner::Nobody
    }
}

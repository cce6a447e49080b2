//! Whose question it is.
//!
//! A server behind HTTP asks on the stream of the call. Over stdio a question names no call, so it
//! belongs to the only one that it can belong to; where there are several, nobody guesses.

use super::Up;

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
        let may_ask = |parked: bool| {
            self.calls
                .iter()
                .filter(move |(_, call)| call.may_ask && call.parked.is_some() == parked)
                .map(|(number, _)| *number)
        };
        // A parked call has asked already and waits; but it may go on asking if nobody else can.
        for mut candidates in [may_ask(false).collect::<Vec<_>>(), may_ask(true).collect()] {
            match candidates.len() {
                0 => {}
                1 => return candidates.pop().map_or(Owner::Nobody, Owner::Call),
                _ => return Owner::Unclear,
            }
        }
        Owner::Nobody
    }
}

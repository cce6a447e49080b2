//! Numbers repeated long values at their first occurrence.

use std::collections::HashMap;

use super::weigh::weigh;

/// Shorter values are not numbered.
const SHORTEST: usize = 8;
/// How many different values are remembered.
const MOST: usize = 1 << 17;
/// The least saving in tokens that makes a number worth looking up.
const WORTH: i64 = 6;

/// The values and their numbers.
#[derive(Default)]
pub(crate) struct Names<'a> {
    values: HashMap<&'a str, Value>,
    given: u32,
}

#[derive(Clone, Copy)]
enum Value {
    Seen(u32),
    Given(u32),
    NotWorthIt,
}

/// The notation of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// Verbatim.
    Plain,
    /// Verbatim, followed by its number, because it is repeated later.
    First(u32),
    /// Its number only.
    Again(u32),
}

impl<'a> Names<'a> {
    /// Counts a value, before anything is written.
    pub(crate) fn see(&mut self, value: &'a str) {
        if value.len() < SHORTEST {
            return;
        }
        if let Some(seen) = self.values.get_mut(value) {
            if let Value::Seen(count) = seen {
                *count += 1;
            }
        } else if self.values.len() < MOST {
            self.values.insert(value, Value::Seen(1));
        }
    }

    /// Decides the notation of a value, in the order of writing.
    pub(crate) fn name(&mut self, value: &'a str) -> Naming {
        if value.len() < SHORTEST {
            return Naming::Plain;
        }
        let Some(known) = self.values.get_mut(value) else {
            return Naming::Plain;
        };
        match *known {
            Value::NotWorthIt | Value::Seen(0 | 1) => Naming::Plain,
            Value::Given(number) => Naming::Again(number),
            Value::Seen(count) => {
                let tokens = i64::from(weigh(value.as_bytes()));
                let saved = i64::from(count - 1) * (tokens - 2) - 3;
                if saved < WORTH {
                    *known = Value::NotWorthIt;
                    return Naming::Plain;
                }
                self.given += 1;
                *known = Value::Given(self.given);
                Naming::First(self.given)
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.given == 0
    }
}

//! Long values that come again get a number where they stand first.

use std::collections::HashMap;

use super::weigh::weigh;

/// Shorter values are no longer than their number.
const SHORTEST: usize = 8;
/// Different values that are kept in mind.
const MOST: usize = 1 << 17;
/// Tokens that a number must save for a reader to look it up.
const WORTH: i64 = 6;

/// Values and the numbers that they get.
#[derive(Default)]
pub(crate) struct Names<'a> {
    values: HashMap<&'a str, Value>,
    given: u32,
}

#[derive(Clone, Copy)]
enum Value {
    Seen(u32),
    Given(u32),
    Unworthy,
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// As it is.
    Plain,
    /// As it is, with the number that it has from now on.
    First(u32),
    /// With its number.
    Again(u32),
}

impl<'a> Names<'a> {
    /// Reads a value before anything is written.
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

    /// Asks about a value, in the order of writing.
    pub(crate) fn name(&mut self, value: &'a str) -> Naming {
        if value.len() < SHORTEST {
            return Naming::Plain;
        }
        let Some(known) = self.values.get_mut(value) else {
            return Naming::Plain;
        };
        match *known {
            Value::Unworthy | Value::Seen(0 | 1) => Naming::Plain,
            Value::Given(number) => Naming::Again(number),
            Value::Seen(count) => {
                let tokens = i64::from(weigh(value.as_bytes()));
                let saved = i64::from(count - 1) * (tokens - 2) - 3;
                if saved < WORTH {
                    *known = Value::Unworthy;
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

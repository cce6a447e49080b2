//! A memory that is bounded in time and in number.

use std::collections::{HashMap, VecDeque};

use crate::{Timestamp, random};

/// The SHA-256 of a token: what is remembered in its place.
pub type Digest = [u8; 32];

/// The digest of a text.
pub fn digest(text: &[u8]) -> Digest {
    let mut digest = Digest::default();
    digest.copy_from_slice(&random::sha256(text));
    digest
}

/// Values by a digest. When it is full, the oldest one makes room.
#[derive(Debug)]
pub struct Expiring<V> {
    most: usize,
    entries: HashMap<Digest, (V, Timestamp)>,
    /// The keys in the order in which they came.
    order: VecDeque<Digest>,
}

impl<V> Expiring<V> {
    /// Holds at most this many values, and at least one.
    pub fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            entries: HashMap::new(),
            order: VecDeque::new(),
        }
    }

    /// The value, unless its time is over.
    pub fn get(&self, key: &Digest, now: Timestamp) -> Option<&V> {
        let (value, until) = self.entries.get(key)?;
        (*until > now).then_some(value)
    }

    /// Remembers a value until a moment, in place of an earlier one.
    pub fn insert(&mut self, key: Digest, value: V, until: Timestamp, now: Timestamp) {
        if let Some(known) = self.entries.get_mut(&key) {
            *known = (value, until);
            return;
        }
        while let Some(oldest) = self.order.front() {
            let is_over = self
                .entries
                .get(oldest)
                .is_none_or(|(_, until)| *until <= now);
            if !is_over && self.entries.len() < self.most {
                break;
            }
            self.entries.remove(oldest);
            self.order.pop_front();
        }
        self.entries.insert(key, (value, until));
        self.order.push_back(key);
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(number: u8) -> Digest {
        digest(&[number])
    }

    #[test]
    fn a_value_is_there_until_its_time_is_over() {
        let mut memory = Expiring::new(8);
        memory.insert(key(1), "a", Timestamp(10), Timestamp(0));
        assert_eq!(memory.get(&key(1), Timestamp(9)), Some(&"a"));
        assert_eq!(memory.get(&key(1), Timestamp(10)), None);
        memory.insert(key(1), "b", Timestamp(20), Timestamp(10));
        assert_eq!(memory.get(&key(1), Timestamp(10)), Some(&"b"));
    }

    #[test]
    fn what_is_over_makes_room_before_what_is_not() {
        let mut memory = Expiring::new(2);
        memory.insert(key(1), 1, Timestamp(5), Timestamp(0));
        memory.insert(key(2), 2, Timestamp(50), Timestamp(0));
        memory.insert(key(3), 3, Timestamp(50), Timestamp(6));
        assert_eq!(memory.get(&key(2), Timestamp(6)), Some(&2));
        memory.insert(key(4), 4, Timestamp(50), Timestamp(6));
        assert_eq!(memory.get(&key(2), Timestamp(6)), None, "the oldest");
        assert_eq!(memory.get(&key(4), Timestamp(6)), Some(&4));
    }

    proptest! {
        #[test]
        fn it_never_holds_more_than_its_bound(
            bound in 1usize..6,
            steps in prop::collection::vec((any::<u8>(), 0u64..40), 0..200),
        ) {
            let mut memory = Expiring::new(bound);
            for (at, (number, life)) in steps.into_iter().enumerate() {
                let now = Timestamp(at as u64);
                memory.insert(key(number), number, Timestamp(now.0 + life), now);
                prop_assert!(memory.len() <= bound);
                prop_assert_eq!(memory.entries.len(), memory.order.len());
            }
        }
    }
}

//! Requests in flight between peers, and the translation of their ids.
//!
//! An id is valid on one connection only. Every forwarded request gets a hop number of ours, and its answer is returned
//! under the id exactly as the asker wrote it.

use std::collections::HashMap;
use std::hash::Hash;

use linkspan_wire::{Hop, Id, IdKey};

/// A request that waits for its answer.
#[derive(Debug, Clone)]
pub struct Question<P, T> {
    /// The hop number of the forwarded request.
    pub hop: Hop,
    /// The peer that asked.
    pub from: P,
    /// The peer that owes the answer.
    pub to: P,
    /// The id at the asker, as written.
    pub id: Id,
    /// The method.
    pub method: Box<str>,
    /// Further data of the relay.
    pub data: T,
}

/// All requests in flight between peers of type `P`.
#[derive(Debug)]
pub struct Pending<P, T> {
    questions: HashMap<Hop, Question<P, T>>,
    /// By the peer that asked, and the id there.
    hops: HashMap<(P, IdKey), Hop>,
    last: Hop,
}

impl<P, T> Default for Pending<P, T> {
    fn default() -> Self {
        Self {
            questions: HashMap::new(),
            hops: HashMap::new(),
            last: Hop::default(),
        }
    }
}

impl<P: Copy + Eq + Hash, T> Pending<P, T> {
    /// Adds a request and returns its hop number. `None` if `from` has that id in flight already.
    pub fn ask(&mut self, from: P, to: P, id: Id, method: &str, data: T) -> Option<Hop> {
        let key = (from, id.key());
        if self.hops.contains_key(&key) {
            return None;
        }
        let hop = self.number();
        self.hops.insert(key, hop);
        let question = Question {
            hop,
            from,
            to,
            id,
            method: method.into(),
            data,
        };
        self.questions.insert(hop, question);
        Some(hop)
    }

    /// A hop number for a request of the relay itself, which is not stored here.
    pub fn number(&mut self) -> Hop {
        self.last = self.last.next();
        self.last
    }

    /// Takes the request that `by` answers under `hop`.
    pub fn answered(&mut self, by: P, hop: Hop) -> Option<Question<P, T>> {
        self.owed(by, hop)?;
        self.take(hop)
    }

    /// Takes a request, whichever peer owes its answer.
    pub fn take(&mut self, hop: Hop) -> Option<Question<P, T>> {
        let question = self.questions.remove(&hop)?;
        self.hops.remove(&(question.from, question.id.key()));
        Some(question)
    }

    /// Takes the requests for which `wanted` holds, oldest first: the order that peers see must not depend
    /// on a hash.
    pub fn take_if(&mut self, wanted: impl Fn(&Question<P, T>) -> bool) -> Vec<Question<P, T>> {
        let taken = self.questions.extract_if(|_, question| wanted(question));
        let mut taken: Vec<_> = taken.map(|(_, question)| question).collect();
        taken.sort_by_key(|question| question.hop);
        for question in &taken {
            self.hops.remove(&(question.from, question.id.key()));
        }
        taken
    }

    /// The request that `from` has in flight under `id`.
    pub fn find(&self, from: P, id: &Id) -> Option<&Question<P, T>> {
        self.questions.get(self.hops.get(&(from, id.key()))?)
    }

    /// Whether `from` has a request of that id in flight.
    pub fn is_in_use(&self, from: P, id: &IdKey) -> bool {
        self.hops.contains_key(&(from, id.clone()))
    }

    /// The request that `by` owes an answer to under `hop`.
    pub fn owed(&self, by: P, hop: Hop) -> Option<&Question<P, T>> {
        self.questions
            .get(&hop)
            .filter(|question| question.to == by)
    }

    /// The request under `hop`.
    pub fn get_mut(&mut self, hop: Hop) -> Option<&mut Question<P, T>> {
        self.questions.get_mut(&hop)
    }

    /// All requests, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Question<P, T>> {
        self.questions.values()
    }

    /// All requests, mutable.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Question<P, T>> {
        self.questions.values_mut()
    }

    /// The number of requests in flight.
    pub fn len(&self) -> usize {
        self.questions.len()
    }

    /// Whether no request is in flight.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use linkspan_wire::Json;

    use super::*;

    fn id(text: &str) -> Id {
        Id::parse(Json::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn an_id_in_flight_is_refused_for_its_asker_only_and_is_free_after_the_answer() {
        let mut pending = Pending::default();
        let hop = pending.ask('a', 'b', id(r#""x""#), "m", ()).unwrap();
        assert_eq!(pending.ask('a', 'c', id(r#""\u0078""#), "m", ()), None);
        assert!(pending.ask('b', 'a', id(r#""x""#), "m", ()).is_some());
        assert_eq!(pending.find('a', &id(r#""x""#)).unwrap().hop, hop);
        assert_eq!(pending.answered('b', hop).unwrap().id.text(), r#""x""#);
        assert!(pending.answered('b', hop).is_none(), "only once");
        assert!(pending.ask('a', 'b', id(r#""x""#), "m", ()).is_some());
    }

    #[test]
    fn only_the_peer_that_was_asked_can_answer() {
        let mut pending = Pending::default();
        let hop = pending.ask('a', 'b', id("1"), "m", ()).unwrap();
        assert!(pending.answered('a', hop).is_none());
        assert!(pending.answered('c', hop).is_none());
        assert!(pending.answered('b', hop).is_some());
    }

    #[test]
    fn requests_are_taken_oldest_first_and_numbers_of_our_own_are_not_given_twice() {
        let mut pending = Pending::default();
        let own = pending.number();
        for n in ["3", "1", "2"] {
            assert_ne!(pending.ask('a', 'b', id(n), "m", ()), Some(own));
        }
        pending.ask('b', 'a', id("9"), "m", ());
        let taken = pending.take_if(|question| question.to == 'b');
        let ids: Vec<_> = taken.iter().map(|question| question.id.text()).collect();
        assert_eq!(ids, ["3", "1", "2"]);
        assert!(!pending.is_in_use('a', &id("1").key()));
        assert_eq!(pending.len(), 1);
    }
}

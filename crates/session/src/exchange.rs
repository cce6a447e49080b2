//! Who asked what: the only place where ids of two connections meet.
//!
//! An id means something on one connection only. Every request that crosses gets a hop number of
//! ours, and its answer goes back under the id exactly as the asker wrote it.

use std::collections::HashMap;
use std::time::Instant;

use linkspan_mcp::names;
use linkspan_wire::{Hop, Id, IdKey};

/// An end of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The client's.
    Front,
    /// The server's.
    Back,
}

impl Side {
    /// The opposite end.
    pub fn other(self) -> Self {
        match self {
            Self::Front => Self::Back,
            Self::Back => Self::Front,
        }
    }
}

/// A request that waits for its answer.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Who asked.
    pub from: Side,
    /// Under which id, as written.
    pub id: Id,
    /// For what.
    pub method: Box<str>,
    expires: Option<Instant>,
}

/// Requests in flight, both ways.
#[derive(Debug, Default)]
pub struct Exchange {
    /// By the side that owes the answer, and the hop number there.
    pending: HashMap<(Side, Hop), Asked>,
    /// By the side that asked, and the id there.
    hops: HashMap<(Side, IdKey), Hop>,
    last_hop: Hop,
    /// No request expires before this.
    next_expiry: Option<Instant>,
}

impl Exchange {
    /// Notes a request from `from` to the other side. `None` if that id is in use already.
    pub fn call(
        &mut self,
        from: Side,
        id: Id,
        method: &str,
        expires: Option<Instant>,
    ) -> Option<Hop> {
        let key = (from, id.key());
        if self.hops.contains_key(&key) {
            return None;
        }
        self.last_hop = self.last_hop.next();
        let hop = self.last_hop;
        self.hops.insert(key, hop);
        let asked = Asked {
            from,
            id,
            method: method.into(),
            expires,
        };
        self.pending.insert((from.other(), hop), asked);
        self.expect(expires);
        Some(hop)
    }

    /// Takes the request that `from` answers under `hop`.
    pub fn answer(&mut self, from: Side, hop: Hop) -> Option<Asked> {
        let asked = self.pending.remove(&(from, hop))?;
        self.hops.remove(&(asked.from, asked.id.key()));
        Some(asked)
    }

    /// Takes the request that `from` has under `id` and no longer wants answered. Gives the hop to
    /// tell; an answer that was on its way finds nobody waiting.
    pub fn cancel(&mut self, from: Side, id: &Id) -> Option<Hop> {
        let hop = self.hops.remove(&(from, id.key()))?;
        self.pending.remove(&(from.other(), hop));
        Some(hop)
    }

    /// A sign of life: the request has until `expires` again.
    pub fn touch(&mut self, owed_by: Side, hop: Hop, expires: Option<Instant>) {
        // What has no end gets none from a sign of life.
        if let Some(asked) = self.pending.get_mut(&(owed_by, hop))
            && asked.expires.is_some()
        {
            asked.expires = expires;
        }
    }

    /// A sign of life that names no request counts for all of them.
    pub fn touch_all(&mut self, owed_by: Side, expires: Option<Instant>) {
        for ((owes, _), asked) in &mut self.pending {
            if *owes == owed_by && asked.expires.is_some() {
                asked.expires = expires;
            }
        }
    }

    /// A sign of life of those that were asked before `hop`.
    pub fn touch_older(&mut self, owed_by: Side, hop: Hop, expires: Option<Instant>) {
        for ((owes, number), asked) in &mut self.pending {
            if *owes == owed_by && *number < hop && asked.expires.is_some() {
                asked.expires = expires;
            }
        }
    }

    /// The newest question that the front owes an answer to; a ping is none.
    pub fn newest_question(&self) -> Option<Hop> {
        let questions = self
            .pending
            .iter()
            .filter(|((owes, _), asked)| *owes == Side::Front && &*asked.method != names::PING);
        questions.map(|((_, hop), _)| *hop).max()
    }

    /// Takes the requests that `side` owes an answer to, of the hops that `which` names.
    pub fn owed_by(&mut self, side: Side, which: impl Fn(Hop) -> bool) -> Vec<(Hop, Asked)> {
        self.take_if(|owes, hop, _| owes == side && which(hop))
    }

    /// Whether `from` has a request of that id in flight.
    pub fn is_in_use(&self, from: Side, id: &IdKey) -> bool {
        self.hops.contains_key(&(from, id.clone()))
    }

    /// Takes every request whose time is over.
    pub fn expired(&mut self, now: Instant) -> Vec<(Side, Hop, Asked)> {
        if self.next_expiry.is_none_or(|next| now < next) {
            return Vec::new();
        }
        let mut due = Vec::new();
        for side in [Side::Front, Side::Back] {
            let late = self.take_if(|owes, _, asked| {
                owes == side && asked.expires.is_some_and(|expires| expires <= now)
            });
            due.extend(late.into_iter().map(|(hop, asked)| (side, hop, asked)));
        }
        self.next_expiry = self.pending.values().filter_map(|a| a.expires).min();
        due
    }

    /// When [`Exchange::expired`] has to be called next, at the latest.
    pub fn next_expiry(&self) -> Option<Instant> {
        self.next_expiry
    }

    /// How many answers of `side` are worth waiting for. A subscription is answered only when it ends.
    pub fn in_flight(&self, side: Side) -> usize {
        self.pending
            .iter()
            .filter(|((owes, _), asked)| *owes == side && &*asked.method != names::LISTEN)
            .count()
    }

    /// How many requests are noted in all.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether no request is noted.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// The request that `side` owes under `hop`.
    pub fn get(&self, side: Side, hop: Hop) -> Option<&Asked> {
        self.pending.get(&(side, hop))
    }

    fn take_if(&mut self, take: impl Fn(Side, Hop, &Asked) -> bool) -> Vec<(Hop, Asked)> {
        let mut taken: Vec<_> = self
            .pending
            .extract_if(|(owes, hop), asked| take(*owes, *hop, asked))
            .map(|((_, hop), asked)| (hop, asked))
            .collect();
        // Oldest first, so that what a peer sees does not depend on a hash.
        taken.sort_by_key(|(hop, _)| *hop);
        for (_, asked) in &taken {
            self.hops.remove(&(asked.from, asked.id.key()));
        }
        taken
    }

    fn expect(&mut self, expires: Option<Instant>) {
        self.next_expiry = match (self.next_expiry, expires) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Json;
    use std::time::Duration;

    fn id(text: &str) -> Id {
        Id::parse(Json::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn an_answer_goes_back_under_the_id_as_written() {
        let mut exchange = Exchange::default();
        let hop = exchange
            .call(Side::Front, id(r#""\u0061""#), "m", None)
            .unwrap();
        let asked = exchange.answer(Side::Back, hop).unwrap();
        assert_eq!(asked.id.text(), r#""\u0061""#);
        assert!(exchange.answer(Side::Back, hop).is_none(), "only once");
    }

    #[test]
    fn an_id_in_flight_cannot_be_used_again_until_it_is_answered() {
        let mut exchange = Exchange::default();
        let hop = exchange.call(Side::Front, id(r#""a""#), "m", None).unwrap();
        assert!(
            exchange
                .call(Side::Front, id(r#""\u0061""#), "m", None)
                .is_none()
        );
        assert!(exchange.call(Side::Back, id(r#""a""#), "m", None).is_some());
        exchange.answer(Side::Back, hop);
        assert!(
            exchange
                .call(Side::Front, id(r#""a""#), "m", None)
                .is_some()
        );
    }

    #[test]
    fn the_wrong_side_cannot_answer() {
        let mut exchange = Exchange::default();
        let hop = exchange.call(Side::Front, id("1"), "m", None).unwrap();
        assert!(exchange.answer(Side::Front, hop).is_none());
    }

    #[test]
    fn what_is_cancelled_is_forgotten_and_its_id_is_free_again() {
        let mut exchange = Exchange::default();
        let hop = exchange.call(Side::Front, id("1"), "m", None).unwrap();
        assert_eq!(exchange.cancel(Side::Front, &id("1")), Some(hop));
        assert!(exchange.is_empty());
        assert!(exchange.answer(Side::Back, hop).is_none());
        assert_eq!(exchange.cancel(Side::Front, &id("1")), None);
        assert!(exchange.call(Side::Front, id("1"), "m", None).is_some());
    }

    #[test]
    fn a_sign_of_life_postpones_the_end() {
        let mut exchange = Exchange::default();
        let start = Instant::now();
        let second = Duration::from_secs(1);
        let hop = exchange
            .call(Side::Front, id("1"), "m", Some(start + second))
            .unwrap();
        exchange.touch(Side::Back, hop, Some(start + 3 * second));
        assert!(exchange.expired(start + 2 * second).is_empty());
        assert_eq!(exchange.expired(start + 3 * second).len(), 1);
    }

    #[test]
    fn nobody_waits_for_the_end_of_a_subscription() {
        let mut exchange = Exchange::default();
        exchange.call(Side::Front, id("1"), "subscriptions/listen", None);
        assert_eq!(exchange.in_flight(Side::Back), 0);
        exchange.call(Side::Front, id("2"), "tools/call", None);
        assert_eq!(exchange.in_flight(Side::Back), 1);
    }

    #[test]
    fn a_side_that_dies_gives_up_what_it_owes_oldest_first() {
        let mut exchange = Exchange::default();
        for n in ["3", "1", "2"] {
            exchange.call(Side::Front, id(n), "m", None);
        }
        exchange.call(Side::Back, id("9"), "m", None);
        let owed: Vec<_> = exchange
            .owed_by(Side::Back, |hop| hop <= Hop(2))
            .into_iter()
            .map(|(_, a)| a.id.to_string())
            .collect();
        assert_eq!(owed, ["3", "1"]);
        assert_eq!(exchange.len(), 2);
    }
}

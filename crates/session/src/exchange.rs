//! The requests of a session's two sides, and when they expire.

use std::time::Instant;

use linkspan_mcp::names;
use linkspan_wire::{Hop, Id, IdKey};

use crate::pending::{Pending, Question};

/// A side of the session.
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

/// A request that waits for its answer, and its deadline.
pub type Asked = Question<Side, Option<Instant>>;

/// Requests in flight in both directions.
#[derive(Debug, Default)]
pub struct Exchange {
    pending: Pending<Side, Option<Instant>>,
    /// No request expires before this time.
    next_expiry: Option<Instant>,
}

impl Exchange {
    /// Adds a request of `from` to the other side. `None` if that id is in use.
    pub fn call(
        &mut self,
        from: Side,
        id: Id,
        method: &str,
        expires: Option<Instant>,
    ) -> Option<Hop> {
        let hop = self.pending.ask(from, from.other(), id, method, expires)?;
        self.next_expiry = match (self.next_expiry, expires) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Some(hop)
    }

    /// Takes the request that `from` answers under `hop`.
    pub fn answer(&mut self, from: Side, hop: Hop) -> Option<Asked> {
        self.pending.answered(from, hop)
    }

    /// Removes the request of `from` under `id`. Returns its hop, for the cancellation; a later answer is dropped.
    pub fn cancel(&mut self, from: Side, id: &Id) -> Option<Hop> {
        let hop = self.pending.find(from, id)?.hop;
        self.pending.take(hop);
        Some(hop)
    }

    /// Records a sign of life: the request expires at `expires`.
    pub fn touch(&mut self, owed_by: Side, hop: Hop, expires: Option<Instant>) {
        if let Some(asked) = self.pending.get_mut(hop)
            && asked.to == owed_by
        {
            asked.data = asked.data.and(expires);
        }
    }

    /// Records a sign of life that names no request, and counts for all.
    pub fn touch_all(&mut self, owed_by: Side, expires: Option<Instant>) {
        self.touch_if(expires, |asked| asked.to == owed_by);
    }

    /// Records a sign of life for the requests before `hop`.
    pub fn touch_older(&mut self, owed_by: Side, hop: Hop, expires: Option<Instant>) {
        self.touch_if(expires, |asked| asked.to == owed_by && asked.hop < hop);
    }

    /// The newest question that the front owes an answer to; a ping is none.
    pub fn newest_question(&self) -> Option<Hop> {
        let questions = self.pending.iter();
        let questions =
            questions.filter(|asked| asked.to == Side::Front && &*asked.method != names::PING);
        questions.map(|asked| asked.hop).max()
    }

    /// Takes the requests that `side` owes an answer to, of the hops that `which` names.
    pub fn owed_by(&mut self, side: Side, which: impl Fn(Hop) -> bool) -> Vec<Asked> {
        self.pending
            .take_if(|asked| asked.to == side && which(asked.hop))
    }

    /// Whether `from` has a request of that id in flight.
    pub fn is_in_use(&self, from: Side, id: &IdKey) -> bool {
        self.pending.is_in_use(from, id)
    }

    /// Removes the requests whose deadline has passed.
    pub fn expired(&mut self, now: Instant) -> Vec<Asked> {
        if self.next_expiry.is_none_or(|next| now < next) {
            return Vec::new();
        }
        let mut due = self
            .pending
            .take_if(|asked| asked.data.is_some_and(|expires| expires <= now));
        due.sort_by_key(|asked| asked.to == Side::Back);
        self.next_expiry = self.pending.iter().filter_map(|asked| asked.data).min();
        due
    }

    /// When [`Exchange::expired`] has to be called next, at the latest.
    pub fn next_expiry(&self) -> Option<Instant> {
        self.next_expiry
    }

    /// The number of open requests to `side`, without subscriptions, which are answered only when they end.
    pub fn in_flight(&self, side: Side) -> usize {
        self.pending
            .iter()
            .filter(|asked| asked.to == side && &*asked.method != names::LISTEN)
            .count()
    }

    /// The number of open requests.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether no request is open.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// The request that `side` owes under `hop`.
    pub fn get(&self, side: Side, hop: Hop) -> Option<&Asked> {
        self.pending.owed(side, hop)
    }

    /// Requests without a deadline stay without one.
    fn touch_if(&mut self, expires: Option<Instant>, which: impl Fn(&Asked) -> bool) {
        let asked = self.pending.iter_mut();
        for asked in asked.filter(|asked| asked.data.is_some() && which(asked)) {
            asked.data = expires;
        }
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
    fn a_cancelled_request_is_removed_and_its_id_is_free_again() {
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
    fn a_subscription_is_not_counted_as_in_flight() {
        let mut exchange = Exchange::default();
        exchange.call(Side::Front, id("1"), "subscriptions/listen", None);
        assert_eq!(exchange.in_flight(Side::Back), 0);
        exchange.call(Side::Front, id("2"), "tools/call", None);
        assert_eq!(exchange.in_flight(Side::Back), 1);
    }

    #[test]
    fn the_open_requests_of_a_closed_side_are_returned_oldest_first() {
        let mut exchange = Exchange::default();
        for n in ["3", "1", "2"] {
            exchange.call(Side::Front, id(n), "m", None);
        }
        exchange.call(Side::Back, id("9"), "m", None);
        let owed: Vec<_> = exchange
            .owed_by(Side::Back, |hop| hop <= Hop(2))
            .into_iter()
            .map(|asked| asked.id.to_string())
            .collect();
        assert_eq!(owed, ["3", "1"]);
        assert_eq!(exchange.len(), 2);
    }
}

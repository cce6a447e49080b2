//! The calls whose clients have a handle, and their results.
//!
//! The number of calls, the bytes of requests and results, and the time that a result is kept are bounded. A handle
//! that is no longer valid says why for as long as there is room.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use linkspan_mcp::era::wants_input;
use linkspan_wire::{Id, Message};

use super::call::{Dropped, KeptCall, Listed, Look, Owner, State};

/// Calls and results that one owner may have.
const MOST_OF_ONE: usize = 32;
/// Handles that are known at once.
const MOST: usize = 512;
/// Bytes of requests and results.
const MOST_BYTES: usize = 64 << 20;
const MOST_BYTES_OF_ONE: usize = 32 << 20;
/// How long a result is kept.
const LIFETIME: Duration = Duration::from_secs(3600);

#[derive(Default)]
pub(super) struct Kept {
    calls: HashMap<String, KeptCall>,
}

impl Kept {
    /// Keeps a running call under `handle`. `false` if there is no room; then the client waits for it as before.
    pub(super) fn keep(
        &mut self,
        handle: &str,
        owner: &Owner,
        (session, request): (u64, &Message),
        (tool, since): (&str, Instant),
        now: Instant,
    ) -> bool {
        self.expire(now);
        let Some(id) = request.id().filter(|_| !handle.is_empty()) else {
            return false;
        };
        let size = request.len();
        while !self.fits(owner, 1, size) {
            if !self.make_room(owner) {
                return false;
            }
        }
        let state = State::Running {
            session,
            id,
            is_cancelled: false,
        };
        let call = KeptCall {
            owner: owner.clone(),
            tool: tool.to_owned(),
            since,
            request: request.clone(),
            state,
        };
        self.calls.insert(handle.to_owned(), call);
        true
    }

    /// The call runs on under another request: its client has answered the server's questions.
    pub(super) fn goes_on(&mut self, handle: &str, session: u64, id: Id) {
        if let Some(call) = self.calls.get_mut(handle) {
            call.state = State::Running {
                session,
                id,
                is_cancelled: false,
            };
        }
    }

    /// The answer of the server.
    pub(super) fn finish(&mut self, handle: &str, answer: &Message, now: Instant) {
        self.expire(now);
        let Some(owner) = self.calls.get(handle).map(|call| call.owner.clone()) else {
            return;
        };
        let size = answer.len();
        let mut why = (size > MOST_BYTES_OF_ONE).then_some(Dropped::TooLarge);
        while why.is_none() && !self.fits(&owner, 0, size) {
            if !self.make_room(&owner) {
                why = Some(Dropped::NoRoom);
            }
        }
        let state = match why {
            Some(why) => State::Dropped { why, at: now },
            None => State::Done {
                answer: answer.clone(),
                at: now,
                is_given: false,
            },
        };
        self.set(handle, state);
    }

    /// Ends a call without a result.
    pub(super) fn drop_call(&mut self, handle: &str, why: Dropped, now: Instant) {
        self.set(handle, State::Dropped { why, at: now });
    }

    /// What its client hears about a handle.
    pub(super) fn look(&mut self, handle: &str, owner: &Owner, now: Instant) -> Look {
        self.expire(now);
        let call = self.calls.get_mut(handle);
        let Some(call) = call.filter(|call| call.owner == *owner) else {
            return Look::Unknown;
        };
        match &mut call.state {
            State::Running { .. } => Look::Running {
                tool: call.tool.clone(),
                since: call.since,
            },
            State::Done {
                answer, is_given, ..
            } => {
                *is_given = true;
                Look::Done(answer.clone())
            }
            State::Dropped { why, .. } => Look::Dropped(call.tool.clone(), *why),
        }
    }

    /// The request of a call whose server waits for its client's answers.
    pub(super) fn request(&self, handle: &str, owner: &Owner) -> Option<&Message> {
        let call = self.calls.get(handle)?;
        let State::Done { answer, .. } = &call.state else {
            return None;
        };
        (call.owner == *owner && wants_input(answer)).then_some(&call.request)
    }

    /// Whether no handle is known.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Asks the session of a running call to end it; `false` if there is no such call.
    pub(super) fn cancel(&mut self, handle: &str, owner: &Owner) -> bool {
        let call = self.calls.get_mut(handle);
        match call.filter(|call| call.owner == *owner) {
            Some(KeptCall {
                state: State::Running { is_cancelled, .. },
                ..
            }) => {
                *is_cancelled = true;
                true
            }
            _ => false,
        }
    }

    /// The calls of a session that have to end: handle and id.
    pub(super) fn cancelled(&self, of: u64) -> Vec<(String, Id)> {
        let calls = self.calls.iter();
        let cancelled = calls.filter_map(|(handle, call)| match &call.state {
            State::Running {
                session,
                id,
                is_cancelled: true,
            } if *session == of => Some((handle.clone(), id.clone())),
            _ => None,
        });
        cancelled.collect()
    }

    /// The session has ended, and with it the calls that ran in it.
    pub(super) fn lose(&mut self, of: u64, now: Instant) {
        for call in self.calls.values_mut() {
            if matches!(call.state, State::Running { session, .. } if session == of) {
                call.state = State::Dropped {
                    why: Dropped::Lost,
                    at: now,
                };
            }
        }
    }

    /// The calls of an owner, oldest first; empty if its clients cannot be told apart.
    pub(super) fn list(&mut self, owner: &Owner, now: Instant) -> Vec<Listed> {
        self.expire(now);
        if *owner == Owner::Unknown {
            return Vec::new();
        }
        let own = self.calls.iter().filter(|(_, call)| call.owner == *owner);
        let mut list: Vec<Listed> = own
            .filter(|(_, call)| !matches!(call.state, State::Dropped { .. }))
            .map(|(handle, call)| Listed {
                handle: handle.clone(),
                tool: call.tool.clone(),
                since: call.since,
                is_running: matches!(call.state, State::Running { .. }),
            })
            .collect();
        list.sort_by_key(|call| call.since);
        list
    }

    fn set(&mut self, handle: &str, state: State) {
        if let Some(call) = self.calls.get_mut(handle) {
            call.state = state;
        }
    }

    /// Whether an owner may have that many more calls and bytes.
    fn fits(&self, owner: &Owner, calls: usize, bytes: usize) -> bool {
        let own = self.calls.values().filter(|call| call.owner == *owner);
        let (count, size) = own.fold((0, 0), |(count, size), call| (count + 1, size + call.len()));
        let all: usize = self.calls.values().map(KeptCall::len).sum();
        // Clients that cannot be told apart share the whole.
        let (most, most_bytes) = match owner {
            Owner::Unknown => (MOST, MOST_BYTES),
            _ => (MOST_OF_ONE, MOST_BYTES_OF_ONE),
        };
        count + calls <= most
            && self.calls.len() + calls <= MOST
            && size.saturating_add(bytes) <= most_bytes
            && all.saturating_add(bytes) <= MOST_BYTES
    }

    /// Forgets a call of an owner that is over: one without a result, or the oldest; those that its client has seen
    /// come first. `false` if all run. A client never displaces the results of others.
    fn make_room(&mut self, owner: &Owner) -> bool {
        let own = self.calls.iter().filter(|(_, call)| call.owner == *owner);
        let over = own.filter_map(|(handle, call)| match &call.state {
            State::Running { .. } => None,
            State::Dropped { at, .. } => Some((0, *at, handle)),
            State::Done { at, is_given, .. } => Some((2 - u8::from(*is_given), *at, handle)),
        });
        let first = over.min().map(|(_, _, handle)| handle.clone());
        first.is_some_and(|handle| self.calls.remove(&handle).is_some())
    }

    fn expire(&mut self, now: Instant) {
        let is_old = |call: &KeptCall| match &call.state {
            State::Running { .. } => false,
            State::Done { at, .. } | State::Dropped { at, .. } => *at + LIFETIME <= now,
        };
        let old = self.calls.iter().filter(|(_, call)| is_old(call));
        let old: Vec<String> = old.map(|(handle, _)| handle.clone()).collect();
        for handle in old {
            self.calls.remove(&handle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::message;

    fn request(id: usize) -> Message {
        message(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t"}}}}"#
        ))
    }

    fn answer(text: &str) -> Message {
        message(&format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{text}"}}"#))
    }

    fn ada() -> Owner {
        Owner::Principal((*b"ada").into())
    }

    fn keep(kept: &mut Kept, handle: &str, owner: &Owner, now: Instant) -> bool {
        kept.keep(handle, owner, (1, &request(1)), ("t", now), now)
    }

    #[test]
    fn a_result_is_handed_out_again_until_its_time_is_over() {
        let (mut kept, now) = (Kept::default(), Instant::now());
        assert!(keep(&mut kept, "h", &ada(), now));
        assert!(matches!(kept.look("h", &ada(), now), Look::Running { .. }));
        kept.finish("h", &answer("x"), now);
        for _ in 0..2 {
            assert!(matches!(kept.look("h", &ada(), now), Look::Done(_)));
        }
        let later = now + LIFETIME;
        assert!(matches!(kept.look("h", &ada(), later), Look::Unknown));
        assert!(kept.calls.is_empty());
    }

    #[test]
    fn another_client_does_not_see_a_call() {
        let (mut kept, now) = (Kept::default(), Instant::now());
        assert!(keep(&mut kept, "h", &ada(), now));
        for other in [
            Owner::Principal((*b"bob").into()),
            Owner::Session(1),
            Owner::Unknown,
        ] {
            assert!(matches!(kept.look("h", &other, now), Look::Unknown));
            assert!(!kept.cancel("h", &other));
            assert!(kept.list(&other, now).is_empty());
        }
        assert_eq!(kept.list(&ada(), now).len(), 1);
    }

    #[test]
    fn clients_that_cannot_be_told_apart_have_no_list() {
        let (mut kept, now) = (Kept::default(), Instant::now());
        assert!(keep(&mut kept, "h", &Owner::Unknown, now));
        assert!(kept.list(&Owner::Unknown, now).is_empty());
        assert!(matches!(
            kept.look("h", &Owner::Unknown, now),
            Look::Running { .. }
        ));
    }

    #[test]
    fn a_client_can_keep_a_limited_number_and_displaces_its_own_oldest_result() {
        let (mut kept, now) = (Kept::default(), Instant::now());
        for number in 0..MOST_OF_ONE {
            assert!(keep(&mut kept, &number.to_string(), &ada(), now));
        }
        assert!(!keep(&mut kept, "more", &ada(), now), "all run");
        kept.finish("3", &answer("x"), now);
        kept.finish("4", &answer("x"), now + Duration::from_secs(1));
        kept.look("4", &ada(), now);
        assert!(keep(&mut kept, "more", &ada(), now));
        assert!(matches!(kept.look("4", &ada(), now), Look::Unknown), "seen");
        assert!(matches!(kept.look("3", &ada(), now), Look::Done(_)));
        let bob = Owner::Session(2);
        assert!(keep(&mut kept, "bob's", &bob, now), "a limit of its own");
    }

    #[test]
    fn a_result_that_is_too_large_is_dropped_and_says_so() {
        let (mut kept, now) = (Kept::default(), Instant::now());
        assert!(keep(&mut kept, "h", &ada(), now));
        kept.finish("h", &answer(&"x".repeat(MOST_BYTES_OF_ONE)), now);
        let look = kept.look("h", &ada(), now);
        assert!(matches!(look, Look::Dropped(_, Dropped::TooLarge)));
    }

    #[test]
    fn bytes_of_results_are_bounded_for_a_client_and_for_all() {
        let (mut kept, now) = (Kept::default(), Instant::now());
        let large = answer(&"x".repeat(MOST_BYTES_OF_ONE / 2));
        for handle in ["a", "b"] {
            assert!(keep(&mut kept, handle, &ada(), now));
            kept.finish(handle, &large, now);
        }
        assert!(matches!(kept.look("a", &ada(), now), Look::Unknown));
        assert!(matches!(kept.look("b", &ada(), now), Look::Done(_)));
        let mut last = None;
        for session in 0..4 {
            let owner = Owner::Session(session);
            let handle = session.to_string();
            assert!(keep(&mut kept, &handle, &owner, now));
            kept.finish(&handle, &large, now);
            last = Some(kept.look(&handle, &owner, now));
        }
        let last = last.unwrap();
        assert!(
            matches!(last, Look::Dropped(_, Dropped::NoRoom)),
            "{last:?}"
        );
    }

    #[test]
    fn the_calls_of_a_session_are_lost_with_it() {
        let (mut kept, now) = (Kept::default(), Instant::now());
        assert!(keep(&mut kept, "h", &ada(), now));
        kept.lose(2, now);
        assert!(matches!(kept.look("h", &ada(), now), Look::Running { .. }));
        kept.lose(1, now);
        let look = kept.look("h", &ada(), now);
        assert!(matches!(look, Look::Dropped(_, Dropped::Lost)));
    }

    #[test]
    fn a_cancellation_reaches_the_session_of_the_call() {
        let (mut kept, now) = (Kept::default(), Instant::now());
        assert!(keep(&mut kept, "h", &ada(), now));
        assert!(kept.cancelled(1).is_empty());
        assert!(kept.cancel("h", &ada()));
        assert!(kept.cancelled(2).is_empty());
        assert_eq!(kept.cancelled(1), [("h".to_owned(), Id::number(1))]);
    }
}

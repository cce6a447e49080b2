//! The legacy sessions that are open.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::principal::Principal;
use super::session::Session;
use super::session_streams::Manner;

/// The id of a session: 128 random bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key(u128);

impl Key {
    /// A new one; `None` if the system has no random numbers for us.
    pub(super) fn random() -> Option<Self> {
        let mut bytes = [0; 16];
        // The system's, not that of TLS: it takes 25 ms to seed itself for the first session.
        getrandom::fill(&mut bytes).ok()?;
        Some(Self(u128::from_be_bytes(bytes)))
    }

    /// Reads what [`fmt::Display`] wrote, and only that.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == 32 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let number = u128::from_str_radix(text, 16).ok();
        number.filter(|_| fits).map(Self)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Sessions by their id.
#[derive(Default)]
pub(super) struct Sessions {
    open: Mutex<HashMap<Key, Arc<Session>>>,
    /// Sessions that have ended since their memory was last given back to the system.
    ended: AtomicUsize,
}

/// After so many sessions their memory is given back, and when none is left.
const MANY: usize = 64;
/// It takes a moment until everything of a session is gone.
const GONE: Duration = Duration::from_secs(1);

impl Sessions {
    pub(super) fn add(&self, session: Arc<Session>) {
        self.lock().insert(session.key, session);
    }

    /// The session of that id. To all but its owner it does not exist, nor does it where its
    /// client does not listen: the answer would never be heard.
    pub(super) fn find(&self, key: &str, who: &Principal, how: Manner) -> Option<Arc<Session>> {
        let key = Key::parse(key)?;
        let found = self.lock().get(&key).cloned();
        let found = found.filter(|session| session.principal == *who && session.manner == how)?;
        // Its streams and its server go by the latest credentials.
        found.principal.renew(who);
        Some(found)
    }

    pub(super) fn remove(&self, key: Key) {
        self.lock().remove(&key);
    }

    /// A session has ended. Gives memory back now and then: the allocator would keep it.
    pub(super) fn ended(self: &Arc<Self>) {
        let ended = self.ended.fetch_add(1, Ordering::Relaxed) + 1;
        if !ended.is_multiple_of(MANY) && self.len() > 0 {
            return;
        }
        let all = Arc::clone(self);
        tokio::spawn(async move {
            sleep(GONE).await;
            // Only the first of several that end at the same time.
            if all.ended.swap(0, Ordering::Relaxed) > 0 {
                let _ = spawn_blocking(linkspan_spawn::release_memory).await;
            }
        });
    }

    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    pub(super) fn close_all(&self) {
        for session in self.lock().values() {
            session.close();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<Session>>> {
        self.open.lock()
    }
}

/// Without their ids, which are secrets.
impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sessions({})", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_and_nothing_like_it() {
        let key = Key::random().unwrap();
        let text = key.to_string();
        assert!(Key::parse(&text) == Some(key));
        assert!(Key::random().unwrap() != key);
        for bad in [
            "",
            "1",
            &text[1..],
            &format!("+{}", &text[1..]),
            &"F".repeat(32),
        ] {
            assert!(Key::parse(bad).is_none(), "{bad}");
        }
    }
}

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
    /// Sessions that have ended since memory was last returned to the system.
    ended: AtomicUsize,
}

/// Memory is returned after this many ended sessions, and when no session is left.
const MANY: usize = 64;
/// The delay until everything of an ended session has been dropped.
const GONE: Duration = Duration::from_secs(1);

impl Sessions {
    pub(super) fn add(&self, session: Arc<Session>) {
        self.lock().insert(session.key, session);
    }

    /// The session with this id. It is hidden from other principals, and from requests of the other transport: its
    /// client would not read the answer there.
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

    /// Counts an ended session. Returns memory to the system from time to time, because the allocator would keep it.
    pub(super) fn ended(self: &Arc<Self>) {
        let ended = self.ended.fetch_add(1, Ordering::Relaxed) + 1;
        if !ended.is_multiple_of(MANY) && self.len() > 0 {
            return;
        }
        let all = Arc::clone(self);
        tokio::spawn(async move {
            sleep(GONE).await;
            // Of several sessions that end together, only the first does this.
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

/// Does not print session ids, which are secrets.
impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sessions({})", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_session_keys_are_parsed() {
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

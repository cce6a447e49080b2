//! The keyring of the system, which may be absent, locked, or hang.

#[cfg(feature = "keyring")]
mod os;

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use crate::Secret;

/// How long a call may take. Agents in containers hang for ever; a person who is asked to unlock the keyring finds it
/// unlocked at the next start.
const PATIENCE: Duration = Duration::from_secs(3);

/// One item that holds the key of the store.
pub(super) trait Keyring: Send + Sync {
    /// The item, or `None` if there is none.
    fn load(&self) -> Result<Option<Secret>, String>;
    /// Makes or replaces the item.
    fn save(&self, key: &Secret) -> Result<(), String>;
}

/// The keyring of this system.
#[cfg(feature = "keyring")]
pub(super) fn of_system() -> Arc<dyn Keyring> {
    Arc::new(os::OsKeyring)
}

/// A build without keyrings.
#[cfg(not(feature = "keyring"))]
pub(super) fn of_system() -> Arc<dyn Keyring> {
    struct None;
    impl Keyring for None {
        fn load(&self) -> Result<Option<Secret>, String> {
            Err("this build has no support for keyrings".to_owned())
        }

        fn save(&self, _: &Secret) -> Result<(), String> {
            self.load().map(drop)
        }
    }
    Arc::new(None)
}

pub(super) fn load(keyring: &Arc<dyn Keyring>) -> Result<Option<Secret>, String> {
    let keyring = Arc::clone(keyring);
    within(PATIENCE, move || keyring.load())
}

/// Makes the item and reads it again: what counts is what other processes will find.
pub(super) fn save(keyring: &Arc<dyn Keyring>, key: Secret) -> Result<Option<Secret>, String> {
    let keyring = Arc::clone(keyring);
    within(PATIENCE, move || {
        keyring.save(&key)?;
        keyring.load()
    })
}

/// Runs a call on a thread of its own, which is left behind if it takes too long: the call cannot be cancelled.
fn within<T: Send + 'static>(
    patience: Duration,
    call: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let run = move || {
        // The receiver is gone if the call took too long.
        let _ = sender.send(call());
    };
    thread::Builder::new()
        .name("keyring".to_owned())
        .spawn(run)
        .map_err(|error| error.to_string())?;
    match receiver.recv_timeout(patience) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            let seconds = patience.as_secs();
            Err(format!("it did not answer within {seconds} s"))
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => Err("the call failed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_hangs_counts_as_an_absent_keyring() {
        let (release, wait) = mpsc::sync_channel::<()>(0);
        let hangs = move || wait.recv().map_err(|error| error.to_string());
        let error = within(Duration::from_millis(1), hangs).unwrap_err();
        assert!(error.contains("did not answer"), "{error}");
        drop(release);
    }

    #[test]
    fn a_call_that_panics_counts_as_an_absent_keyring() {
        let error = within::<()>(PATIENCE, || panic!("on purpose")).unwrap_err();
        assert_eq!(error, "the call failed");
    }
}

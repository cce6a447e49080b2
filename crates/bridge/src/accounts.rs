//! Sign-ins of several clients at one server.

use std::collections::HashMap;

use linkspan_auth_io::Account;
use linkspan_ports::Principal;
use parking_lot::Mutex;

/// Accounts that are kept. One that is made again finds its tokens in the store.
const MOST: usize = 256;

type Make = dyn Fn(&Principal) -> Option<Account> + Send + Sync;

/// One account for each client: no request of one client has the token of another.
pub(crate) struct PrincipalAccounts {
    make: Box<Make>,
    made: Mutex<HashMap<Principal, Option<Account>>>,
}

impl PrincipalAccounts {
    pub(crate) fn new(
        make: impl Fn(&Principal) -> Option<Account> + Send + Sync + 'static,
    ) -> Self {
        Self {
            make: Box::new(make),
            made: Mutex::default(),
        }
    }

    /// The account of a client; `None` if it cannot sign in.
    pub(crate) fn of(&self, principal: &Principal) -> Option<Account> {
        let principal = principal.without_view();
        let mut made = self.made.lock();
        if let Some(account) = made.get(&principal) {
            return account.clone();
        }
        if made.len() >= MOST {
            let other = made.keys().next().cloned();
            other.map(|other| made.remove(&other));
        }
        let account = (self.make)(&principal);
        made.insert(principal, account.clone());
        account
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn each_client_is_asked_for_once_whatever_its_view() {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        let accounts = PrincipalAccounts::new(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            None
        });
        let ada = Principal::of_credentials(b"ada");
        for principal in [
            &ada,
            &ada.clone().in_view("v"),
            &Principal::of_credentials(b"bob"),
        ] {
            assert!(accounts.of(principal).is_none());
        }
        assert_eq!(count.load(Ordering::Relaxed), 2);
    }
}

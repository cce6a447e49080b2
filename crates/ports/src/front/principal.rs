//! On whose behalf a request came.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Instant;

use linkspan_auth::resource::Identity;
use linkspan_session::now;
use parking_lot::Mutex;

/// On whose behalf a request came: the bytes of its credentials or, where a [`Guard`](super::Guard) verifies them, issuer,
/// subject and client. All requests without credentials have the same principal.
///
/// Two principals are equal if these are and the requests are for the same view: a refreshed token, and one with other
/// scopes, belongs to the same principal.
#[derive(Clone)]
pub struct Principal {
    key: Option<Arc<[u8]>>,
    /// The view of the server that the requests are for.
    view: Option<Arc<str>>,
    standing: Option<Arc<Mutex<Standing>>>,
}

/// What the latest request has shown. Clones of a principal share it.
#[derive(Clone)]
struct Standing {
    identity: Arc<Identity>,
    /// When the credentials expire.
    until: Option<Instant>,
}

impl Principal {
    /// A request without credentials, or with the one token that all clients have.
    pub const fn anonymous() -> Self {
        Self {
            key: None,
            view: None,
            standing: None,
        }
    }

    /// Credentials that are not verified here.
    pub fn of_credentials(bytes: &[u8]) -> Self {
        Self {
            key: Some(bytes.into()),
            view: None,
            standing: None,
        }
    }

    /// A sender whose credentials were verified.
    pub fn identified(identity: Arc<Identity>) -> Self {
        Self::until(identity, None)
    }

    /// The same, until its credentials expire.
    pub fn until(identity: Arc<Identity>, until: Option<Instant>) -> Self {
        Self {
            key: Some(identity.key().into()),
            view: None,
            standing: Some(Arc::new(Mutex::new(Standing { identity, until }))),
        }
    }

    /// The same sender, for a view of the server.
    #[must_use]
    pub fn in_view(self, view: &str) -> Self {
        Self {
            view: Some(view.into()),
            ..self
        }
    }

    /// The view of the server that the requests are for.
    pub fn view(&self) -> Option<&str> {
        self.view.as_deref()
    }

    /// The same sender, whichever view its requests are for.
    #[must_use]
    pub fn without_view(&self) -> Self {
        Self {
            view: None,
            ..self.clone()
        }
    }

    /// What tells it from other principals; `None` without credentials. It may hold a secret.
    pub fn key(&self) -> Option<&[u8]> {
        self.key.as_deref()
    }

    /// The verified sender. Its scopes are those of the latest request.
    pub fn identity(&self) -> Option<Arc<Identity>> {
        Some(Arc::clone(&self.standing.as_ref()?.lock().identity))
    }

    /// The same, unless the credentials of the latest request have expired.
    pub fn current_identity(&self) -> Option<Arc<Identity>> {
        self.identity()
            .filter(|_| self.expires().is_none_or(|at| now() < at))
    }

    /// When the credentials of the latest request expire.
    pub fn expires(&self) -> Option<Instant> {
        self.standing.as_ref()?.lock().until
    }

    /// Another request of the same principal was admitted: what it has shown counts from now on.
    pub fn renew(&self, latest: &Self) {
        if let (Some(own), Some(latest)) = (&self.standing, &latest.standing)
            && !Arc::ptr_eq(own, latest)
        {
            let latest = latest.lock().clone();
            *own.lock() = latest;
        }
    }

    /// The same principal for a server that it shares with others, which must not be told about any of them.
    #[must_use]
    pub fn without_identity(&self) -> Self {
        Self {
            key: self.key.clone(),
            view: self.view.clone(),
            standing: None,
        }
    }
}

impl PartialEq for Principal {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.view == other.view
    }
}

impl Eq for Principal {}

impl Hash for Principal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
        self.view.hash(state);
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.key.is_some() {
            "with credentials"
        } else {
            "without credentials"
        })
    }
}

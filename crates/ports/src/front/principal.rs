//! On whose behalf a request came.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use linkspan_auth::resource::Identity;

/// On whose behalf a request came: the bytes of its credentials or, where a [`Guard`](super::Guard) verifies them, issuer,
/// subject and client. All requests without credentials have the same principal.
///
/// Two principals are equal if these are: a refreshed token, and one with other scopes, belongs to the same principal.
#[derive(Clone)]
pub struct Principal {
    key: Option<Arc<[u8]>>,
    identity: Option<Arc<Identity>>,
}

impl Principal {
    /// A request without credentials, or with the one token that all clients have.
    pub const fn anonymous() -> Self {
        Self {
            key: None,
            identity: None,
        }
    }

    /// Credentials that are not verified here.
    pub fn of_credentials(bytes: &[u8]) -> Self {
        Self {
            key: Some(bytes.into()),
            identity: None,
        }
    }

    /// A sender whose credentials were verified.
    pub fn identified(identity: Arc<Identity>) -> Self {
        Self {
            key: Some(identity.key().into()),
            identity: Some(identity),
        }
    }

    /// What tells it from other principals; `None` without credentials. It may hold a secret.
    pub fn key(&self) -> Option<&[u8]> {
        self.key.as_deref()
    }

    /// The verified sender. Its scopes are those of the request that this principal was made for.
    pub fn identity(&self) -> Option<&Arc<Identity>> {
        self.identity.as_ref()
    }

    /// The same principal for a server that it shares with others, which must not be told about any of them.
    #[must_use]
    pub fn without_identity(&self) -> Self {
        Self {
            key: self.key.clone(),
            identity: None,
        }
    }
}

impl PartialEq for Principal {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Principal {}

impl Hash for Principal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
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

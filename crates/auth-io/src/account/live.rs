//! A credential in memory: headers of requests, and when it has to be renewed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::Method;
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use linkspan_auth::Timestamp;
use linkspan_auth::client::DpopKey;
use linkspan_auth::store::{Record, Status, Tokens};
use linkspan_ports::Credentials;
use url::Url;

use crate::settings::Order;

/// How long before its end a token is renewed: this, or a tenth of its life.
const AHEAD: Duration = Duration::from_secs(60);

/// How long after a sign-in a refused token is no reason for another one.
const FRESH: Duration = Duration::from_secs(60);

pub(super) struct Live {
    pub(super) generation: u64,
    tokens: Tokens,
    header: HeaderValue,
    dpop: Option<DpopKey>,
    /// The scopes that were asked for.
    pub(super) requested: Vec<String>,
    /// Whether it is not marked as one that a person has to renew.
    is_active: bool,
    /// Whether there may be new tokens without a person.
    renews: bool,
    pub(super) signed_in: Option<Timestamp>,
}

impl Live {
    /// `None` if the record cannot be used, because it is marked or its token has no place in a header.
    pub(super) fn new(record: &Record, needs_user: bool) -> Option<std::sync::Arc<Self>> {
        if record.status == Status::SignedOut {
            return None;
        }
        let tokens = record.tokens.clone()?;
        let scheme = if tokens.dpop { "DPoP" } else { "Bearer" };
        let mut header =
            HeaderValue::try_from(format!("{scheme} {}", tokens.access.expose())).ok()?;
        header.set_sensitive(true);
        let is_active = record.status == Status::Active;
        let kept = record.dpop_key.as_ref().filter(|_| tokens.dpop);
        Some(std::sync::Arc::new(Self {
            generation: record.generation,
            dpop: kept.and_then(|key| DpopKey::restore(key).ok()),
            header,
            requested: record.requested.clone(),
            is_active,
            renews: is_active && (tokens.refresh.is_some() || !needs_user),
            signed_in: record.signed_in,
            tokens,
        }))
    }

    /// Whether the token should be renewed before the next request.
    pub(super) fn is_due(&self) -> bool {
        let Some(expires) = self.tokens.expires.filter(|_| self.renews) else {
            return false;
        };
        let life = self.tokens.issued.until(expires);
        let end = Duration::from_secs(expires.0);
        since_1970() >= end.saturating_sub(AHEAD.min(life / 10))
    }

    pub(super) fn has_token_of(&self, other: &Self) -> bool {
        self.tokens.access == other.tokens.access
    }

    /// Whether there may be new tokens without a sign-in.
    pub(super) fn can_refresh(&self) -> bool {
        self.renews && self.tokens.refresh.is_some()
    }

    /// Whether its sign-in has only just been made.
    pub(super) fn is_fresh(&self) -> bool {
        let now = Timestamp::now();
        let is_fresh = |at: Timestamp| at <= now && at.until(now) < FRESH;
        self.signed_in.is_some_and(is_fresh)
    }

    /// Whether this is what an order asks for.
    pub(super) fn satisfies(&self, order: &Order) -> bool {
        self.is_active && order.is_satisfied_by(self.generation, &self.requested, &self.tokens)
    }

    pub(super) fn credentials(
        &self,
        method: &Method,
        url: &Url,
        nonce: Option<&str>,
    ) -> Credentials {
        let mut headers = vec![(AUTHORIZATION, self.header.clone())];
        if let Some(key) = &self.dpop {
            let token = Some(self.tokens.access.expose());
            let proof = key.proof(method.as_str(), url, token, nonce, Timestamp::now());
            let proof = HeaderValue::try_from(proof).ok();
            headers.extend(proof.map(|proof| (HeaderName::from_static("dpop"), proof)));
        }
        Credentials {
            headers,
            generation: Some(self.generation),
        }
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        let tokens = &self.tokens;
        let others = [&tokens.refresh, &tokens.id_token];
        let others = others
            .into_iter()
            .flatten()
            .map(|it| it.expose().to_owned());
        others.chain([tokens.access.expose().to_owned()]).collect()
    }
}

fn since_1970() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

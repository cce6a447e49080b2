//! The keys of one issuer, and when they are fetched.

use std::sync::Arc;
use std::time::Duration;

use url::Url;

use super::key_fetch::{FetchedKeys, KeyFetch};
use super::policy::{IssuerError, check_issuer};
use crate::Timestamp;
use crate::jose::JwkSet;

/// How often keys are fetched because they are old.
const PAUSE: Duration = Duration::from_secs(60);
/// How many fetches there are in that time if tokens name keys that are unknown: an issuer may change its keys right
/// after a fetch, and strangers may make up names.
const MOST: usize = 2;
/// The same as long as there are no keys at all.
const SHORT_PAUSE: Duration = Duration::from_secs(5);
/// How long the place of the keys is believed.
const PLACE: Duration = Duration::from_secs(24 * 3600);

/// The keys of one issuer. Old keys are used until newer ones are there.
#[derive(Debug)]
pub struct IssuerKeys {
    issuer: String,
    source: Source,
    keys: Option<Arc<JwkSet>>,
    fresh_until: Timestamp,
    /// When the last fetches began, the newest first.
    asked: [Option<Timestamp>; MOST],
    /// When the keys were fetched.
    fetched: Timestamp,
}

#[derive(Debug)]
enum Source {
    Fixed,
    At(Url),
    Discovered {
        issuer: Url,
        /// Where the metadata said that they are, and when.
        place: Option<(Url, Timestamp)>,
    },
}

impl IssuerKeys {
    /// Keys that never change.
    pub fn fixed(issuer: &str, keys: JwkSet) -> Self {
        let keys = Some(Arc::new(keys));
        Self {
            keys,
            ..Self::new(issuer, Source::Fixed)
        }
    }

    /// Keys at a URL that the operator named.
    pub fn at(issuer: &str, jwks: Url) -> Self {
        Self::new(issuer, Source::At(jwks))
    }

    /// Keys that the metadata of the issuer leads to.
    pub fn discovered(issuer: &str) -> Result<Self, IssuerError> {
        let source = Source::Discovered {
            issuer: check_issuer(issuer)?,
            place: None,
        };
        Ok(Self::new(issuer, source))
    }

    fn new(issuer: &str, source: Source) -> Self {
        Self {
            issuer: issuer.to_owned(),
            source,
            keys: None,
            fresh_until: Timestamp(0),
            asked: [None; MOST],
            fetched: Timestamp(0),
        }
    }

    /// The issuer.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The newest keys.
    pub fn keys(&self) -> Option<&Arc<JwkSet>> {
        self.keys.as_ref()
    }

    /// Whether there are keys that need not be fetched again yet.
    pub fn is_fresh(&self, now: Timestamp) -> bool {
        let is_fixed = matches!(self.source, Source::Fixed);
        self.keys.is_some() && (is_fixed || now < self.fresh_until)
    }

    /// Whether keys should be fetched before a token is judged: there are none, or they are old.
    pub fn is_due(&self, now: Timestamp) -> bool {
        !self.is_fresh(now) && self.may_fetch(now)
    }

    /// Whether keys may be fetched because they are old, or there are none.
    pub fn may_fetch(&self, now: Timestamp) -> bool {
        self.is_long_ago(self.asked[0], now)
    }

    /// Whether keys may be fetched because a token names a key that is unknown.
    pub fn may_fetch_newer(&self, now: Timestamp) -> bool {
        let counts = if self.keys.is_some() { MOST } else { 1 };
        self.is_long_ago(self.asked[counts - 1], now)
    }

    /// Whether a token that was issued at this time may be signed by a key that is newer than ours: then it cannot be
    /// judged until keys may be fetched again. A token that does not say when it was issued is not waited for.
    pub fn may_be_newer(&self, issued: Option<Timestamp>) -> bool {
        let is_fixed = matches!(self.source, Source::Fixed);
        !is_fixed && issued.is_some_and(|issued| issued > self.fetched)
    }

    fn is_long_ago(&self, asked: Option<Timestamp>, now: Timestamp) -> bool {
        if matches!(self.source, Source::Fixed) {
            return false;
        }
        let pause = if self.keys.is_some() {
            PAUSE
        } else {
            SHORT_PAUSE
        };
        // A clock that was set back must not stop fetches until it has caught up.
        asked.is_none_or(|asked| now < asked || asked.after(pause) <= now)
    }

    /// Begins a fetch; `None` if the keys are fixed.
    pub fn fetch(&mut self, now: Timestamp) -> Option<KeyFetch> {
        self.asked.rotate_right(1);
        self.asked[0] = Some(now);
        match &self.source {
            Source::Fixed => None,
            Source::At(url) => Some(KeyFetch::at(&self.issuer, url.clone())),
            Source::Discovered { issuer, place } => Some(match place {
                Some((url, at)) if now < at.after(PLACE) => KeyFetch::at(&self.issuer, url.clone()),
                _ => KeyFetch::discover(&self.issuer, issuer),
            }),
        }
    }

    /// A fetch has succeeded.
    pub fn fetched(&mut self, fetched: FetchedKeys, now: Timestamp) {
        self.fresh_until = now.after(fetched.fresh_for);
        self.fetched = now;
        self.keys = Some(Arc::new(fetched.keys));
        if let Source::Discovered { place, .. } = &mut self.source {
            let believed =
                |(url, at): &(Url, Timestamp)| *url == fetched.uri && now < at.after(PLACE);
            let known = place.take().filter(believed);
            *place = known.or(Some((fetched.uri, now)));
        }
    }

    /// A fetch has failed. Keys that are there stay; the next fetch asks the metadata again.
    pub fn failed(&mut self) {
        if let Source::Discovered { place, .. } = &mut self.source {
            *place = None;
        }
    }
}

#[cfg(test)]
mod tests;

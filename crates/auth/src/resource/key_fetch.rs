//! One fetch of the keys of an issuer, step by step.

use std::collections::VecDeque;
use std::time::Duration;

use url::Url;

use super::discovery::{self, DiscoveryError};
use crate::jose::JwkSet;
use crate::urls::issuer_metadata;
use crate::{HttpRequest, HttpResponse};

/// How long keys count as new, at least and at most, and if the issuer does not say.
const SHORTEST: Duration = Duration::from_secs(5 * 60);
const LONGEST: Duration = Duration::from_secs(24 * 3600);
const USUAL: Duration = Duration::from_secs(3600);

/// A fetch under way.
#[derive(Debug)]
pub struct KeyFetch {
    issuer: String,
    /// Where keys are, once that is known.
    jwks: Option<Url>,
    /// Places of the metadata that were not asked yet; the first is asked now.
    places: VecDeque<Url>,
    failures: Vec<String>,
}

/// What comes after an answer.
#[derive(Debug)]
pub enum Progress {
    /// Send the next request.
    Next(KeyFetch),
    /// Here are the keys.
    Done(FetchedKeys),
    /// There are none.
    Failed(KeysError),
}

/// Keys, and for how long they count as new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedKeys {
    /// The keys.
    pub keys: JwkSet,
    /// Where they were.
    pub uri: Url,
    /// How long they count as new.
    pub fresh_for: Duration,
}

/// The keys of an issuer could not be fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the keys of {issuer} cannot be fetched: {why}")]
pub struct KeysError {
    /// The issuer.
    pub issuer: String,
    /// What was tried, and how it failed.
    pub why: String,
}

/// There is no answer; why, in the words of the transport.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unanswered(pub String);

/// Why one request of a fetch led to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum FetchFailed {
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
    #[error(transparent)]
    Discovery(#[from] DiscoveryError),
    #[error("HTTP {0}")]
    Status(u16),
    #[error("not a set of keys")]
    NotKeys,
    #[error("no key in it can be used")]
    NoUsableKey,
}

impl KeyFetch {
    /// Fetches keys from where they are known to be.
    pub(super) fn at(issuer: &str, jwks: Url) -> Self {
        Self {
            issuer: issuer.to_owned(),
            jwks: Some(jwks),
            places: VecDeque::new(),
            failures: Vec::new(),
        }
    }

    /// Asks the metadata of the issuer where its keys are.
    pub(super) fn discover(issuer: &str, url: &Url) -> Self {
        Self {
            issuer: issuer.to_owned(),
            jwks: None,
            places: issuer_metadata(url).into(),
            failures: Vec::new(),
        }
    }

    /// The request to send now; `None` if there is nothing left to ask.
    pub fn request(&self) -> Option<HttpRequest> {
        let url = self.jwks.as_ref().or(self.places.front())?;
        Some(HttpRequest::get(url.clone()))
    }

    /// Goes on with an answer, or with why there is none.
    pub fn on(mut self, answer: Result<HttpResponse, Unanswered>) -> Progress {
        if let Some(uri) = self.jwks.take() {
            return match answer
                .map_err(FetchFailed::from)
                .and_then(|response| read_keys(&response))
            {
                Ok((keys, fresh_for)) => Progress::Done(FetchedKeys {
                    keys,
                    uri,
                    fresh_for,
                }),
                Err(why) => self.failed(&uri, &why),
            };
        }
        let Some(place) = self.places.pop_front() else {
            return Progress::Failed(self.error());
        };
        let found = answer
            .map_err(FetchFailed::from)
            .and_then(|response| Ok(discovery::jwks_uri(&response, &self.issuer)?));
        match found {
            Ok(uri) => {
                self.jwks = Some(uri);
                Progress::Next(self)
            }
            Err(why) => self.failed(&place, &why),
        }
    }

    fn failed(mut self, url: &Url, why: &FetchFailed) -> Progress {
        self.failures.push(format!("{url}: {why}"));
        if self.jwks.is_none() && self.places.is_empty() {
            return Progress::Failed(self.error());
        }
        Progress::Next(self)
    }

    fn error(&self) -> KeysError {
        KeysError {
            issuer: self.issuer.clone(),
            why: self.failures.join("; "),
        }
    }
}

fn read_keys(response: &HttpResponse) -> Result<(JwkSet, Duration), FetchFailed> {
    if !response.is_success() {
        return Err(FetchFailed::Status(response.status));
    }
    let keys = JwkSet::parse(&response.body).ok_or(FetchFailed::NotKeys)?;
    if keys.keys.is_empty() {
        return Err(FetchFailed::NoUsableKey);
    }
    Ok((keys, fresh_for(response.cache_control.as_deref())))
}

/// How long an answer may be kept, within bounds.
fn fresh_for(cache_control: Option<&str>) -> Duration {
    let Some(value) = cache_control else {
        return USUAL;
    };
    let mut asked = USUAL;
    for directive in value.split(',') {
        let directive = directive.trim().to_ascii_lowercase();
        if directive == "no-store" || directive == "no-cache" {
            return SHORTEST;
        }
        let age = directive.strip_prefix("max-age=");
        if let Some(seconds) = age.and_then(|text| text.trim_matches('"').parse().ok()) {
            asked = Duration::from_secs(seconds);
        }
    }
    asked.clamp(SHORTEST, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lifetimes_are_bounded() {
        for (value, seconds) in [
            (None, 3600),
            (Some("max-age=0"), 300),
            (Some("public, max-age=600, must-revalidate"), 600),
            (Some("MAX-AGE=\"700\""), 700),
            (Some("max-age=99999999"), 86_400),
            (Some("no-store, max-age=900"), 300),
            (Some("max-age=x"), 3600),
        ] {
            assert_eq!(fresh_for(value), Duration::from_secs(seconds), "{value:?}");
        }
    }

    #[test]
    fn every_place_is_asked_once_and_the_error_names_each() {
        let url = Url::parse("https://as/t").unwrap();
        let mut fetch = KeyFetch::discover("https://as/t", &url);
        for _ in 0..2 {
            assert!(fetch.request().is_some());
            fetch = match fetch.on(Err(Unanswered("no route".to_owned()))) {
                Progress::Next(fetch) => fetch,
                other => panic!("{other:?}"),
            };
        }
        match fetch.on(Ok(HttpResponse {
            status: 404,
            ..HttpResponse::default()
        })) {
            Progress::Failed(error) => {
                let told = error.to_string();
                assert_eq!(told.matches("no route").count(), 2, "{told}");
                assert!(
                    told.contains("/t/.well-known/openid-configuration: HTTP 404"),
                    "{told}"
                );
            }
            other => panic!("{other:?}"),
        }
    }

    proptest! {
        #[test]
        fn any_header_gives_a_bounded_time(value in ".{0,60}") {
            let time = fresh_for(Some(&value));
            prop_assert!((SHORTEST..=LONGEST).contains(&time));
        }
    }
}

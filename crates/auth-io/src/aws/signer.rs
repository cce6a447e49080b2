//! Signs each request of a port, with keys that are renewed before they expire.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use http::header::{HeaderName, HeaderValue};
use linkspan_auth::Timestamp;
use linkspan_auth::aws::{AwsCredentials, AwsScope, Signable};
use linkspan_ports::{
    Again, AuthRefusal, Authorizer, Authorizing, Credentials, HttpOptions, Outgoing,
};
use linkspan_session::Fault;
use parking_lot::Mutex;
use tokio::time::Instant;
use url::Origin;

use super::environment::{AwsEnvironment, AwsFlags};
use super::error::AwsError;

/// Keys are renewed this long before they expire.
const AHEAD: Duration = Duration::from_secs(300);
/// Keys are not renewed more often than this.
const PAUSE: Duration = Duration::from_secs(30);
/// AWS accepts a difference of five minutes between its clock and ours.
const SKEW: u64 = 240;
/// Headers that the signature sets.
const OWN: [&str; 3] = ["authorization", "x-amz-date", "x-amz-security-token"];

/// Signs the requests to one origin. Clones share their keys.
#[derive(Clone)]
pub struct AwsSigner {
    inner: Arc<Inner>,
}

struct Inner {
    peer: String,
    origin: Origin,
    scope: AwsScope,
    flags: AwsFlags,
    environment: Arc<AwsEnvironment>,
    state: Mutex<State>,
    /// One renewal at a time.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    keys: Option<Arc<AwsCredentials>>,
    /// Counts the keys.
    generation: u64,
    /// When keys were last asked for.
    asked: Option<Instant>,
    /// Why there were none then.
    failed: Option<Fault>,
    /// How many seconds the server's clock is ahead of ours.
    skew: i64,
}

impl std::fmt::Debug for AwsSigner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AwsSigner({})", self.inner.peer)
    }
}

/// Signs the requests of these options, with keys that the variables name. `without_env` are variables with secrets of
/// ours.
pub fn sign_for_aws(
    options: &mut HttpOptions,
    flags: AwsFlags,
    variable: &dyn Fn(&str) -> Option<String>,
    without_env: Vec<OsString>,
) -> Result<(), AwsError> {
    let environment = AwsEnvironment::read(variable, without_env);
    let signer = AwsSigner::new(options, flags, environment)?;
    options.authorizer = Some(Arc::new(signer));
    Ok(())
}

impl AwsSigner {
    /// A signer for a server. The keys are got by its first request.
    pub fn new(
        options: &HttpOptions,
        flags: AwsFlags,
        environment: AwsEnvironment,
    ) -> Result<Self, AwsError> {
        if let Some(name) = OWN.into_iter().find(|name| options.has_header(name)) {
            return Err(AwsError::Header(name));
        }
        let url = options.url();
        let scope = environment.scope(&flags, url.host_str().unwrap_or_default())?;
        Ok(Self {
            inner: Arc::new(Inner {
                peer: options.peer(),
                origin: url.origin(),
                scope,
                flags,
                environment: Arc::new(environment),
                state: Mutex::default(),
                turn: tokio::sync::Mutex::default(),
            }),
        })
    }
}

impl Authorizer for AwsSigner {
    fn ready(&self, request: &Outgoing<'_>) -> Option<Credentials> {
        let state = self.inner.state.lock();
        if state.is_due() {
            return None;
        }
        let (keys, skew, generation) = (state.keys.clone()?, state.skew, state.generation);
        drop(state);
        Some(self.inner.sign(request, &keys, skew, generation))
    }

    fn obtain<'a>(&'a self, request: &'a Outgoing<'a>) -> Authorizing<'a, Credentials> {
        Box::pin(async move {
            let inner = Arc::clone(&self.inner);
            // In a task of its own: a request that is cancelled must not end the program that prints the keys.
            let renewed = tokio::spawn(async move { inner.renew(false).await }).await;
            let keys = match renewed {
                Ok(renewed) => renewed?,
                Err(broken) => std::panic::resume_unwind(broken.into_panic()),
            };
            let (skew, generation) = {
                let state = self.inner.state.lock();
                (state.skew, state.generation)
            };
            Ok(self.inner.sign(request, &keys, skew, generation))
        })
    }

    fn refused(&self, refusal: AuthRefusal) -> Authorizing<'_, Again> {
        Box::pin(async move {
            if refusal.attempt > 1 {
                return Ok(Again::Stop);
            }
            if self.inner.learn_time(refusal.date.as_deref()) {
                return Ok(Again::Retry);
            }
            Ok(self.inner.other_keys(refusal.generation).await)
        })
    }

    fn nonce(&self, _: &str) {}

    fn secrets(&self) -> Vec<String> {
        let keys = self.inner.state.lock().keys.clone();
        keys.map_or_else(Vec::new, |keys| {
            let token = keys.session_token.iter();
            let secrets = std::iter::once(&keys.secret_access_key).chain(token);
            secrets.map(|secret| secret.expose().to_owned()).collect()
        })
    }

    fn signs_for_aws(&self) -> bool {
        true
    }
}

impl State {
    fn now(&self) -> Timestamp {
        Timestamp(Timestamp::now().0.saturating_add_signed(self.skew))
    }

    /// Whether there are no keys, or they expire soon and may be renewed.
    fn is_due(&self) -> bool {
        let Some(keys) = &self.keys else {
            return true;
        };
        let soon = self.now().after(AHEAD);
        keys.expires.is_some_and(|expires| expires <= soon) && !self.was_asked_lately()
    }

    fn was_asked_lately(&self) -> bool {
        self.asked.is_some_and(|asked| asked.elapsed() < PAUSE)
    }
}

impl Inner {
    fn sign(
        &self,
        request: &Outgoing<'_>,
        keys: &AwsCredentials,
        skew: i64,
        generation: u64,
    ) -> Credentials {
        if request.url.origin() != self.origin {
            return Credentials::default();
        }
        let headers: Vec<(&str, &[u8])> = request
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .filter(|(name, _)| is_signed(name))
            .collect();
        let signable = Signable {
            method: request.method.as_str(),
            url: request.url,
            headers: &headers,
            body: &request.body(),
        };
        let now = Timestamp(Timestamp::now().0.saturating_add_signed(skew));
        let added = self.scope.sign(&signable, keys, now).into_iter();
        let headers = added.filter_map(|(name, value)| {
            let mut value = HeaderValue::try_from(value).ok()?;
            value.set_sensitive(name != "x-amz-date");
            Some((HeaderName::from_static(name), value))
        });
        Credentials {
            headers: headers.collect(),
            generation: Some(generation),
        }
    }

    /// Gets keys if they are due, or in any case. Keys that still hold are kept if no new ones are to be had.
    async fn renew(&self, anyway: bool) -> Result<Arc<AwsCredentials>, Fault> {
        let began = Instant::now();
        let _turn = self.turn.lock().await;
        let old = {
            let state = self.state.lock();
            match (&state.keys, &state.failed) {
                (Some(keys), _) if !anyway && !state.is_due() => return Ok(Arc::clone(keys)),
                // Another request has tried while this one waited: one failure answers all that waited.
                (_, Some(fault)) if state.asked >= Some(began) => return Err(fault.clone()),
                (keys, _) => keys.clone(),
            }
        };
        let loaded = Arc::clone(&self.environment).load(&self.flags).await;
        let mut state = self.state.lock();
        state.asked = Some(Instant::now());
        state.failed = None;
        let now = state.now();
        match (loaded, old) {
            (Ok(keys), old) => {
                let keys = Arc::new(keys);
                if old.is_none_or(|old| old != keys) {
                    state.generation += 1;
                }
                state.keys = Some(Arc::clone(&keys));
                Ok(keys)
            }
            (Err(error), Some(old)) if old.expires.is_none_or(|expires| now < expires) => {
                tracing::warn!("the AWS credentials were not renewed: {error}");
                Ok(old)
            }
            (Err(error), _) => {
                let fault = self.fault(&error);
                state.failed = Some(fault.clone());
                Err(fault)
            }
        }
    }

    /// Takes the server's time from a refusal, if ours is wrong; `true` if it was.
    fn learn_time(&self, date: Option<&str>) -> bool {
        let Some(theirs) = date.and_then(Timestamp::of_http_date) else {
            return false;
        };
        let mut state = self.state.lock();
        let ours = state.now();
        if ours.0.abs_diff(theirs.0) < SKEW {
            return false;
        }
        let ahead = i128::from(theirs.0) - i128::from(Timestamp::now().0);
        state.skew = i64::try_from(ahead).unwrap_or_default();
        tracing::warn!(
            "the clock of this machine differs from that of {} by {} s: set it; requests are signed with the server's \
             time",
            self.peer,
            state.skew
        );
        true
    }

    /// Asks for keys again after a refusal: those in a file may have been replaced.
    async fn other_keys(&self, refused: Option<u64>) -> Again {
        let (generation, lately) = {
            let state = self.state.lock();
            (state.generation, state.was_asked_lately())
        };
        if refused != Some(generation) {
            return Again::Retry;
        }
        if lately || !self.environment.can_change(&self.flags) {
            return Again::Stop;
        }
        let _ = self.renew(true).await;
        if self.state.lock().generation == generation {
            Again::Stop
        } else {
            Again::Retry
        }
    }

    fn fault(&self, error: &AwsError) -> Fault {
        Fault::NotSignedIn {
            peer: self.peer.clone(),
            why: error.to_string(),
            hint: error.hint(),
            url: None,
        }
    }
}

/// Whether a header is signed: those that decide what the request does. Proxies may change others.
fn is_signed(name: &str) -> bool {
    matches!(name, "content-type" | "host")
        || name.starts_with("x-amz-")
        || name.starts_with("mcp-")
}

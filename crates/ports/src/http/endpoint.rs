//! What every job needs to reach the server. Cheap to clone.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use linkspan_session::Budget;
use linkspan_wire::Limits;

use super::client::{Client, client};
use super::options::HttpOptions;
use super::options_error::OptionsError;
use super::waiting::Waiting;

#[derive(Clone)]
pub(super) struct Endpoint {
    pub(super) client: Client,
    pub(super) options: Arc<HttpOptions>,
    /// The server's name in logs and errors.
    pub(super) peer: Arc<str>,
    pub(super) budget: Budget,
    /// Whether the server ever sent an HTTP response.
    pub(super) answered: Arc<AtomicBool>,
    pub(super) waiting: Waiting,
    /// Whether a person may be asked to sign in for its requests.
    may_ask: bool,
}

impl Endpoint {
    pub(super) fn new(options: HttpOptions) -> Result<Self, OptionsError> {
        let uri = options
            .url
            .as_str()
            .parse()
            .map_err(|_| OptionsError::Url(options.peer()))?;
        Ok(Self {
            client: client(&options, &uri)?,
            peer: options.peer().into(),
            budget: Budget::new(options.limits.max_bytes()),
            options: Arc::new(options),
            answered: Arc::default(),
            waiting: Waiting::default(),
            may_ask: true,
        })
    }

    /// The same for requests that no client waits for.
    pub(super) fn in_background(mut self) -> Self {
        self.may_ask = false;
        self
    }

    pub(super) fn may_ask(&self) -> bool {
        self.may_ask
    }

    /// Whether a person is asked to sign in right now.
    pub(super) fn is_asking(&self) -> bool {
        let authorizer = self.options.authorizer.as_ref();
        authorizer.is_some_and(|it| it.is_asking())
    }

    pub(super) fn limits(&self) -> Limits {
        self.options.limits
    }
}

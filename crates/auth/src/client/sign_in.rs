//! The machine: from a refusal of a protected resource to tokens.
//!
//! ```text
//! resource metadata → server metadata → client (given, kept, or registered) → browser or device code → tokens
//!                                       └ grants without a user ───────────────────────────────────────┘
//! ```
//!
//! The caller does what [`SignIn::start`] and [`SignIn::on`] return and gives back what came of it. Nothing is assumed
//! about time except what the caller says.

mod clients;
mod discovery;
mod grants;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use url::Url;

use self::clients::Registering;
use self::discovery::Discovering;
use super::authorize::{Authorize, Pending};
use super::demand::Demand;
use super::device::{DeviceCode, Polling};
use super::dpop::DpopKey;
use super::error::SignInError;
use super::options::{ClientOptions, DpopMode};
use super::resource_metadata::ResourceMetadata;
use super::server_metadata::ServerMetadata;
use super::token::TokenRequest;
use crate::store::{Record, Registration, Tokens};
use crate::{HttpRequest, HttpResponse, Secret, Timestamp};

/// What the caller has to do next.
#[derive(Debug)]
pub enum Action {
    /// Send a request; the answer is [`Input::Response`] or [`Input::Unreachable`].
    Send(HttpRequest),
    /// Look for a registration of an earlier sign-in at this issuer: [`Input::Recalled`].
    Recall {
        /// The authorization server.
        issuer: String,
    },
    /// Listen for the browser on this machine, on one of these ports if possible: [`Input::Listening`].
    Listen {
        /// Ports that are registered already.
        ports: Vec<u16>,
    },
    /// Show a page to the user; its answer arrives at the listener: [`Input::Redirected`].
    Authorize(Authorize),
    /// Show a code to the user, then go on: [`Input::Continue`].
    Show(DeviceCode),
    /// Wait, then go on: [`Input::Continue`].
    Wait(Duration),
    /// There are tokens.
    Done(Box<Granted>),
    /// The authorization server is known, and more was not asked for.
    Found(Box<Found>),
}

/// Where the tokens of a server come from.
#[derive(Debug)]
pub struct Found {
    /// The authorization server.
    pub issuer: String,
    /// The resource, as it is published.
    pub resource: Option<String>,
    /// The metadata of the authorization server.
    pub metadata: Value,
    /// The client of the user's there, if one was given.
    pub client: Option<Registration>,
}

/// What came of an action.
#[derive(Debug)]
pub enum Input {
    /// A response.
    Response(HttpResponse),
    /// No response, and why.
    Unreachable(String),
    /// The registration of an earlier sign-in, if there is one.
    Recalled(Option<Registration>),
    /// The port that is listened on.
    Listening(u16),
    /// The query of the URL that the browser was sent back to.
    Redirected(String),
    /// Shown, or waited.
    Continue,
}

/// The end of a sign-in.
#[derive(Debug)]
pub struct Granted {
    /// The authorization server.
    pub issuer: String,
    /// The resource that the tokens are for, as it is published.
    pub resource: Option<String>,
    /// The client that we are there.
    pub client: Registration,
    /// The tokens.
    pub tokens: Tokens,
    /// The scopes that were asked for.
    pub requested: Vec<String>,
    /// The metadata of the authorization server.
    pub metadata: Value,
    /// The key that tokens are bound to.
    pub dpop_key: Option<Secret>,
}

/// What is known from earlier sign-ins.
#[derive(Debug, Default)]
pub struct Before {
    /// The authorization server.
    issuer: Option<String>,
    /// Whether the client was given by the user, and not registered by us.
    is_given: bool,
    /// Scopes that were asked for.
    requested: Vec<String>,
    dpop: Option<DpopKey>,
}

/// A sign-in under way.
#[derive(Debug)]
pub struct SignIn {
    options: Arc<ClientOptions>,
    server: Url,
    demand: Demand,
    before: Before,
    /// Whether a device code is better than a page, because no browser can be shown.
    prefers_device: bool,
    /// Whether to end when the authorization server is known.
    only_discovers: bool,
    resource: ResourceMetadata,
    metadata: Option<ServerMetadata>,
    client: Option<Registration>,
    /// A registration that was made now, until the caller has taken it.
    registered: Option<(String, Registration)>,
    dpop: Option<DpopKey>,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Resource(Discovering),
    Server {
        issuer: String,
        /// Which one of those that the resource names.
        index: usize,
        looking: Discovering,
    },
    Recalling,
    Listening {
        kept: Option<Registration>,
    },
    Registering(Registering),
    Authorizing(Pending),
    Exchanging(TokenRequest),
    StartingDevice {
        endpoint: Url,
        /// The listener for the page that is shown if there are no codes for us.
        otherwise: Option<u16>,
    },
    Polling {
        request: Box<TokenRequest>,
        polling: Polling,
        until: Timestamp,
    },
    AtIdp(Url),
    Over,
}

impl SignIn {
    /// Begins with what a server said when it refused a request. `record` is the credential that was refused, if
    /// there was one.
    pub fn new(
        options: Arc<ClientOptions>,
        server: &Url,
        demand: Demand,
        record: Option<&Record>,
    ) -> Self {
        let before = match record {
            Some(record) => Before {
                issuer: Some(record.issuer.clone()),
                is_given: !record.client.dynamic,
                requested: record.requested.clone(),
                dpop: record
                    .dpop_key
                    .as_ref()
                    .and_then(|key| DpopKey::restore(key).ok()),
            },
            None => Before::default(),
        };
        let looking = Discovering::resource(server, &demand, options.insecure_http);
        Self {
            options,
            server: server.clone(),
            demand,
            before,
            prefers_device: false,
            only_discovers: false,
            resource: ResourceMetadata::default(),
            metadata: None,
            client: None,
            registered: None,
            dpop: None,
            stage: Stage::Resource(looking),
        }
    }

    /// Uses a device code where the server has them, because no browser can be shown here.
    #[must_use]
    pub fn without_browser(mut self) -> Self {
        self.prefers_device = true;
        self
    }

    /// Ends with [`Action::Found`] when the authorization server is known.
    #[must_use]
    pub fn only_discovering(mut self) -> Self {
        self.only_discovers = true;
        self
    }

    /// The first action.
    pub fn start(&self) -> Result<Action, SignInError> {
        match &self.stage {
            Stage::Resource(looking) => Ok(Action::Send(looking.request())),
            _ => Err(misuse()),
        }
    }

    /// Goes on with what came of the last action.
    pub fn on(&mut self, input: Input, now: Timestamp) -> Result<Action, SignInError> {
        let stage = std::mem::replace(&mut self.stage, Stage::Over);
        match (stage, input) {
            (Stage::Resource(looking), Input::Response(response)) => {
                self.resource_answered(looking, &response, now)
            }
            (Stage::Resource(looking), Input::Unreachable(why)) => {
                self.resource_unreachable(looking, why, now)
            }
            (
                Stage::Server {
                    issuer,
                    index,
                    looking,
                },
                Input::Response(response),
            ) => self.server_answered(issuer, index, looking, &response, now),
            (Stage::Server { index, .. }, Input::Unreachable(why)) => {
                self.next_server(index, SignInError::Unreachable(why))
            }
            (Stage::Recalling, Input::Recalled(kept)) => Ok(self.listen(kept)),
            (Stage::Listening { kept }, Input::Listening(port)) => self.listening(kept, port, now),
            (Stage::Registering(registering), Input::Response(response)) => {
                self.registered(registering, &response, now)
            }
            (Stage::Registering(registering), Input::Continue) => {
                Ok(self.register_again(registering))
            }
            (Stage::Authorizing(pending), Input::Redirected(query)) => {
                self.redirected(&pending, &query, now)
            }
            (Stage::Exchanging(request), Input::Response(response)) => {
                self.exchanged(request, &response, now)
            }
            (
                Stage::StartingDevice {
                    endpoint,
                    otherwise,
                },
                Input::Response(response),
            ) => self.device_started(&endpoint, otherwise, &response, now),
            (
                Stage::Polling {
                    request,
                    polling,
                    until,
                },
                input,
            ) => self.poll(*request, polling, until, input, now),
            (Stage::AtIdp(endpoint), Input::Response(response)) => {
                self.idp_answered(&endpoint, &response, now)
            }
            (_, Input::Unreachable(why)) => Err(SignInError::Unreachable(why)),
            _ => Err(misuse()),
        }
    }

    /// The client that was registered now and its issuer, once: another sign-in can use it even if this one is given
    /// up.
    pub fn take_registered(&mut self) -> Option<(String, Registration)> {
        self.registered.take()
    }

    /// The metadata of the authorization server, which is known after discovery.
    fn server(&self) -> Result<&ServerMetadata, SignInError> {
        self.metadata.as_ref().ok_or_else(misuse)
    }

    /// `resource` of every request: the given one, else exactly as it is published. A token endpoint that the user named
    /// need not know what is published.
    fn resource(&self) -> Option<String> {
        let published = &self.resource.resource;
        let published = published
            .as_ref()
            .filter(|_| self.options.token_endpoint.is_none());
        let resource = self.options.resource.as_ref().or(published).cloned();
        resource.filter(|_| self.options.send_resource)
    }

    /// The key of the tokens, if they are to be bound to one.
    fn dpop(&mut self) -> Option<DpopKey> {
        let wanted = match self.options.dpop {
            DpopMode::On => true,
            DpopMode::Off => false,
            DpopMode::Auto => self.demand.dpop || self.resource.dpop_bound_access_tokens_required,
        };
        if wanted && self.dpop.is_none() {
            let kept = self.before.dpop.take();
            self.dpop = Some(kept.unwrap_or_else(DpopKey::generate));
        }
        self.dpop.clone().filter(|_| wanted)
    }
}

/// An input that does not fit the last action: an error of the caller, which ends the sign-in.
fn misuse() -> SignInError {
    SignInError::Options("the sign-in was continued with an input that it did not ask for")
}

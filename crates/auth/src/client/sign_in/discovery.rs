//! Where the authorization server is, and what it can do.

use std::collections::VecDeque;

use url::Url;

use super::{Action, SignIn, Stage};
use crate::client::demand::Demand;
use crate::client::error::{SignInError, shown, unavailable};
use crate::client::resource_metadata;
use crate::client::server_metadata::{self, safe_url};
use crate::urls::{is_repeatable, issuer_metadata};
use crate::{HttpRequest, HttpResponse, Timestamp, without_secrets};

/// How many of the authorization servers of a resource are tried.
const MOST_SERVERS: usize = 3;

/// A document that is looked for in several places.
#[derive(Debug)]
pub(super) struct Discovering {
    asked: Url,
    left: VecDeque<Url>,
    /// A place that could not answer now: it may have the document, so that it must not look as if there were none.
    busy: Option<SignInError>,
}

impl Discovering {
    pub(super) fn resource(server: &Url, demand: &Demand, insecure_http: bool) -> Self {
        let named = demand.metadata.as_deref();
        let named = named.and_then(|url| safe_url(url, insecure_http));
        Self::new(
            resource_metadata::candidates(server, named.as_ref()),
            server,
        )
    }

    fn new(candidates: Vec<Url>, otherwise: &Url) -> Self {
        let mut left = VecDeque::from(candidates);
        let asked = left.pop_front().unwrap_or_else(|| otherwise.clone());
        Self {
            asked,
            left,
            busy: None,
        }
    }

    pub(super) fn request(&self) -> HttpRequest {
        HttpRequest::get(self.asked.clone())
    }

    fn note(&mut self, response: &HttpResponse) {
        if response.is_busy() {
            self.busy = Some(unavailable(&self.asked, response));
        }
    }

    /// The next place, if there is one. An error if there is none and a place could not answer.
    fn next(mut self) -> Result<Option<Self>, SignInError> {
        match (self.left.pop_front(), self.busy.take()) {
            (Some(next), busy) => {
                self.asked = next;
                self.busy = busy;
                Ok(Some(self))
            }
            (None, Some(busy)) => Err(busy),
            (None, None) => Ok(None),
        }
    }
}

impl SignIn {
    pub(super) fn resource_answered(
        &mut self,
        mut looking: Discovering,
        response: &HttpResponse,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        looking.note(response);
        if !response.is_success() {
            return self.next_resource(looking, now);
        }
        match resource_metadata::read(&looking.asked, response, &self.server) {
            Ok(metadata) => {
                self.resource = metadata;
                self.find_server(now)
            }
            // A web application answers every path with its page.
            Err(SignInError::Metadata { .. }) => self.next_resource(looking, now),
            Err(why) => Err(why),
        }
    }

    pub(super) fn resource_unreachable(
        &mut self,
        looking: Discovering,
        why: String,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        if looking.asked.origin() == self.server.origin() {
            return Err(SignInError::Unreachable(why));
        }
        self.next_resource(looking, now)
    }

    fn next_resource(
        &mut self,
        looking: Discovering,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        match looking.next()? {
            Some(next) => {
                let request = next.request();
                self.stage = Stage::Resource(next);
                Ok(Action::Send(request))
            }
            // A server of 2025-03-26 is its own authorization server.
            None => self.find_server(now),
        }
    }

    /// Goes on to the authorization server. If the user named the token endpoint, no metadata is needed.
    fn find_server(&mut self, now: Timestamp) -> Result<Action, SignInError> {
        match &self.options.token_endpoint {
            Some(endpoint) => {
                self.metadata = Some(server_metadata::of_token_endpoint(endpoint));
                self.obtain(now)
            }
            None => self.look_for_server(0),
        }
    }

    /// Looks for the metadata of an authorization server that the resource names. A resource that names none is its
    /// own.
    fn look_for_server(&mut self, index: usize) -> Result<Action, SignInError> {
        let named = self.resource.authorization_servers.get(index).cloned();
        let issuer = named.unwrap_or_else(|| self.server.origin().ascii_serialization());
        let url = safe_url(&issuer, self.options.insecure_http);
        let Some(url) = url.filter(|_| is_repeatable(&issuer)) else {
            return Err(SignInError::Endpoint {
                issuer: without_secrets(&self.server).into(),
                name: "authorization server",
                url: shown(&issuer),
            });
        };
        let looking = Discovering::new(issuer_metadata(&url), &url);
        let request = looking.request();
        self.stage = Stage::Server {
            issuer,
            index,
            looking,
        };
        Ok(Action::Send(request))
    }

    /// Goes on with the next authorization server, if there is one: this one does not answer, or has no metadata.
    pub(super) fn next_server(
        &mut self,
        index: usize,
        why: SignInError,
    ) -> Result<Action, SignInError> {
        let next = index + 1;
        let named = self.resource.authorization_servers.len();
        if next < named.min(MOST_SERVERS) {
            return self.look_for_server(next);
        }
        Err(why)
    }

    pub(super) fn server_answered(
        &mut self,
        issuer: String,
        index: usize,
        mut looking: Discovering,
        response: &HttpResponse,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        looking.note(response);
        let found = if response.is_success() {
            server_metadata::read(&looking.asked, response, &issuer)
        } else {
            Err(SignInError::Metadata {
                url: looking.asked.to_string(),
                why: format!("HTTP {}", response.status),
            })
        };
        let why = match found {
            Ok(metadata) => {
                self.metadata = Some(metadata);
                return self.obtain(now);
            }
            Err(why @ SignInError::Metadata { .. }) => why,
            Err(why) => return Err(why),
        };
        match looking.next() {
            Ok(Some(looking)) => {
                let request = looking.request();
                self.stage = Stage::Server {
                    issuer,
                    index,
                    looking,
                };
                Ok(Action::Send(request))
            }
            Ok(None) if self.resource.authorization_servers.is_empty() => {
                self.metadata = Some(server_metadata::assumed(&self.server));
                self.obtain(now)
            }
            Ok(None) => self.next_server(index, why),
            Err(busy) => self.next_server(index, busy),
        }
    }
}

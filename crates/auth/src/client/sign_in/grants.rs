//! From a client to tokens: one function for each grant.

use std::time::Duration;

use url::Url;

use super::{Action, Granted, Input, SignIn, Stage, misuse};
use crate::client::authorize::{self, Pending};
use crate::client::device::{self, Poll, Polling};
use crate::client::error::{SignInError, is_refused, refused};
use crate::client::options::Grant;
use crate::client::token::{Answer, TokenRequest};
use crate::client::{client_metadata, registration};
use crate::members::Members;
use crate::store::{ClientAuth, Registration, Tokens};
use crate::{HttpRequest, HttpResponse, Secret, Timestamp, without_secrets};

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
/// How much longer to wait when the server asks for that (RFC 8628 §3.5).
const SLOWER: Duration = Duration::from_secs(5);

impl SignIn {
    /// A page in the browser, or a code for another device.
    pub(super) fn ask_user(&mut self, port: u16, now: Timestamp) -> Result<Action, SignInError> {
        if self.is_by_code()? {
            let may_show_page = self.options.chosen_grant() != Grant::Device;
            return self.start_device(may_show_page.then_some(port), now);
        }
        let server = self.server()?;
        let client = self.client.as_ref().ok_or_else(misuse)?;
        let redirect_uri = match registration::redirect(&self.options, client, port) {
            Some(registered) => registered.clone(),
            None => client_metadata::redirect_uri(
                &self.options.callback_host,
                port,
                &self.options.callback_path,
            ),
        };
        let (scope, resource) = (self.scope()?, self.resource());
        let (authorize, pending) = authorize::request(
            &self.options,
            server,
            client,
            redirect_uri,
            scope.as_deref(),
            resource.as_deref(),
        )?;
        self.stage = Stage::Authorizing(pending);
        Ok(Action::Authorize(authorize))
    }

    pub(super) fn redirected(
        &mut self,
        pending: &Pending,
        query: &str,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        let fields = vec![
            ("grant_type", Secret::new("authorization_code")),
            ("code", pending.code(query)?),
            ("redirect_uri", Secret::new(pending.redirect_uri.clone())),
            ("code_verifier", pending.verifier.clone()),
        ];
        self.exchange(fields, now)
    }

    pub(super) fn client_credentials(&mut self, now: Timestamp) -> Result<Action, SignInError> {
        let is_confidential = |client: &Registration| client.auth != ClientAuth::None;
        if !self.client.as_ref().is_some_and(is_confidential) {
            return Err(SignInError::Options(
                "client credentials need --client-id with --client-secret-env or --client-key",
            ));
        }
        let mut fields = vec![("grant_type", Secret::new("client_credentials"))];
        fields.extend(self.scope_field()?);
        self.exchange(fields, now)
    }

    /// The assertion of a workload. A refusal is final: no other grant is tried.
    pub(super) fn workload(&mut self, now: Timestamp) -> Result<Action, SignInError> {
        let assertion = self.options.assertion.clone();
        let assertion = assertion.ok_or(SignInError::Options(
            "this grant needs the workload's JWT: --assertion-file FILE",
        ))?;
        self.bear(assertion, now)
    }

    fn bear(&mut self, assertion: Secret, now: Timestamp) -> Result<Action, SignInError> {
        if self.client.is_none() {
            return Err(SignInError::Options("this grant needs --client-id"));
        }
        let mut fields = vec![
            ("grant_type", Secret::new(JWT_BEARER)),
            ("assertion", assertion),
        ];
        fields.extend(self.scope_field()?);
        self.exchange(fields, now)
    }

    /// Exchanges the ID token at the company's identity provider.
    pub(super) fn ask_idp(&mut self) -> Result<Action, SignInError> {
        let issuer = self.server()?.issuer.clone();
        let idp = self.options.idp.as_ref().ok_or(SignInError::Options(
            "this grant needs --idp-token-endpoint, --idp-client-id and --idp-id-token-env",
        ))?;
        let resource = self.resource.resource.clone();
        let resource = resource.unwrap_or_else(|| without_secrets(&self.server).into());
        let mut fields = vec![
            ("grant_type", TOKEN_EXCHANGE),
            ("requested_token_type", ID_JAG),
            ("audience", &issuer),
            ("resource", &resource),
            ("subject_token", idp.id_token.expose()),
            ("subject_token_type", ID_TOKEN),
            ("client_id", &idp.client_id),
        ];
        if let Some(secret) = &idp.client_secret {
            fields.push(("client_secret", secret.expose()));
        }
        let scope = self.scope()?.map(|scope| scope.join(" "));
        fields.extend(scope.as_deref().map(|scope| ("scope", scope)));
        let request = HttpRequest::form(idp.token_endpoint.clone(), &fields);
        self.stage = Stage::AtIdp(idp.token_endpoint.clone());
        Ok(Action::Send(request))
    }

    pub(super) fn idp_answered(
        &mut self,
        endpoint: &Url,
        response: &HttpResponse,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        if is_refused(response) {
            return Err(refused(endpoint.as_str(), endpoint, response));
        }
        let answer = Members::read(&response.body).unwrap_or_default();
        let name = "issued_token_type";
        let is_jag = !answer.has(name) || answer.text(name) == Some(ID_JAG);
        let assertion = answer.text("access_token").filter(|_| is_jag);
        let assertion = assertion.ok_or_else(|| SignInError::BadAnswer {
            url: endpoint.to_string(),
            why: "a token exchange without an ID-JAG",
        })?;
        self.bear(Secret::new(assertion), now)
    }

    /// Asks for a code. `otherwise` is the port of the listener for the page, if that may be shown instead.
    pub(super) fn start_device(
        &mut self,
        otherwise: Option<u16>,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        let server = self.server()?;
        let endpoint = server.device_endpoint(self.options.insecure_http)?;
        let mut fields: Vec<_> = self.scope_field()?.into_iter().collect();
        let resource = self.resource().map(|it| ("resource", Secret::new(it)));
        fields.extend(resource);
        let client = self.client.as_ref().ok_or_else(misuse)?;
        // The endpoint takes the same client authentication as the token endpoint (RFC 8628 §3.1).
        let request = TokenRequest::new(&server.issuer, endpoint.clone(), client, fields)
            .signed_by(self.options.client.as_ref())?;
        let mut sent = request.request(now)?;
        if client.auth == ClientAuth::ClientSecretBasic {
            let id = url::form_urlencoded::byte_serialize(client.client_id.as_bytes());
            sent.body = format!("{}&client_id={}", sent.body, id.collect::<String>());
        }
        self.stage = Stage::StartingDevice {
            endpoint,
            otherwise,
        };
        Ok(Action::Send(sent))
    }

    pub(super) fn device_started(
        &mut self,
        endpoint: &Url,
        otherwise: Option<u16>,
        response: &HttpResponse,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        let issuer = &self.server()?.issuer;
        let started = device::started(issuer, endpoint, response, self.options.insecure_http);
        let polling = match (started, otherwise) {
            (Ok(polling), _) => polling,
            // Codes are not for every client and every scope.
            (Err(SignInError::Token { code, .. }), Some(port)) if code != "invalid_client" => {
                self.prefers_device = false;
                let client = self.client.as_ref().ok_or_else(misuse)?;
                if client.dynamic && registration::redirect(&self.options, client, port).is_none() {
                    // It was registered for another port, which a code did not need.
                    return self.register(port, false);
                }
                return self.ask_user(port, now);
            }
            (Err(why), _) => return Err(why),
        };
        let fields = vec![
            ("grant_type", Secret::new(device::GRANT)),
            ("device_code", polling.code.clone()),
        ];
        let request = self.token_request(fields)?;
        let shown = polling.shown.clone();
        self.stage = Stage::Polling {
            request: Box::new(request),
            until: now.after(shown.lifetime),
            polling,
        };
        Ok(Action::Show(shown))
    }

    /// Asks whether the user has entered the code.
    pub(super) fn poll(
        &mut self,
        mut request: TokenRequest,
        mut polling: Polling,
        until: Timestamp,
        input: Input,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        let action = match input {
            Input::Continue if now >= until => {
                return Err(SignInError::Expired(polling.shown.lifetime));
            }
            Input::Continue => Action::Send(request.request(now)?),
            // RFC 8628 §3.5: a connection that fails means to wait longer.
            Input::Unreachable(_) => {
                polling.interval = polling.interval.saturating_mul(2);
                Action::Wait(polling.interval)
            }
            Input::Response(response) => match request.answered(&response, now) {
                Ok(Answer::Tokens(tokens)) => return self.done(*tokens),
                Ok(Answer::Again(again)) => Action::Send(again),
                Err(why) => match &why {
                    SignInError::Unavailable { .. } => Action::Wait(polling.interval),
                    SignInError::Token { code, .. } => match device::poll(code) {
                        Poll::Pending => Action::Wait(polling.interval),
                        Poll::Slower => {
                            polling.interval += SLOWER;
                            Action::Wait(polling.interval)
                        }
                        Poll::Over => return Err(why),
                    },
                    _ => return Err(why),
                },
            },
            _ => return Err(misuse()),
        };
        self.stage = Stage::Polling {
            request: Box::new(request),
            polling,
            until,
        };
        Ok(action)
    }

    fn scope_field(&self) -> Result<Option<(&'static str, Secret)>, SignInError> {
        let scope = self.scope()?;
        Ok(scope.map(|scope| ("scope", Secret::new(scope.join(" ")))))
    }

    fn token_request(
        &mut self,
        mut fields: Vec<(&'static str, Secret)>,
    ) -> Result<TokenRequest, SignInError> {
        let resource = self.resource().map(|it| ("resource", Secret::new(it)));
        fields.extend(resource);
        let dpop = self.dpop();
        let server = self.server()?;
        let endpoint = server.token_endpoint(self.options.insecure_http)?;
        let client = self.client.as_ref().ok_or_else(misuse)?;
        let mut request = TokenRequest::new(&server.issuer, endpoint, client, fields)
            .signed_by(self.options.client.as_ref())?;
        request.dpop = dpop;
        Ok(request)
    }

    fn exchange(
        &mut self,
        fields: Vec<(&'static str, Secret)>,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        let request = self.token_request(fields)?;
        let sent = request.request(now)?;
        self.stage = Stage::Exchanging(request);
        Ok(Action::Send(sent))
    }

    pub(super) fn exchanged(
        &mut self,
        mut request: TokenRequest,
        response: &HttpResponse,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        match request.answered(response, now)? {
            Answer::Tokens(tokens) => self.done(*tokens),
            Answer::Again(sent) => {
                self.stage = Stage::Exchanging(request);
                Ok(Action::Send(sent))
            }
        }
    }

    fn done(&mut self, tokens: Tokens) -> Result<Action, SignInError> {
        let tokens = self.options.shown_tokens(tokens);
        let requested = self.scope()?.unwrap_or_default();
        let metadata = self.metadata.take().ok_or_else(misuse)?;
        Ok(Action::Done(Box::new(Granted {
            issuer: metadata.issuer.clone(),
            resource: self.resource(),
            client: self.client.take().ok_or_else(misuse)?,
            tokens,
            requested,
            metadata: serde_json::to_value(&metadata).unwrap_or_default(),
            dpop_key: self.dpop.as_ref().map(|key| key.kept()),
        })))
    }
}

//! Which client we are: given, kept from an earlier sign-in, or registered now.

use std::time::Duration;

use url::Url;

use super::{Action, Found, SignIn, Stage};
use crate::client::error::SignInError;
use crate::client::options::Grant;
use crate::client::{authorize, registration, scope};
use crate::store::Registration;
use crate::{HttpRequest, HttpResponse, Timestamp, without_secrets};

/// The longest time after which a registration is sent again, in seconds.
const PATIENCE: u64 = 30;

/// A registration under way.
#[derive(Debug)]
pub(super) struct Registering {
    sent: HttpRequest,
    port: u16,
    only_localhost: bool,
    /// Whether it was sent again because the server asked for that.
    is_repeated: bool,
}

impl SignIn {
    /// Everything is known of the server: which grant, and as which client?
    pub(super) fn obtain(&mut self, now: Timestamp) -> Result<Action, SignInError> {
        let server = self.server()?;
        let issuer = server.issuer.clone();
        if self.only_discovers {
            return Ok(Action::Found(Box::new(Found {
                issuer,
                resource: self.resource(),
                metadata: serde_json::to_value(server).unwrap_or_default(),
                client: registration::known(&self.options, server),
            })));
        }
        self.client = registration::known(&self.options, server);
        if let Some(from) = &self.before.issuer
            && self.before.is_given
            && self.options.client.is_some()
            && *from != issuer
        {
            let from = from.clone();
            return Err(SignInError::IssuerChanged { from, to: issuer });
        }
        if self.options.needs_user() {
            self.check_offer()?;
        }
        match self.options.chosen_grant() {
            Grant::ClientCredentials => self.client_credentials(now),
            Grant::JwtBearer => self.workload(now),
            Grant::Enterprise => self.ask_idp(),
            Grant::Device if self.client.is_some() => self.start_device(None, now),
            Grant::Auto | Grant::Code | Grant::Device if self.client.is_some() => {
                Ok(self.listen(None))
            }
            Grant::Auto | Grant::Code | Grant::Device => {
                self.stage = Stage::Recalling;
                Ok(Action::Recall { issuer })
            }
        }
    }

    /// Whether the server offers what a sign-in by a user needs. This comes before the registration, which would be left
    /// behind there.
    fn check_offer(&self) -> Result<(), SignInError> {
        let (options, server) = (&self.options, self.server()?);
        server.token_endpoint(options.insecure_http)?;
        if self.is_by_code()? {
            server.device_endpoint(options.insecure_http).map(drop)
        } else {
            authorize::page(options, server).map(drop)
        }
    }

    /// Whether the user gets a code for another device.
    pub(super) fn is_by_code(&self) -> Result<bool, SignInError> {
        Ok(match self.options.chosen_grant() {
            Grant::Device => true,
            Grant::Auto => self.prefers_device && self.server()?.has_device_codes(),
            _ => false,
        })
    }

    /// Asks for a listener, on a port that is registered already if there is one.
    pub(super) fn listen(&mut self, kept: Option<Registration>) -> Action {
        let port = |uri: &String| Url::parse(uri).ok()?.port();
        let uris = kept.iter().flat_map(|kept| &kept.redirect_uris);
        let mut ports: Vec<u16> = uris.filter_map(port).collect();
        ports.dedup();
        self.stage = Stage::Listening { kept };
        Action::Listen { ports }
    }

    pub(super) fn listening(
        &mut self,
        kept: Option<Registration>,
        port: u16,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        if self.client.is_none() {
            let scope = self.scope()?;
            // A device code is not sent to a port.
            let port = (!self.is_by_code()?).then_some(port);
            let (options, scope) = (&self.options, scope.as_deref());
            let usable =
                |kept: &Registration| registration::is_usable(options, kept, port, scope, now);
            self.client = kept.filter(usable);
        }
        if self.client.is_none() {
            return self.register(port, false);
        }
        self.ask_user(port, now)
    }

    pub(super) fn register(
        &mut self,
        port: u16,
        only_localhost: bool,
    ) -> Result<Action, SignInError> {
        let scope = self.scope()?;
        let sent = registration::request(
            &self.options,
            self.server()?,
            port,
            scope.as_deref(),
            only_localhost,
        )?;
        let request = sent.clone();
        self.stage = Stage::Registering(Registering {
            sent,
            port,
            only_localhost,
            is_repeated: false,
        });
        Ok(Action::Send(request))
    }

    pub(super) fn registered(
        &mut self,
        registering: Registering,
        response: &HttpResponse,
        now: Timestamp,
    ) -> Result<Action, SignInError> {
        let server = self.server()?;
        let issuer = server.issuer.clone();
        let is_later = matches!(response.status, 429 | 503);
        if server.assumed && !response.is_success() && !is_later {
            return Err(SignInError::NotOffered(
                without_secrets(&self.server).into(),
            ));
        }
        let later = response.retry_after.filter(|_| response.is_busy());
        if let Some(seconds) = later.filter(|it| *it <= PATIENCE && !registering.is_repeated) {
            self.stage = Stage::Registering(Registering {
                is_repeated: true,
                ..registering
            });
            return Ok(Action::Wait(Duration::from_secs(seconds)));
        }
        let Registering {
            sent,
            port,
            only_localhost,
            ..
        } = registering;
        match registration::outcome(&issuer, &sent, response) {
            Ok(client) => {
                self.registered = Some((issuer, client.clone()));
                self.client = Some(client);
                self.ask_user(port, now)
            }
            // Some servers know this machine only as `localhost`.
            Err(SignInError::RegistrationRefused { .. })
                if !only_localhost && response.status == 400 =>
            {
                self.register(port, true)
            }
            Err(why) => Err(why),
        }
    }

    /// Sends a registration again that was refused for the moment.
    pub(super) fn register_again(&mut self, registering: Registering) -> Action {
        let request = registering.sent.clone();
        self.stage = Stage::Registering(registering);
        Action::Send(request)
    }

    /// The scopes to ask for; `None` leaves the parameter out.
    pub(super) fn scope(&self) -> Result<Option<Vec<String>>, SignInError> {
        let demanded = self.demand.scope.as_deref();
        let server = self.server()?;
        let is_step_up = self.demand.is_insufficient_scope();
        // Scopes belong to the authorization server, and a user who names scopes may want fewer than before.
        let counts = self.before.issuer.as_ref() == Some(&server.issuer)
            && (is_step_up || self.options.scope.is_none());
        let knows_offline = server.knows_scope(scope::OFFLINE);
        let mut before = self.before.requested.clone();
        before.retain(|scope| counts && (knows_offline || scope != scope::OFFLINE));
        if is_step_up {
            // A step-up asks for what is missing, whatever the user chose at first.
            before = scope::union(&before, demanded.unwrap_or_default());
        }
        let offline = self.options.needs_user() && knows_offline;
        Ok(scope::chosen(
            self.options.scope.as_deref(),
            demanded,
            self.resource.scopes_supported.as_deref(),
            &before,
            offline,
        ))
    }
}

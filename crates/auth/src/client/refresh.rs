//! New tokens for a refresh token.

use super::dpop::DpopKey;
use super::error::SignInError;
use super::options::{ClientOptions, DpopMode};
use super::server_metadata;
use super::token::{Answer, TokenRequest};
use crate::store::{Record, Tokens};
use crate::{HttpRequest, HttpResponse, Secret, Timestamp};

/// A refresh under way.
#[derive(Debug)]
pub struct Refresh {
    request: TokenRequest,
    before: Tokens,
    options: ClientOptions,
}

/// What a response led to.
pub enum Refreshed {
    /// New tokens; the refresh token is the old one if no new one came.
    Tokens(Box<Tokens>),
    /// Send this as well.
    Again(HttpRequest),
}

impl Refresh {
    /// Begins to renew the tokens of a record; `None` if it has no refresh token, or not the key that new tokens have to
    /// be bound to.
    pub fn start(
        record: &Record,
        options: &ClientOptions,
        nonce: Option<String>,
    ) -> Result<Option<Self>, SignInError> {
        let tokens = record.tokens.as_ref();
        let Some((tokens, refresh)) = tokens.and_then(|it| Some((it, it.refresh.clone()?))) else {
            return Ok(None);
        };
        let metadata = record.metadata.as_ref();
        let metadata = metadata.and_then(|value| server_metadata::parse(value).ok());
        let Some(metadata) = metadata else {
            return Ok(None);
        };
        let mut fields = vec![
            ("grant_type", Secret::new("refresh_token")),
            ("refresh_token", refresh),
        ];
        // What was granted, not what was asked for: Entra wants a scope, and more than was granted is refused.
        if let Some(scope) = tokens.scope.clone().filter(|scope| !scope.is_empty()) {
            fields.push(("scope", Secret::new(scope)));
        }
        if let Some(resource) = &record.resource {
            fields.push(("resource", Secret::new(resource.clone())));
        }
        let endpoint = metadata.token_endpoint(options.insecure_http)?;
        let mut client = record.client.clone();
        if let Some(given) = options
            .client
            .as_ref()
            .filter(|it| it.id == client.client_id)
        {
            // The user may have got a new one since.
            client.client_secret = given.secret.clone();
        }
        let mut request = TokenRequest::new(&record.issuer, endpoint, &client, fields)
            .signed_by(options.client.as_ref())?;
        request.nonce = nonce;
        if tokens.dpop || options.dpop == DpopMode::On {
            let kept = record.dpop_key.as_ref().filter(|_| tokens.dpop);
            let Some(key) = kept.and_then(|kept| DpopKey::restore(kept).ok()) else {
                return Ok(None);
            };
            request.dpop = Some(key);
        }
        Ok(Some(Self {
            request,
            before: tokens.clone(),
            options: options.clone(),
        }))
    }

    /// What to send.
    pub fn request(&self, now: Timestamp) -> Result<HttpRequest, SignInError> {
        self.request.request(now)
    }

    /// What the token endpoint answered.
    pub fn answered(
        &mut self,
        response: &HttpResponse,
        now: Timestamp,
    ) -> Result<Refreshed, SignInError> {
        let mut tokens = match self.request.answered(response, now)? {
            Answer::Tokens(tokens) => tokens,
            Answer::Again(request) => return Ok(Refreshed::Again(request)),
        };
        if tokens.refresh.is_none() {
            tokens.refresh = self.before.refresh.clone();
        }
        if tokens.scope.is_none() {
            tokens.scope = self.before.scope.clone();
        }
        if tokens.id_token.is_none() {
            tokens.id_token = self.before.id_token.clone();
        }
        Ok(Refreshed::Tokens(Box::new(
            self.options.shown_tokens(*tokens),
        )))
    }

    /// The newest nonce of the token endpoint.
    pub fn nonce(&self) -> Option<&str> {
        self.request.nonce.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sample;
    use serde_json::json;

    fn record(is_bound: bool) -> Record {
        let mut record = sample::record("access");
        let tokens = record.tokens.as_mut().unwrap();
        tokens.dpop = is_bound;
        record.dpop_key = Some(DpopKey::generate().kept());
        record.metadata = Some(json!({
            "issuer": "https://as.example",
            "token_endpoint": "https://as.example/token",
        }));
        record
    }

    #[test]
    fn a_bound_token_is_not_renewed_as_an_unbound_one() {
        let started = |record: &Record, dpop| {
            let options = ClientOptions {
                dpop,
                ..ClientOptions::default()
            };
            Refresh::start(record, &options, None).unwrap()
        };
        let mut refresh = started(&record(true), DpopMode::Auto).unwrap();
        let response = HttpResponse {
            status: 200,
            body: json!({"access_token": "new", "token_type": "Bearer"})
                .to_string()
                .into(),
            ..HttpResponse::default()
        };
        assert!(refresh.answered(&response, Timestamp(1)).is_err());
        let mut without_key = record(true);
        without_key.dpop_key = None;
        assert!(started(&without_key, DpopMode::Auto).is_none());
        assert!(started(&record(false), DpopMode::On).is_none());
        assert!(started(&record(false), DpopMode::Auto).is_some());
    }
}

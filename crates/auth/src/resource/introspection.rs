//! Asking the authorization server about a token (RFC 7662), for tokens that are not JWTs.

use std::time::Duration;

use data_encoding::BASE64;
use url::Url;
use url::form_urlencoded::byte_serialize;

use super::claims::Claims;
use super::policy::Policy;
use super::token::Verified;
use super::token_error::TokenError;
use crate::{HttpRequest, HttpResponse, Secret, Timestamp};

/// How long an answer is believed.
const ACTIVE: Duration = Duration::from_secs(60);
const INACTIVE: Duration = Duration::from_secs(10);
/// The longest token that is asked about.
const LONGEST: usize = 8 * 1024;

/// Where to ask, and as which client.
#[derive(Debug, Clone)]
pub struct Introspection {
    /// The endpoint.
    pub url: Url,
    /// The issuer whose tokens it knows.
    pub issuer: String,
    /// The client that asks.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<Secret>,
}

/// Why there is no verdict on a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IntrospectionError {
    /// The endpoint refused us, or failed.
    #[error("the introspection endpoint answered HTTP {0}")]
    Status(u16),
    /// The answer is not what RFC 7662 says.
    #[error("the introspection endpoint sent no answer that can be read")]
    Answer,
}

impl Introspection {
    /// The question; `None` for a text that cannot be a token.
    pub fn request(&self, token: &str) -> Option<HttpRequest> {
        if token.len() > LONGEST {
            return None;
        }
        let mut fields = vec![("token", token), ("token_type_hint", "access_token")];
        let Some(id) = &self.client_id else {
            return Some(HttpRequest::form(self.url.clone(), &fields));
        };
        let Some(secret) = &self.client_secret else {
            fields.push(("client_id", id));
            return Some(HttpRequest::form(self.url.clone(), &fields));
        };
        // RFC 6749 §2.3.1: both are form-encoded first.
        let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encoded(id), encoded(secret.expose()));
        let basic = format!("Basic {}", BASE64.encode(pair.as_bytes()));
        let request = HttpRequest::form(self.url.clone(), &fields);
        Some(request.header("authorization", basic))
    }

    /// Judges the answer by the policy.
    pub fn judge(
        &self,
        response: &HttpResponse,
        policy: &Policy,
        now: Timestamp,
    ) -> Result<Result<Verified, TokenError>, IntrospectionError> {
        if !response.is_success() {
            return Err(IntrospectionError::Status(response.status));
        }
        let answer = response.object().ok_or(IntrospectionError::Answer)?;
        let active = answer.get("active").and_then(|active| active.as_bool());
        match active {
            None => Err(IntrospectionError::Answer),
            Some(false) => Ok(Err(TokenError::NotActive)),
            Some(true) => Ok(self.active(Claims(&answer), policy, now)),
        }
    }

    fn active(
        &self,
        claims: Claims<'_>,
        policy: &Policy,
        now: Timestamp,
    ) -> Result<Verified, TokenError> {
        if let Some(issuer) = claims.0.get("iss").filter(|it| !it.is_null())
            && *issuer != *self.issuer
        {
            return Err(TokenError::Issuer {
                got: issuer.as_str().unwrap_or_default().to_owned(),
                want: vec![self.issuer.clone()],
            });
        }
        claims.check_audience(&policy.audiences)?;
        let expires = claims.check_times(now)?;
        Ok(Verified {
            identity: claims.identity(&self.issuer, policy.subject.as_deref())?,
            expires: expires.unwrap_or(now.after(ACTIVE)),
            bound_to: claims.bound_to()?.map(str::to_owned),
        })
    }

    /// Until when a verdict is believed.
    pub fn believed_until(verdict: &Result<Verified, TokenError>, now: Timestamp) -> Timestamp {
        match verdict {
            Ok(verified) => verified.expires.min(now.after(ACTIVE)),
            Err(_) => now.after(INACTIVE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const NOW: Timestamp = Timestamp(1_000_000);

    fn introspection() -> Introspection {
        Introspection {
            url: Url::parse("https://as/introspect").unwrap(),
            issuer: "https://as".to_owned(),
            client_id: Some("a:b".to_owned()),
            client_secret: Some(Secret::new("p w")),
        }
    }

    fn judged(answer: &Value) -> Result<Result<Verified, TokenError>, IntrospectionError> {
        let policy = Policy::new("https://h/mcp", vec!["https://as".to_owned()]);
        let response = HttpResponse {
            status: 200,
            body: answer.to_string().into(),
            ..HttpResponse::default()
        };
        introspection().judge(&response, &policy, NOW)
    }

    fn active() -> Value {
        json!({
            "active": true, "sub": "a", "aud": ["https://h/mcp"], "client_id": "c",
            "scope": "read write", "exp": NOW.0 + 30, "username": "Ada",
        })
    }

    #[test]
    fn the_question_shows_the_client_as_the_specification_says() {
        let request = introspection().request("opaque").unwrap();
        assert_eq!(request.body, "token=opaque&token_type_hint=access_token");
        let basic = BASE64.encode(b"a%3Ab:p+w");
        let headers = request.headers;
        assert!(headers.contains(&("authorization", format!("Basic {basic}"))));
        let public = Introspection {
            client_secret: None,
            ..introspection()
        };
        let request = public.request("opaque").unwrap();
        assert!(
            request.body.ends_with("&client_id=a%3Ab"),
            "{}",
            request.body
        );
        assert!(public.request(&"x".repeat(LONGEST + 1)).is_none());
    }

    #[test]
    fn an_active_token_for_this_resource_is_accepted() {
        let verified = judged(&active()).unwrap().unwrap();
        assert_eq!(verified.identity.subject, "a");
        assert_eq!(verified.identity.scope(), "read write");
        assert_eq!(verified.identity.name.as_deref(), Some("Ada"));
        let until = Introspection::believed_until(&Ok(verified), NOW);
        assert_eq!(until, Timestamp(NOW.0 + 30));
    }

    #[test]
    fn the_same_checks_hold_as_for_a_jwt() {
        let with = |name: &str, value: Value| {
            let mut answer = active();
            answer[name] = value;
            judged(&answer).unwrap().unwrap_err()
        };
        assert_eq!(with("active", json!(false)), TokenError::NotActive);
        assert!(matches!(
            with("aud", json!("https://other")),
            TokenError::Audience { .. }
        ));
        assert!(matches!(
            with("aud", Value::Null),
            TokenError::Audience { .. }
        ));
        assert!(matches!(
            with("iss", json!("https://as/")),
            TokenError::Issuer { .. }
        ));
        assert!(matches!(
            with("iss", json!(["https://evil"])),
            TokenError::Issuer { .. }
        ));
        assert!(matches!(
            with("exp", json!(NOW.0 - 61)),
            TokenError::Expired { .. }
        ));
        assert!(matches!(
            with("nbf", json!(NOW.0 + 61)),
            TokenError::NotYetValid { .. }
        ));
        assert_eq!(with("sub", Value::Null), TokenError::Missing("sub"));
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_no_verdict() {
        for answer in [json!([]), json!({}), json!({"active": "true"})] {
            assert_eq!(judged(&answer), Err(IntrospectionError::Answer), "{answer}");
        }
    }
}

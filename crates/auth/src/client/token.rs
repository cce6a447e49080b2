//! Requests to a token endpoint, and what comes back (RFC 6749 §5).

use std::sync::Arc;
use std::time::Duration;

use data_encoding::BASE64;
use url::Url;

use super::assertion;
use super::dpop::DpopKey;
use super::error::{SignInError, is_refused, refused};
use super::options::GivenClient;
use crate::jose::SigningKey;
use crate::members::Members;
use crate::store::{ClientAuth, Registration, Tokens};
use crate::{HttpRequest, HttpResponse, Secret, Timestamp};

/// The longest lifetime that is believed.
const LONGEST: u64 = 10 * 365 * 86_400;

/// A token request that can be sent again with a nonce.
#[derive(Debug, Clone)]
pub(super) struct TokenRequest {
    pub(super) issuer: String,
    pub(super) endpoint: Url,
    pub(super) fields: Vec<(&'static str, Secret)>,
    /// The client, and its key if it signs.
    pub(super) client: Registration,
    pub(super) key: Option<Arc<SigningKey>>,
    pub(super) dpop: Option<DpopKey>,
    pub(super) nonce: Option<String>,
    /// Whether it was sent again because of a nonce.
    repeated: bool,
}

/// What became of it.
pub(super) enum Answer {
    Tokens(Box<Tokens>),
    /// To be sent again, with the nonce of the server.
    Again(HttpRequest),
}

impl TokenRequest {
    pub(super) fn new(
        issuer: &str,
        endpoint: Url,
        client: &Registration,
        fields: Vec<(&'static str, Secret)>,
    ) -> Self {
        Self {
            issuer: issuer.to_owned(),
            endpoint,
            fields,
            client: client.clone(),
            key: None,
            dpop: None,
            nonce: None,
            repeated: false,
        }
    }

    /// The same with the key of a client that signs.
    pub(super) fn signed_by(mut self, client: Option<&GivenClient>) -> Result<Self, SignInError> {
        if let Some(client) = client {
            self.key = client.signing_key()?.map(Arc::new);
        }
        Ok(self)
    }

    /// The request, signed now.
    pub(super) fn request(&self, now: Timestamp) -> Result<HttpRequest, SignInError> {
        let client = &self.client;
        let secret = || client.client_secret.as_ref().map_or("", Secret::expose);
        let mut fields: Vec<(&str, &str)> = self
            .fields
            .iter()
            .map(|(name, value)| (*name, value.expose()))
            .collect();
        let assertion;
        let mut basic = None;
        match client.auth {
            ClientAuth::None => fields.push(("client_id", &client.client_id)),
            ClientAuth::ClientSecretPost => {
                fields.extend([
                    ("client_id", client.client_id.as_str()),
                    ("client_secret", secret()),
                ]);
            }
            ClientAuth::ClientSecretBasic => {
                let pair = format!("{}:{}", encoded(&client.client_id), encoded(secret()));
                basic = Some(format!("Basic {}", BASE64.encode(pair.as_bytes())));
            }
            ClientAuth::PrivateKeyJwt => {
                let key = self.key.as_ref();
                let key = key.ok_or(SignInError::Options(
                    "the client signs with a private key, and none was given with --client-key",
                ))?;
                assertion = assertion::client(key, &client.client_id, &self.issuer, now);
                fields.extend([
                    ("client_id", client.client_id.as_str()),
                    ("client_assertion_type", assertion::TYPE),
                    ("client_assertion", &assertion),
                ]);
            }
        }
        let mut request = HttpRequest::form(self.endpoint.clone(), &fields);
        if let Some(basic) = basic {
            request = request.header("authorization", basic);
        }
        if let Some(dpop) = &self.dpop {
            let proof = dpop.proof("POST", &self.endpoint, None, self.nonce.as_deref(), now);
            request = request.header("dpop", proof);
        }
        Ok(request)
    }

    /// What the endpoint answered.
    pub(super) fn answered(
        &mut self,
        response: &HttpResponse,
        now: Timestamp,
    ) -> Result<Answer, SignInError> {
        if response.dpop_nonce.is_some() {
            self.nonce.clone_from(&response.dpop_nonce);
        }
        if !is_refused(response) {
            return self
                .tokens(response, now)
                .map(|it| Answer::Tokens(Box::new(it)));
        }
        let refused = refused(&self.issuer, &self.endpoint, response);
        let is_nonce =
            matches!(&refused, SignInError::Token { code, .. } if code == "use_dpop_nonce");
        if is_nonce && response.dpop_nonce.is_some() && !self.repeated {
            self.repeated = true;
            return self.request(now).map(Answer::Again);
        }
        // A device code is polled for with one request, and the nonce may change in between.
        self.repeated = false;
        Err(refused)
    }

    fn tokens(&self, response: &HttpResponse, now: Timestamp) -> Result<Tokens, SignInError> {
        let bad = |why| SignInError::BadAnswer {
            url: self.endpoint.to_string(),
            why,
        };
        let given = Members::read(&response.body).unwrap_or_default();
        let access = given.owned("access_token");
        let access = access.ok_or_else(|| bad("a token response without an access token"))?;
        let token_type = if given.has("token_type") {
            given.text("token_type").unwrap_or_default()
        } else {
            "Bearer"
        };
        let dpop = token_type.eq_ignore_ascii_case("DPoP");
        if dpop && self.dpop.is_none() {
            return Err(bad("a bound token, though no key was shown"));
        }
        if !dpop && self.dpop.is_some() {
            return Err(bad("a token that is not bound, though a key was shown"));
        }
        if !dpop && !token_type.eq_ignore_ascii_case("Bearer") {
            return Err(bad("a token of a type other than Bearer and DPoP"));
        }
        if !is_header(&access) {
            return Err(bad("an access token that HTTP does not allow in a header"));
        }
        let lifetime = given.number("expires_in").map(|it| it.min(LONGEST));
        Ok(Tokens {
            access: Secret::new(access),
            dpop,
            refresh: given.text("refresh_token").map(Secret::new),
            id_token: given.text("id_token").map(Secret::new),
            issued: now,
            expires: lifetime.map(|seconds| now.after(Duration::from_secs(seconds))),
            scope: given.words("scope"),
        })
    }
}

/// Whether a text can be the value of `Authorization`.
fn is_header(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| (0x21..=0x7e).contains(&b))
}

/// As RFC 6749 §2.3.1 wants it in Basic.
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jose::Jwt;
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::{Value, json};

    fn client(auth: ClientAuth) -> Registration {
        Registration {
            client_id: "c:1".to_owned(),
            client_secret: Some(Secret::new("s e&cret")),
            auth,
            redirect_uris: Vec::new(),
            expires: None,
            scope: None,
            dynamic: false,
        }
    }

    fn token_request(auth: ClientAuth) -> TokenRequest {
        let endpoint = Url::parse("https://as.example/token").unwrap();
        let fields = vec![("grant_type", Secret::new("x"))];
        TokenRequest::new("https://as.example", endpoint, &client(auth), fields)
    }

    fn answer(status: u16, body: &Value) -> HttpResponse {
        HttpResponse {
            status,
            body: body.to_string().into_bytes(),
            ..HttpResponse::default()
        }
    }

    fn tokens(body: &Value) -> Result<Tokens, SignInError> {
        let answer = answer(200, body);
        match token_request(ClientAuth::None).answered(&answer, Timestamp(100))? {
            Answer::Tokens(tokens) => Ok(*tokens),
            Answer::Again(_) => panic!("nothing asks for a nonce"),
        }
    }

    #[test]
    fn each_kind_of_client_shows_itself_in_its_own_way() {
        let request = |auth| token_request(auth).request(Timestamp(1)).unwrap();
        let none = request(ClientAuth::None);
        assert_eq!(none.body, "grant_type=x&client_id=c%3A1");
        let post = request(ClientAuth::ClientSecretPost);
        assert!(
            post.body
                .ends_with("client_id=c%3A1&client_secret=s+e%26cret")
        );
        let basic = request(ClientAuth::ClientSecretBasic);
        assert_eq!(basic.body, "grant_type=x");
        let pair = BASE64.encode(b"c%3A1:s+e%26cret");
        assert!(
            basic
                .headers
                .contains(&("authorization", format!("Basic {pair}")))
        );
    }

    #[test]
    fn a_client_that_signs_names_the_issuer_as_audience() {
        let mut request = token_request(ClientAuth::PrivateKeyJwt);
        assert!(matches!(
            request.request(Timestamp(1)),
            Err(SignInError::Options(_))
        ));
        let (key, _) = SigningKey::generate();
        let public = key.public().unwrap();
        request.key = Some(Arc::new(key));
        let sent = request.request(Timestamp(1)).unwrap();
        let fields: std::collections::HashMap<_, _> =
            url::form_urlencoded::parse(sent.body.as_bytes())
                .into_owned()
                .collect();
        let jwt = Jwt::parse(&fields["client_assertion"]).unwrap();
        assert!(jwt.is_signed_by(&public));
        assert_eq!(jwt.claims()["aud"], "https://as.example");
        assert_eq!(jwt.claims()["iss"], "c:1");
        assert_eq!(jwt.claims()["sub"], "c:1");
    }

    #[test]
    fn a_nonce_is_honoured_once() {
        let mut request = token_request(ClientAuth::None);
        request.dpop = Some(DpopKey::generate());
        let mut refused = answer(400, &json!({"error": "use_dpop_nonce"}));
        refused.dpop_nonce = Some("n1".to_owned());
        let again = request.answered(&refused, Timestamp(1)).unwrap();
        let Answer::Again(again) = again else {
            panic!("no second try")
        };
        let proof = &again
            .headers
            .iter()
            .find(|(name, _)| *name == "dpop")
            .unwrap()
            .1;
        assert_eq!(Jwt::parse(proof).unwrap().claims()["nonce"], "n1");
        assert!(request.answered(&refused, Timestamp(1)).is_err());
        let again = request.answered(&refused, Timestamp(1));
        assert!(
            matches!(again, Ok(Answer::Again(_))),
            "it answered otherwise in between"
        );
    }

    #[test]
    fn lifetimes_are_read_as_servers_write_them() {
        let expires = |value: Value| {
            let body = json!({"access_token": "t", "token_type": "bearer", "expires_in": value});
            tokens(&body).unwrap().expires.map(|at| at.0)
        };
        assert_eq!(expires(json!(5)), Some(105));
        assert_eq!(expires(json!("60")), Some(160));
        assert_eq!(expires(json!(-3)), Some(100));
        assert_eq!(expires(json!(1e300)), Some(100 + LONGEST));
        assert_eq!(expires(json!(null)), None);
    }

    #[test]
    fn odd_members_of_a_token_response_do_no_harm() {
        let body = json!({
            "access_token": "t", "token_type": "bearer", "scope": ["a", "b c"], "expires_in": "60.5",
            "refresh_token": 5, "id_token": {},
        });
        let read = tokens(&body).unwrap();
        assert_eq!(read.scope.as_deref(), Some("a b c"));
        assert_eq!(read.expires, Some(Timestamp(160)));
        assert_eq!((read.refresh, read.id_token), (None, None));
        for scope in [json!(7), json!({}), json!(null), json!([]), json!([1])] {
            let body = json!({"access_token": "t", "scope": scope});
            assert_eq!(tokens(&body).unwrap().scope, None, "{scope}");
        }
        for lifetime in [
            json!("NaN"),
            json!("inf"),
            json!(""),
            json!([1]),
            json!(1.5),
            json!(-1e300),
        ] {
            tokens(&json!({"access_token": "t", "expires_in": lifetime})).unwrap();
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_read(
            status in select(vec![200_u16, 201, 400, 401, 429, 500]),
            body in prop_oneof![
                ".{0,40}",
                r#"\{("access_token":("t"|1|"a b"|""),)?("expires_in":(1e400|-1|"x"|1e300|\[\]),)?("scope":(\[1,"a"\]|null|""),)?"token_type":("Bearer"|"DPoP"|1)\}"#,
                r#"\{"error":("invalid_grant"|1|null|\{\}|"use_dpop_nonce")(,"error_description":(1|"x"|\[\]))?\}"#,
            ]
        ) {
            let mut request = token_request(ClientAuth::None);
            let response = HttpResponse { status, body: body.into_bytes(), ..HttpResponse::default() };
            if let Ok(Answer::Tokens(tokens)) = request.answered(&response, Timestamp(100)) {
                prop_assert!(response.is_success() && is_header(tokens.access.expose()));
                prop_assert!(tokens.expires.is_none_or(|at| (100..=100 + LONGEST).contains(&at.0)));
                prop_assert!(tokens.scope.is_none_or(|scope| !scope.is_empty()));
            }
        }
    }

    #[test]
    fn tokens_that_cannot_be_sent_are_refused() {
        for body in [
            json!({"token_type": "Bearer"}),
            json!({"access_token": "a\nb", "token_type": "Bearer"}),
            json!({"access_token": "a", "token_type": "mac"}),
            json!({"access_token": "a", "token_type": "DPoP"}),
            json!([]),
        ] {
            assert!(
                matches!(tokens(&body), Err(SignInError::BadAnswer { .. })),
                "{body}"
            );
        }
    }

    #[test]
    fn a_request_with_a_proof_is_not_answered_with_an_unbound_token() {
        let mut request = token_request(ClientAuth::None);
        request.dpop = Some(DpopKey::generate());
        let mut answered = |kind: &str| {
            let body = json!({"access_token": "a", "token_type": kind});
            request.answered(&answer(200, &body), Timestamp(1))
        };
        assert!(answered("DPoP").is_ok());
        assert!(matches!(
            answered("Bearer"),
            Err(SignInError::BadAnswer { .. })
        ));
    }

    #[test]
    fn an_error_with_the_status_of_a_success_is_an_error() {
        for code in ["bad_refresh_token", "authorization_pending"] {
            let refused = tokens(&json!({"error": code, "error_description": "as GitHub does"}));
            assert!(
                matches!(&refused, Err(SignInError::Token { code: read, .. }) if read == code),
                "{refused:?}"
            );
        }
        let busy = tokens(&json!({"error": "temporarily_unavailable"}));
        assert!(busy.unwrap_err().is_transient());
        // Members that are empty say nothing.
        assert!(tokens(&json!({"access_token": "t", "error": ""})).is_ok());
        assert!(tokens(&json!({"access_token": "t", "error": null})).is_ok());
    }

    #[test]
    fn a_refusal_and_a_failure_are_told_apart() {
        let mut request = token_request(ClientAuth::None);
        let mut outcome = |status, body: Value| {
            request
                .answered(&answer(status, &body), Timestamp(1))
                .err()
                .unwrap()
        };
        let refused = outcome(400, json!({"error": "invalid_grant"}));
        assert!(matches!(&refused, SignInError::Token { code, .. } if code == "invalid_grant"));
        for (status, body) in [
            (503, json!({})),
            (500, json!({"error": "server_error"})),
            (400, json!({"error": "temporarily_unavailable"})),
            (429, json!(null)),
            (429, json!({"error": "slow_down_please"})),
            (408, json!(null)),
        ] {
            assert!(outcome(status, body).is_transient(), "{status}");
        }
        assert!(!outcome(404, json!("x")).is_transient());
        let odd = json!({"error": "authorization_pending", "error_description": 7});
        let pending = outcome(400, odd);
        assert!(
            matches!(&pending, SignInError::Token { code, .. } if code == "authorization_pending")
        );
    }
}

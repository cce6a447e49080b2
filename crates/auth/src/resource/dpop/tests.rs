//! Proofs that are accepted, and every way to be refused.

use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;
use crate::jose::SigningKey;
use crate::resource::testing::NOW;

const TOKEN: &str = "the.access.token";

struct Client {
    key: SigningKey,
    url: Url,
}

impl Client {
    fn new() -> Self {
        let url = Url::parse("https://h.example/mcp").unwrap();
        let (key, _) = SigningKey::generate();
        Self { key, url }
    }

    fn thumbprint(&self) -> String {
        self.key.public().unwrap().thumbprint()
    }

    fn proof(&self, header: &Value, claims: &Value) -> String {
        let mut all = Map::new();
        all.insert("typ".to_owned(), "dpop+jwt".into());
        all.insert("jwk".to_owned(), self.key.public().unwrap().to_json());
        all.extend(header.as_object().unwrap().clone());
        let mut body = json!({
            "htm": "POST", "htu": "https://h.example/mcp", "iat": NOW.0, "jti": "1",
            "ath": base64url::encode(&random::sha256(TOKEN.as_bytes())),
        });
        for (name, value) in claims.as_object().unwrap() {
            body[name] = value.clone();
        }
        self.key.sign(all, &body)
    }

    fn judge(&self, proof: &str) -> Result<Digest, ProofError> {
        let request = BoundRequest {
            method: "POST",
            url: &self.url,
            token: TOKEN,
            bound_to: &self.thumbprint(),
        };
        check_proof(proof, request, NOW)
    }

    fn with(&self, claims: &Value) -> Result<Digest, ProofError> {
        self.judge(&self.proof(&json!({}), claims))
    }
}

#[test]
fn a_proof_for_this_request_is_accepted_once() {
    let client = Client::new();
    let proof = client.with(&json!({})).unwrap();
    let mut replays = Replays::default();
    assert_eq!(replays.note(proof, NOW), Ok(()));
    assert_eq!(replays.note(proof, NOW), Err(ProofError::Replayed));
    let next = client.with(&json!({"jti": "2"})).unwrap();
    assert_eq!(replays.note(next, NOW), Ok(()));
    let same_name = Client::new().with(&json!({})).unwrap();
    assert_eq!(replays.note(same_name, NOW), Ok(()), "of another client");
}

#[test]
fn a_proof_is_remembered_for_as_long_as_it_is_valid() {
    let client = Client::new();
    let ahead = client.with(&json!({"iat": NOW.0 + WINDOW})).unwrap();
    let mut replays = Replays::default();
    replays.note(ahead, NOW).unwrap();
    let last = Timestamp(NOW.0 + 2 * WINDOW);
    assert_eq!(replays.note(ahead, last), Err(ProofError::Replayed));
}

#[test]
fn a_proof_for_another_request_is_refused() {
    let client = Client::new();
    assert_eq!(
        client.with(&json!({"htm": "GET"})),
        Err(ProofError::Request("htm"))
    );
    for url in [
        "http://h.example/mcp",
        "https://h.example:8443/mcp",
        "https://h.example/other",
        "https://evil.example/mcp",
        "mcp",
    ] {
        let refused = client.with(&json!({"htu": url}));
        assert_eq!(refused, Err(ProofError::Request("htu")), "{url}");
    }
    for url in [
        "https://H.example:443/mcp",
        "https://h.example/mcp?session=1#x",
        "https://h.example/mcp/",
    ] {
        assert!(client.with(&json!({"htu": url})).is_ok(), "{url}");
    }
}

#[test]
fn this_machine_has_several_names() {
    let mut client = Client::new();
    client.url = Url::parse("http://127.0.0.1:8808/mcp").unwrap();
    for url in ["http://localhost:8808/mcp", "http://[::1]:8808/mcp"] {
        assert!(client.with(&json!({"htu": url})).is_ok(), "{url}");
    }
    let other = client.with(&json!({"htu": "http://localhost:8809/mcp"}));
    assert_eq!(other, Err(ProofError::Request("htu")));
}

#[test]
fn an_old_proof_is_refused() {
    let client = Client::new();
    let at = |time: u64| client.with(&json!({"iat": time}));
    assert!(at(NOW.0 - WINDOW).is_ok() && at(NOW.0 + WINDOW).is_ok());
    assert_eq!(at(NOW.0 - WINDOW - 1), Err(ProofError::Time));
    assert_eq!(at(NOW.0 + WINDOW + 1), Err(ProofError::Time));
}

#[test]
fn a_proof_is_bound_to_its_token_and_its_key() {
    let client = Client::new();
    let other = base64url::encode(&random::sha256(b"another.token"));
    assert_eq!(client.with(&json!({"ath": other})), Err(ProofError::Token));
    let stranger = Client::new();
    let proof = stranger.proof(&json!({}), &json!({}));
    assert_eq!(client.judge(&proof), Err(ProofError::Key));
    let public = client.key.public().unwrap().to_json();
    let proof = stranger.proof(&json!({"jwk": public}), &json!({}));
    assert_eq!(client.judge(&proof), Err(ProofError::Signature));
}

#[test]
fn a_proof_has_its_type_a_public_key_and_all_claims() {
    let client = Client::new();
    let with = |header: &Value| client.judge(&client.proof(header, &json!({})));
    for bad in [
        json!({"typ": "JWT"}),
        json!({"typ": null}),
        json!({"crit": ["x"]}),
    ] {
        assert_eq!(with(&bad), Err(ProofError::Type), "{bad}");
    }
    let mut private = client.key.public().unwrap().to_json();
    private["d"] = "AAAA".into();
    assert_eq!(with(&json!({"jwk": private})), Err(ProofError::Signature));
    assert_eq!(with(&json!({"jwk": null})), Err(ProofError::Signature));
    for name in ["htm", "htu", "iat", "ath", "jti"] {
        let refused = client.with(&json!({name: null}));
        assert_eq!(refused, Err(ProofError::Claim(name)));
    }
    assert_eq!(client.judge("x"), Err(ProofError::Type));
}

proptest! {
    #[test]
    fn any_text_is_judged(text in ".{0,200}") {
        prop_assert!(Client::new().judge(&text).is_err());
    }
}

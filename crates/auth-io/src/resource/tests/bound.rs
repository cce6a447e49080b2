//! Tokens that are bound to a key of the client.

use linkspan_auth::jose::SigningKey;
use linkspan_auth::resource::{DpopMode, Presented, digest};
use serde_json::{Map, Value, json};

use super::{Issuer, RESOURCE, START, Setup, error_of};

struct Client(SigningKey);

impl Client {
    fn new() -> Self {
        Self(SigningKey::generate().0)
    }

    fn thumbprint(&self) -> String {
        self.0.public().unwrap().thumbprint()
    }

    fn proof(&self, token: &str, name: &str) -> String {
        let mut header = Map::new();
        header.insert("typ".to_owned(), "dpop+jwt".into());
        header.insert("jwk".to_owned(), self.0.public().unwrap().to_json());
        let hash = data_encoding::BASE64URL_NOPAD.encode(&digest(token.as_bytes()));
        let claims: Value = json!({
            "htm": "POST", "htu": RESOURCE, "iat": START, "jti": name, "ath": hash,
        });
        self.0.sign(header, &claims)
    }
}

fn setup(dpop: DpopMode) -> (Setup, Issuer) {
    let setup = Setup::new(|options| options.dpop = dpop);
    let key = Issuer::new("1");
    setup.publish(&[&key]);
    (setup, key)
}

async fn bound(setup: &Setup, token: &str, proof: Option<&str>) -> Result<(), Option<String>> {
    let admitted = setup.admit(Presented::Dpop { token, proof }).await;
    admitted.map(drop).map_err(|denied| error_of(&denied))
}

fn told(error: &str) -> Result<(), Option<String>> {
    Err(Some(error.to_owned()))
}

#[tokio::test]
async fn a_bound_token_needs_a_proof_of_its_key_each_time() {
    let (setup, issuer) = setup(DpopMode::Optional);
    let client = Client::new();
    let token = issuer.token(&json!({"cnf": {"jkt": client.thumbprint()}}));
    let proof = client.proof(&token, "1");
    assert_eq!(bound(&setup, &token, Some(&proof)).await, Ok(()));
    let replayed = bound(&setup, &token, Some(&proof)).await;
    assert_eq!(replayed, told("invalid_dpop_proof"));
    let next = client.proof(&token, "2");
    assert_eq!(bound(&setup, &token, Some(&next)).await, Ok(()));
    assert_eq!(
        bound(&setup, &token, None).await,
        told("invalid_dpop_proof")
    );
    let stolen = Client::new().proof(&token, "3");
    assert_eq!(
        bound(&setup, &token, Some(&stolen)).await,
        told("invalid_dpop_proof")
    );
    let denied = setup.bearer(&token).await.unwrap_err();
    assert_eq!(error_of(&denied).as_deref(), Some("invalid_token"));
}

#[tokio::test]
async fn the_mode_decides_about_tokens_that_are_not_bound() {
    for (mode, accepted) in [
        (DpopMode::Off, true),
        (DpopMode::Optional, true),
        (DpopMode::Required, false),
    ] {
        let (setup, issuer) = setup(mode);
        let token = issuer.token(&json!({}));
        assert_eq!(setup.bearer(&token).await.is_ok(), accepted, "{mode:?}");
        let proof = Client::new().proof(&token, "1");
        assert!(
            bound(&setup, &token, Some(&proof)).await.is_err(),
            "{mode:?}"
        );
    }
}

#[tokio::test]
async fn switched_off_a_bound_token_is_no_bearer_token() {
    let (setup, issuer) = setup(DpopMode::Off);
    let token = issuer.token(&json!({"cnf": {"jkt": Client::new().thumbprint()}}));
    assert!(setup.bearer(&token).await.is_err());
}

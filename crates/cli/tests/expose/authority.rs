//! An authorization server on paper: a key, its public half in a file, and tokens.

use std::path::PathBuf;
use std::sync::Arc;

use linkspan_auth::Timestamp;
use linkspan_auth::jose::SigningKey;
use linkspan_testkit::{Client, Exposed};
use serde_json::{Map, Value, json};

use crate::setup::exposing;

pub const ISSUER: &str = "https://as.example";
pub const RESOURCE: &str = "https://mcp.example/mcp";

/// Issues tokens.
pub struct Authority {
    key: SigningKey,
    folder: Arc<tempfile::TempDir>,
}

impl Authority {
    pub fn new() -> Self {
        let (key, _) = SigningKey::generate();
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        let authority = Self { key, folder };
        authority.write("jwks.json", &json!({"keys": [authority.jwk()]}).to_string());
        authority
    }

    pub fn jwk(&self) -> Value {
        let mut jwk = self.key.public().expect("a P-256 key").to_json();
        jwk["kid"] = "1".into();
        jwk
    }

    /// Writes a file beside the keys.
    pub fn write(&self, name: &str, text: &str) -> String {
        let path: PathBuf = self.folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("a plain path").to_owned()
    }

    /// The flags that make a resource accept its tokens.
    pub fn flags(&self) -> Vec<String> {
        let keys = self.folder.path().join("jwks.json");
        let keys = keys.to_str().expect("a plain path");
        [
            "--auth-issuer",
            ISSUER,
            "--public-url",
            RESOURCE,
            "--auth-jwks",
            keys,
        ]
        .map(str::to_owned)
        .into()
    }

    /// Exposes a child that accepts its tokens.
    pub fn expose(&self, flags: &[&str]) -> Exposed {
        self.expose_child(flags, &[])
    }

    pub fn expose_child(&self, flags: &[&str], child: &[&str]) -> Exposed {
        let own = self.flags();
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        exposing(&own, child).flags(flags).start()
    }

    /// A token with other values for some claims; `null` removes one.
    pub fn token(&self, changes: &Value) -> String {
        self.token_of_type("at+jwt", changes)
    }

    pub fn token_of_type(&self, typ: &str, changes: &Value) -> String {
        let now = Timestamp::now().0;
        let mut claims = json!({
            "iss": ISSUER, "aud": RESOURCE, "sub": "ada", "client_id": "editor",
            "exp": now + 600, "scope": "read",
        });
        for (name, value) in changes.as_object().expect("an object") {
            claims[name] = value.clone();
        }
        let claims_of = claims.as_object_mut().expect("an object");
        claims_of.retain(|_, value| !value.is_null());
        let mut header = Map::new();
        header.insert("kid".to_owned(), "1".into());
        header.insert("typ".to_owned(), typ.into());
        self.key.sign(header, &claims)
    }
}

/// A client with this token.
pub fn with_token(exposed: &Exposed, token: &str) -> Client {
    exposed
        .client()
        .with("Authorization", &format!("Bearer {token}"))
}

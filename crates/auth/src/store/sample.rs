//! Records for tests.

use super::{ClientAuth, CredentialKey, Record, Registration, Status, Tokens};
use crate::{Secret, Timestamp};

pub(crate) fn key(profile: &str) -> CredentialKey {
    CredentialKey::of("https://as.example", None, "client", profile, &[])
}

/// A record with this access token.
pub(crate) fn record(token: &str) -> Record {
    Record {
        generation: 0,
        server: "https://mcp.example.com/mcp".to_owned(),
        issuer: "https://as.example".to_owned(),
        resource: Some("https://mcp.example.com/mcp".to_owned()),
        status: Status::Active,
        client: registration("client"),
        tokens: Some(Tokens {
            access: Secret::new(token),
            dpop: false,
            refresh: Some(Secret::new(format!("refresh {token}"))),
            id_token: None,
            issued: Timestamp(1_800_000_000),
            expires: Some(Timestamp(1_800_003_600)),
            scope: Some("mcp:read".to_owned()),
        }),
        requested: vec!["mcp:read".to_owned()],
        metadata: Some(serde_json::json!({"issuer": "https://as.example"})),
        dpop_key: Some(Secret::new("private")),
        written: Timestamp(1_800_000_000),
        signed_in: None,
    }
}

pub(crate) fn registration(client_id: &str) -> Registration {
    Registration {
        client_id: client_id.to_owned(),
        client_secret: Some(Secret::new("password of the client")),
        auth: ClientAuth::ClientSecretBasic,
        redirect_uris: vec!["http://127.0.0.1:50000/callback".to_owned()],
        expires: None,
        scope: None,
        dynamic: true,
    }
}

pub(crate) fn token(record: &Record) -> &str {
    record.tokens.as_ref().unwrap().access.expose()
}

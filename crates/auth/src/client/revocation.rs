//! Telling an authorization server that tokens are no longer needed (RFC 7009).

use super::server_metadata;
use super::token::TokenRequest;
use crate::store::Record;
use crate::{HttpRequest, Secret, Timestamp};

/// The request that revokes the tokens of a record; `None` if the server cannot do that.
pub fn revocation(record: &Record, now: Timestamp) -> Option<HttpRequest> {
    let metadata = server_metadata::parse(record.metadata.as_ref()?).ok()?;
    let tokens = record.tokens.as_ref()?;
    let endpoint = metadata.revocation_endpoint.as_ref();
    let endpoint = metadata
        .endpoint("revocation_endpoint", endpoint, false)
        .ok()?;
    // The access token ends with the refresh token that it came from; many servers cannot revoke one alone.
    let (token, hint) = match &tokens.refresh {
        Some(refresh) => (refresh, "refresh_token"),
        None => (&tokens.access, "access_token"),
    };
    let fields = vec![
        ("token", token.clone()),
        ("token_type_hint", Secret::new(hint)),
    ];
    let request = TokenRequest::new(&record.issuer, endpoint, &record.client, fields);
    request.request(now).ok()
}

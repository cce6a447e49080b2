//! Whether a server asks for a sign-in, and what it says.

use linkspan_auth::client::{Demand, SignInError};
use linkspan_auth::{HttpRequest, HttpResponse};
use linkspan_ports::HttpOptions;
use serde_json::json;
use url::Url;

use crate::perform::PerformError;
use crate::transport::Transport;

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Sends a message without credentials, and reads how it is refused. A server that lets some messages pass may still
/// publish that it is protected. `None` if it wants no sign-in.
pub async fn challenge(
    options: &HttpOptions,
    transport: &dyn Transport,
) -> Result<Option<Demand>, PerformError> {
    if options.socket().is_some() {
        return Err(PerformError::NoUrl);
    }
    if options.authorizer.is_some() {
        return Err(PerformError::IsSigned);
    }
    let url = options.url();
    let response = send(transport, HttpRequest::json(url.clone(), &json!({}))).await?;
    if response.status == 401 {
        let challenges = response.challenges.iter().map(String::as_str);
        return Ok(Some(Demand::read(challenges).unwrap_or_default()));
    }
    for path in [format!("{WELL_KNOWN}{}", url.path()), WELL_KNOWN.to_owned()] {
        let mut document: Url = url.clone();
        document.set_path(path.trim_end_matches('/'));
        document.set_query(None);
        let response = send(transport, HttpRequest::get(document)).await?;
        let published = response.object().filter(|_| response.is_success());
        if published.is_some_and(|it| it.contains_key("authorization_servers")) {
            return Ok(Some(Demand::default()));
        }
    }
    Ok(None)
}

async fn send(
    transport: &dyn Transport,
    request: HttpRequest,
) -> Result<HttpResponse, PerformError> {
    let sent = transport.send(request).await;
    Ok(sent.map_err(|error| SignInError::Unreachable(error.to_string()))?)
}

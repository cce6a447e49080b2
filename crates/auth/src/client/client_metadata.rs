//! What we say about ourselves: in a dynamic registration, and in a client metadata document.

use serde_json::{Value, json};
use url::Url;

use super::options::CALLBACK_PATH;

/// The document to publish at a URL that then serves as the client id.
pub fn client_metadata(url: &Url, name: &str, port: u16) -> Value {
    let mut document = described(name, &redirect_uris("127.0.0.1", port, CALLBACK_PATH));
    document["client_id"] = url.as_str().into();
    document["token_endpoint_auth_method"] = "none".into();
    document
}

/// Where the browser may be sent back to. Both spellings of this machine, the chosen one first.
pub(super) fn redirect_uris(host: &str, port: u16, path: &str) -> Vec<String> {
    let mut hosts = vec![host];
    hosts.extend(
        ["127.0.0.1", "localhost"]
            .into_iter()
            .filter(|it| *it != host),
    );
    let uris = hosts.iter().map(|host| redirect_uri(host, port, path));
    uris.collect()
}

pub(super) fn redirect_uri(host: &str, port: u16, path: &str) -> String {
    format!("http://{host}:{port}{path}")
}

/// The members that both have.
pub(super) fn described(name: &str, redirect_uris: &[String]) -> Value {
    json!({
        "client_name": name,
        "application_type": "native",
        "redirect_uris": redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "software_id": "linkspan",
        "software_version": env!("CARGO_PKG_VERSION"),
    })
}

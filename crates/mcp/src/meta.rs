//! The `_meta` members that make a request a modern one.

use linkspan_wire::{Json, Message};

use crate::revision::{Era, Revision};

pub(crate) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The capabilities of the client, on every modern request.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The name and version of the client; optional.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// Our own `clientInfo`, where no client is behind the request.
pub const OUR_INFO: &str = concat!(
    r#"{"name":"linkspan","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}"#
);

/// The name and version of the server, on every modern result.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The log level that a modern request wants.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Which `subscriptions/listen` a message belongs to, by that request's id.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// The revision in the `_meta` of a request; only modern requests have one.
pub fn claimed_version(message: &Message) -> Option<String> {
    let claim = message.params()?.path(&["_meta", VERSION])?;
    claim.as_str().map(|text| text.into_owned())
}

/// The era of a message. The body decides; headers are only checked against it.
pub fn era_of(message: &Message) -> Era {
    match message.params().and_then(|p| p.path(&["_meta", VERSION])) {
        Some(claim) if claim.as_str().is_some() => Era::Modern,
        _ => Era::Legacy,
    }
}

/// The `_meta` object of a modern request of our own.
pub fn modern_meta(capabilities: Json<'_>, client_info: Json<'_>) -> String {
    format!(
        r#"{{"{VERSION}":"{}","{CLIENT_CAPABILITIES}":{},"{CLIENT_INFO}":{}}}"#,
        Revision::LATEST,
        capabilities.text(),
        client_info.text()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_decides_the_era() {
        let modern = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        let message = Message::parse(modern.into()).unwrap();
        assert_eq!(era_of(&message), Era::Modern);
        assert_eq!(claimed_version(&message).as_deref(), Some("2026-07-28"));

        let legacy = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":1}}}"#;
        assert_eq!(era_of(&Message::parse(legacy.into()).unwrap()), Era::Legacy);
    }
}

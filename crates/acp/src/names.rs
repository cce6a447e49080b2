//! The methods that the conductor handles. All others pass unchanged.

pub(crate) const INITIALIZE: &str = "initialize";
pub(crate) const CANCEL: &str = "$/cancel_request";

pub(crate) const PROXY_INITIALIZE: &str = "proxy/initialize";
pub(crate) const OLD_PROXY_INITIALIZE: &str = "_proxy/initialize";

pub(crate) const SUCCESSOR: &str = "proxy/successor";
pub(crate) const OLD_SUCCESSOR: &str = "_proxy/successor";
pub(crate) const SYMPOSIUM_REQUEST: &str = "_proxy/successor/request";
pub(crate) const SYMPOSIUM_NOTIFICATION: &str = "_proxy/successor/notification";
pub(crate) const DRAFT_SEND_REQUEST: &str = "_proxy/successor/send/request";
pub(crate) const DRAFT_SEND_NOTIFICATION: &str = "_proxy/successor/send/notification";
pub(crate) const DRAFT_RECEIVE_REQUEST: &str = "_proxy/successor/receive/request";
pub(crate) const DRAFT_RECEIVE_NOTIFICATION: &str = "_proxy/successor/receive/notification";

/// Requests with the MCP servers of a session.
pub(crate) const SETUP: [&str; 4] = [
    "session/new",
    "session/load",
    "session/resume",
    "session/fork",
];
/// Requests that end a session.
pub(crate) const CLOSING: [&str; 2] = ["session/close", "session/delete"];

/// Closes a connection to an MCP server of the chain; a request, unlike `_mcp/disconnect`.
pub(crate) const MCP_DISCONNECT: &str = "mcp/disconnect";

/// Whether a message goes from an MCP server of the draft to its client, which is always towards the agent.
/// The draft sends these messages both with and without the envelope for its successor.
pub(crate) fn is_for_mcp_client(method: &str) -> bool {
    method.starts_with("_mcp/server_to_client/")
}

/// Whether a message belongs to an MCP server of the chain.
pub(crate) fn is_carrier(method: &str) -> bool {
    method.starts_with("mcp/") || method.starts_with("_mcp/")
}

/// Whether a method assigns a proxy its role.
pub(crate) fn is_proxy_initialize(method: &str) -> bool {
    matches!(method, PROXY_INITIALIZE | OLD_PROXY_INITIALIZE)
}

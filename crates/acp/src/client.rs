//! The editor's side of ACP: a client of an agent.
//!
//! [`AgentConnection`] sends requests over a port and passes the agent's notifications and requests to an
//! [`Editor`]. The other types do no IO: the agent's capabilities ([`Hello`]), its updates during a prompt
//! ([`Turn`]), its requests for permission ([`Permission`]).

mod connection;
mod hello;
mod permission;
mod turn;

pub use connection::{AgentConnection, Editor, Gone};
pub use hello::{AuthMethod, Hello, Reachable, Unusable, initialize};
pub use permission::{CANCELLED, Choice, Permission, selected};
pub use turn::Turn;

/// Method names that the code uses.
#[expect(missing_docs, reason = "the values say it")]
pub mod names {
    pub const INITIALIZE: &str = "initialize";
    pub const AUTHENTICATE: &str = "authenticate";
    pub const NEW: &str = "session/new";
    pub const LOAD: &str = "session/load";
    pub const RESUME: &str = "session/resume";
    pub const LIST: &str = "session/list";
    pub const CLOSE: &str = "session/close";
    pub const SET_MODE: &str = "session/set_mode";
    pub const SET_OPTION: &str = "session/set_config_option";
    pub const PROMPT: &str = "session/prompt";
    pub const CANCEL: &str = "session/cancel";
    pub const UPDATE: &str = "session/update";
    pub const PERMISSION: &str = "session/request_permission";
    pub const ELICIT: &str = "elicitation/create";
    pub const ELICITED: &str = "elicitation/complete";
    pub const CANCEL_REQUEST: &str = "$/cancel_request";
}

/// The code of an agent that requires a login.
pub const AUTH_REQUIRED: i64 = -32000;
/// The code of a cancelled request.
pub const REQUEST_CANCELLED: i64 = -32800;

/// The longest prefix of at most `most` bytes that ends at a character boundary.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

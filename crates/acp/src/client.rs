//! The editor's side of ACP: a client of an agent.
//!
//! [`AgentConnection`] is a conversation over a port: requests and their answers, and an [`Editor`] who hears and
//! answers what the agent says of its own accord. Everything else here does no IO: what the agent can
//! do ([`Hello`]), what it says in the course of a prompt ([`Turn`]), what it wants to be allowed
//! ([`Permission`]).

mod connection;
mod hello;
mod permission;
mod turn;

pub use connection::{AgentConnection, Editor, Gone};
pub use hello::{AuthMethod, Hello, Reachable, Unusable, initialize};
pub use permission::{CANCELLED, Choice, Permission, selected};
pub use turn::Turn;

/// Method names that the code mentions.
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

/// The code of an agent that needs a login first.
pub const AUTH_REQUIRED: i64 = -32000;
/// The code of a request that was taken back.
pub const REQUEST_CANCELLED: i64 = -32800;

/// At most so many bytes of a text, cut between two characters.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

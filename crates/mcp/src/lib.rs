//! What MCP means: revisions and eras, the method table, `Mcp-*` headers and `_meta` keys.
//!
//! Invariant: text in, text out. No tokio, no sockets, no clock.
//!
//! Translation between the eras is in [`era`].

mod answer;
mod check;
pub mod era;
mod header;
mod level;
mod meta;
mod method;
mod param_header;
mod revision;
mod tool_check;
pub mod tool_list;

pub use answer::{initialize_result, tool_text, tool_texts, tools_list};
pub use check::{
    Given, HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION, check_modern, era_of_post,
    unsupported,
};
pub use header::{
    LAST_EVENT_ID, METHOD, NAME, PROTOCOL_VERSION, SESSION_ID, SessionKey, base64, decode_value,
    encode_value, mirror,
};
pub use level::Level;
pub use meta::{
    CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, OUR_INFO, SERVER_INFO, SUBSCRIPTION_ID,
    claimed_version, era_of, modern_meta,
};
pub use method::{METHODS, Method, MethodKind, names};
pub use param_header::{ANNOTATION as PARAM_HEADER, ParamHeaders};
pub use revision::{Era, Revision};
pub use tool_check::without_invalid_tools;

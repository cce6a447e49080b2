//! A small MCP client for trying servers out: one request at a time, of both eras.
//!
//! [`Client`] uses a port. An [`Observer`] shows its progress, and a [`Person`] answers the server's
//! questions: this crate reads no environment variables, prints nothing and knows no exit codes.

mod arguments;
mod call_arguments;
mod client;
mod elicitation;
mod error;
mod list;
mod observer;
pub mod render;
mod requests;

pub use arguments::{
    ArgumentsError, check_argument_names, check_arguments, check_names, prompt_hint, tool_hint,
};
pub use call_arguments::{CallArguments, CallArgumentsError};
pub use client::{Client, FIRST_ANSWER, one_param};
pub use elicitation::{
    Person, ValueError, ask as ask_person, choices, chosen_values, is_list, typed_value,
};
pub use error::ClientError;
pub use list::List;
pub use observer::{Observer, Silent, TICK};
pub use requests::{
    OperationError, call_tool, get_prompt, offered, ping, read_resource, resources,
};

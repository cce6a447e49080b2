//! The subcommands of mcp-bash. The caller passes arguments and environment, and prints the results.

pub mod bundle;
pub mod config;
mod drafts;
mod error;
pub mod getting_started;
pub mod lint;
pub mod run_tool;
pub mod scaffold;
pub mod skeleton;
pub mod validate;
mod verbs;
mod words;
mod zip;

pub use error::AuthorError;
pub use verbs::{init, new, scaffold_entry};
pub use words::{UsageError, Words};

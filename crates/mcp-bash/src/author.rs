//! The verbs of mcp-bash's command line: options come in as values, results go out as values. Parsing the
//! arguments and printing is left to the caller.

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
mod zip;

pub use error::AuthorError;

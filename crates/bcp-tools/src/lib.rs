//! What the `bcp` commands and the BCP reader server do with files.
//!
//! `linkspan-bcp` is the format, without IO. Here files and folders are opened safely ([`files`]),
//! packed into BCP files ([`encode`]), rendered ([`decode`]), listed, counted, compared and checked;
//! [`reader`] offers that to MCP clients. Options are values, results are returned or written to a
//! given writer, and every failure is a [`BcpError`].
//!
//! Invariant: nothing here reads the environment, prints, or knows flags and exit codes.

mod access;
mod cleaned;
mod counting;
pub mod decode;
pub mod detect;
pub mod diff;
pub mod encode;
mod engine;
mod error;
pub mod files;
mod held;
pub mod inspect;
pub mod listing;
pub mod pack;
mod patch;
mod perform;
mod progress;
pub mod reader;
mod reader_server;
mod request;
mod settings;
pub mod stats;
mod to_json;
mod tools;
mod tree;
pub mod validate;
mod walk;
mod watched;

#[cfg(test)]
mod reader_tests;
#[cfg(test)]
mod round_trip_tests;
#[cfg(test)]
mod scratch;

pub use cleaned::Cleaned;
pub use engine::{Codec, Engine, ReadFn, StopFn, ToolOutput};
pub use error::{BcpError, Result, path_name};
pub use perform::Tools;
pub use progress::Progress;
pub use reader_server::ReaderServer;
pub use settings::Settings;
pub use tools::TOOLS;

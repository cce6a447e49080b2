//! The operations of the `bcp` commands and of the BCP server on files.
//!
//! `linkspan-bcp` is the format, without IO. This crate opens files and folders safely ([`files`]), packs
//! them into BCP files ([`encode`]), renders ([`decode`]), lists, counts, compares and validates BCP files;
//! [`reader`] offers that to MCP clients. Options are values, results are returned or written to a given
//! writer, and every failure is a [`BcpError`].
//!
//! Invariant: this crate does not read the environment, does not print, and knows neither flags nor exit
//! codes.

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
pub mod variables;
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

//! The layer of a [bridge](linkspan_bridge) that shortens tool results ([`Shrink`]), the tools that it adds to
//! those of the server, and the file with the statistics of what was saved ([`stats`]).
//!
//! Options are values and errors are enums: this crate reads no environment variables and prints nothing.

mod error;
mod factory;
mod fetch;
mod layer;
mod no_server;
mod options;
mod originals;
mod own_tools;
mod policy_settings;
mod repeats;
mod shared;
pub mod stats;
mod text_file;
mod tool_filter;
mod trial;
mod variables;

pub use error::ShrinkError;
pub use factory::{Shrink, shorten};
pub use fetch::JqCommand;
pub use no_server::NoServer;
pub use options::{Options, OwnTools, StructuredRule, UnknownRule};
pub use policy_settings::PolicySettings;
pub use text_file::{TextError, read_text};
pub use tool_filter::ToolFilter;
pub use trial::Trial;
pub use variables::{Format, NoConfidence, confidence, default_confidence, default_render};

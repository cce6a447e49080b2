//! The configuration files of MCP clients: which clients there are, where their files are on a
//! [system](System), what an entry for a server looks like, and adding it to a file that people edit by hand.
//!
//! The home directory, the platform and every path come in as values: this crate reads no environment variables
//! and prints nothing.

mod clients;
mod configuration;
mod connection;
mod entry;
mod file;
mod jsonc;
mod merge;
mod server;
mod state;
mod system;

pub use clients::Client;
pub use configuration::Configuration;
pub use connection::Connection;
pub use entry::{EntryProblem, problem};
pub use file::{ConfigFile, ReadError};
pub use jsonc::{EditError, put};
pub use merge::{MergeError, Merged, merge};
pub use server::{PathError, Server, utf8};
pub use state::ClientState;
pub use system::{Location, System};

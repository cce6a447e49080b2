//! The configuration files of MCP clients: the supported clients, the locations of their files on a
//! [system](System), the entries for servers, and merging an entry into a file that users edit by hand.
//!
//! The home directory, the platform and every path are parameters: this crate reads no environment variables
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

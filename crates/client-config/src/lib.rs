//! The configuration files of MCP clients: the supported clients, the locations of their files on a
//! [system](System), the entries for servers, and merging an entry into a file that users edit by hand.
//!
//! The home directory, the platform and every path are parameters: this crate reads no environment variables
//! and prints nothing.

mod action;
mod backup;
mod clients;
mod configuration;
mod connection;
mod diff;
mod edit;
mod entry;
mod file;
mod format;
mod import;
mod inventory;
mod jsonc;
mod place;
mod plan;
mod program;
mod refused;
mod registry;
mod request;
mod server;
mod server_error;
mod slot;
mod state;
mod system;
mod toml;
mod yaml;

pub use action::Action;
pub use backup::{Backup, backups};
pub use clients::{Client, Scope};
pub use configuration::Configuration;
pub use connection::{Connection, Variable};
pub use edit::{EditError, put, remove};
pub use entry::{EntryProblem, problem};
pub use file::{ConfigFile, ReadError};
pub use format::{Format, SyntaxError};
pub use import::{Import, ImportError, Imported, Origin, Skipped};
pub use inventory::Inventory;
pub use place::{Place, Wanted};
pub use plan::{Changed, Plan};
pub use program::Program;
pub use refused::ChangeError;
pub use registry::{Offer, Question, RegistryError, ServerFile, WhyNot};
pub use request::Request;
pub use server::{Server, utf8};
pub use server_error::ServerError;
pub use slot::Slot;
pub use state::ClientState;
pub use system::{Location, System};

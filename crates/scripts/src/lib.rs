//! Serves a folder of scripts as an MCP server: finds, describes, validates, runs and watches its entries.
//!
//! Invariant: no file is executed to find out what it is, and this crate does not know HTTP.

pub mod author;
pub mod folder;
#[doc(hidden)]
pub mod fuzzing;
pub mod host;
mod mount;
#[doc(hidden)]
pub mod os;
mod run;
pub mod sandbox;
pub mod sdk;
mod serve;
mod trust;
mod uri;
#[cfg_attr(not(unix), path = "watch/unsupported.rs")]
pub mod watch;
mod worker;

pub use run::watchdog::{NotWatched, watch as watch_over};
pub use serve::{
    CallerVariables, Conventions, Fetch, Fetched, Folder, Hosts, NotFetched, OpenError, Options,
    ServerFiles,
};

//! The rules of the gateway, without IO: what its configuration says, how tools of several servers are named, how their
//! lists become one, which server a request goes to, and whether it may.

mod alias;
pub mod audit;
mod breaker;
mod canonical;
pub mod config;
mod digest;
mod discover;
mod glob;
mod hash;
mod list;
mod names;
pub mod pins;
pub mod policy;
mod table;
pub mod uris;

pub use alias::{Alias, AliasError};
pub use breaker::Breaker;
pub use config::{ConfigErrors, GatewayConfig};
pub use digest::Digest;
pub use discover::{Described, merged as merged_discovery};
pub use glob::Glob;
pub use list::{Item, ListKind, ListReader, ListTooLong, ServerList};
pub use names::{LEAST_NAME_LIMIT, NAME_LIMIT, Naming, Prefix, SEPARATOR};
pub use policy::{Access, Decision, Limits, NoView, Policy, Sender, View};
pub use table::{Entry, Part, Table};

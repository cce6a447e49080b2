//! The gateway: several servers behind one front. The rules are those of `linkspan-gateway`; this crate has the
//! connections, the tasks and the files.
//!
//! A [`Gateway`] is the server of a bridge: every request of a client reaches [`Gateway`] on its own
//! (`linkspan_bridge::RequestService`), and goes on to one server, or is answered from what is known of several.

mod asked;
mod asking;
mod audit_file;
mod audit_sink;
mod audited;
mod build;
mod change;
mod config_file;
mod confirm;
mod fetch;
mod file;
mod gateway;
mod known;
mod listen;
mod listing;
mod open;
mod outcome;
mod permit;
mod pinning;
mod pins_file;
mod relay;
mod saved;
mod scope;
mod seen;
mod set;
mod slots;
mod tables;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod upstream;
mod visible;

pub use audit_file::{AuditFile, AuditFileError, VerifyError, now, verify_file};
pub use build::{GatewayOptions, NotOpened};
pub use config_file::{ConfigFile, ConfigFileError};
pub use gateway::{Gateway, GatewayFiles};
pub use open::{OpenError, Opening, input_variable};
pub use pins_file::{PinStore, PinsFile, PinsFileError};
pub use set::Clients;

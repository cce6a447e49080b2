//! The files of the gateway: pins, and the audit log.

mod audit_file;
mod audit_sink;
mod file;
mod pins_file;

pub use audit_file::{AuditFile, AuditFileError, VerifyError, now, verify_file};
pub use pins_file::{PinStore, PinsFile, PinsFileError};

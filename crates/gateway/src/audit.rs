//! The audit log: a line of JSON for each call, each with the digest of the line before it.

mod call;
mod chain;
mod shape;

pub use call::{Call, Outcome, Subject};
pub use chain::{AuditLine, Broken, Chain, LONGEST_LINE, Verified, Verifier, WhyBroken, verify};

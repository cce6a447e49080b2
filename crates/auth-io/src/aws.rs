//! Signs the requests of a port for AWS (SigV4), with keys from where the AWS command line has them.

mod container;
mod environment;
mod error;
mod process;
mod signer;
#[cfg(test)]
mod tests;

pub use environment::{AwsEnvironment, AwsFlags};
pub use error::AwsError;
pub use signer::{AwsSigner, sign_for_aws};

//! A protected resource: verifies the credentials of requests, and fetches what it needs for that.

mod files;
mod introspector;
mod issuer;
mod key_file;
mod options;
mod settings;
mod verifier;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use linkspan_auth::Timestamp;

pub use files::read_trusted;
pub use key_file::{KeyFile, KeyFileError};
pub use options::{KeySource, ResourceOptions, TrustedIssuer};
pub use settings::{JwksSetting, ResourceSettings, SettingsError};
pub use verifier::{SetupError, Verifier};

/// Says what time it is.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

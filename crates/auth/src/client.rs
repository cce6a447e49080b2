//! The client's side of OAuth 2.1: from a challenge to tokens.
//!
//! [`SignIn`] is the machine: it says what to send, what to show the user and when it is done. [`Refresh`] renews
//! tokens. Everything else is a step of these two, each with its own checks.

mod assertion;
mod authorize;
mod client_metadata;
mod demand;
mod device;
mod dpop;
mod error;
mod options;
mod refresh;
mod registration;
mod resource_metadata;
mod revocation;
mod scope;
mod server_metadata;
mod sign_in;
mod token;

pub use authorize::Authorize;
pub use client_metadata::client_metadata;
pub use demand::Demand;
pub use device::DeviceCode;
pub use dpop::DpopKey;
pub use error::SignInError;
pub use options::{CALLBACK_PATH, ClientOptions, DpopMode, GivenClient, Grant, Idp};
pub use refresh::{Refresh, Refreshed};
pub use revocation::revocation;
pub use scope::union;
pub use server_metadata::safe_url;
pub(crate) use server_metadata::same_issuer;
pub use sign_in::{Action, Found, Granted, Input, SignIn};

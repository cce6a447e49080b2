//! The checks of a protected resource: who sends a request, and what it may do.
//!
//! Everything here is a function of values and a time. [`UnverifiedToken`] and [`check`] judge a JWT, [`IssuerKeys`]
//! says when the keys of an issuer have to be fetched, [`Introspection`] asks about opaque tokens, [`ApiKeys`] knows
//! fixed keys, [`dpop`] judges proofs of possession, and [`Challenger`] turns a refusal into `WWW-Authenticate`.

mod address;
mod api_keys;
mod challenger;
mod claims;
mod discovery;
pub mod dpop;
mod expiring;
mod forwarded;
mod id_token;
mod identity;
mod introspection;
mod issuer_keys;
mod key_fetch;
mod metadata;
mod policy;
mod presented;
mod scopes;
mod token;
mod token_error;
mod tool_scopes;

#[cfg(test)]
mod testing;

pub use address::{PublicUrl, PublicUrlError};
pub use api_keys::{ApiKeys, ApiKeysError};
pub use challenger::{Challenger, Denied};
pub use claims::CLOCK_SKEW;
pub use expiring::{Digest, Expiring, digest};
pub use forwarded::{FORWARDED_IDENTITY, IdentitySigner};
pub use identity::{API_KEYS, Identity};
pub use introspection::{Introspection, IntrospectionError};
pub use issuer_keys::IssuerKeys;
pub use key_fetch::{FetchedKeys, KeyFetch, KeysError, Progress, Unanswered};
pub use metadata::{ResourceMetadata, WELL_KNOWN};
pub use policy::{DpopMode, IssuerError, Policy, check_issuer};
pub use presented::{Presented, Scheme};
pub use scopes::{ScopeError, parse_scopes};
pub use token::{UnverifiedToken, Verified, check};
pub use token_error::TokenError;
pub use tool_scopes::{ToolScopeError, ToolScopes};

//! Signed tokens: JWS algorithms, keys (JWK), JWTs.

mod algorithm;
mod jwk;
mod jwt;
mod signing;

pub use algorithm::Algorithm;
pub use jwk::{Jwk, JwkSet};
pub use jwt::{Jwt, NotJwt};
pub use signing::{KeyError, SigningKey};

//! Requests to AWS: which service and region a host belongs to, signatures (SigV4), profiles and credentials.

mod credentials;
mod host;
mod profile;
mod sigv4;

pub use credentials::{AwsCredentials, AwsCredentialsError};
pub use host::scope_of_host;
pub use profile::{AwsProfile, AwsProfiles, AwsSource};
pub use sigv4::{AwsScope, Signable, SignedHeader};

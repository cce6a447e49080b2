//! Sign-ins of mcp-remote, so that its users do not have to sign in again.
//!
//! mcp-remote 0.15 writes `~/.mcp-auth/mcp-remote-v1/HASH_tokens.json` and `HASH_client_info.json`; version 0.1 wrote
//! the same files to `mcp-remote-VERSION`. HASH is an MD5 of the server's URL and of some flags, and the files do not
//! name the server, so that it is found by URL only.

mod files;
mod lookup;

use std::path::PathBuf;

use url::Url;

pub use files::{find, list};
pub use lookup::Lookup;

use super::record::{Record, Registration, Status, Tokens};
use crate::Timestamp;
use crate::client::{Found, same_issuer};

/// A sign-in of another program, as far as its files tell. Discovery tells the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The hash in the file names.
    pub name: String,
    /// The server, if one of the lookups fits.
    pub server: Option<Url>,
    /// The issuer, if it was noted. Version 0.1 did not do so.
    pub issuer: Option<String>,
    /// The client, unless it was given on the command line of mcp-remote.
    pub client: Option<Registration>,
    /// The tokens.
    pub tokens: Option<Tokens>,
    /// The scopes that were asked for.
    pub requested: Vec<String>,
}

impl Imported {
    /// A record with generation 0, to be written, with what discovery has found.
    pub fn into_record(
        self,
        server: &Url,
        found: Found,
        now: Timestamp,
    ) -> Result<Record, ImportError> {
        if let Some(noted) = self.issuer
            && !same_issuer(&noted, &found.issuer)
        {
            return Err(ImportError::OtherIssuer {
                noted,
                found: found.issuer,
            });
        }
        // A client that was given to mcp-remote is not in its files.
        let client = self.client.or(found.client).ok_or(ImportError::NoClient)?;
        Ok(Record {
            generation: 0,
            server: server.to_string(),
            issuer: found.issuer,
            resource: found.resource,
            status: Status::Active,
            client,
            tokens: Some(self.tokens.ok_or(ImportError::NoTokens)?),
            requested: self.requested,
            metadata: Some(found.metadata),
            dpop_key: None,
            written: now,
            signed_in: None,
        })
    }
}

/// Why sign-ins cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file or folder that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The authorization server has changed.
    #[error("the tokens are of {noted}, and the server belongs to {found} now")]
    OtherIssuer {
        /// The issuer in the files.
        noted: String,
        /// That of the server.
        found: String,
    },
    /// mcp-remote was given its client on the command line.
    #[error("the files of mcp-remote name no client")]
    NoClient,
    /// The sign-in was begun and not finished.
    #[error("the files of mcp-remote have no tokens")]
    NoTokens,
    /// A file that is not what mcp-remote writes.
    #[error("{} is not a file of mcp-remote", path.display())]
    Format {
        /// Which one.
        path: PathBuf,
    },
}

#[cfg(test)]
mod tests;

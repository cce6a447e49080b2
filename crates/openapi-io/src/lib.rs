//! The server of an OpenAPI document as an MCP server: reads or fetches the document, answers `tools/list`, and sends a
//! request for each call.
//!
//! Requests go to one origin, with the credentials of the caller; redirects stay on it. Time, sizes and the number of
//! requests at once are bounded. [`OpenApiServer::backend`] is a server for `linkspan-bridge`.

mod error;
mod exchange;
mod fetch;
mod handler;
mod notices;
mod open;
mod server;

pub use error::OpenError;
pub use open::OpenOptions;
pub use server::OpenApiServer;

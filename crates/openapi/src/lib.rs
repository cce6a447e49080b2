//! OpenAPI documents as tools, without IO.
//!
//! [`Api::read`] makes one [`Operation`] of each operation of a document (OpenAPI 3.0 and 3.1, Swagger 2.0). An
//! operation has the definition of its tool, makes a [`Request`] of the arguments of a call, and a tool result of the
//! response. What sends the request is the caller's business.
//!
//! A document is text of another party. It is bounded in size, in operations and in the work that its references cause;
//! references to other documents are refused.

mod api;
mod argument;
mod arguments;
mod body;
mod clipped;
mod content;
mod document;
mod encode;
mod error;
mod file;
mod filter;
mod instructions;
mod keyword;
mod multipart;
mod names;
mod object;
mod operation;
mod options;
mod output;
mod payload;
mod reader;
mod request;
mod request_error;
mod response;
mod schema;
mod schema_type;
mod security;
mod server;
mod template;
mod tool;
mod value;
mod view;

pub use api::Api;
pub use document::DOCUMENT_LIMIT;
pub use error::OpenApiError;
pub use operation::Operation;
pub use options::{Credentials, ReadOptions};
pub use request::Request;
pub use request_error::RequestError;
pub use response::Response;
pub use security::Scheme;

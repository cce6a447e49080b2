//! Checks of input against its declaration: whether a value fits its JSON Schema, and the known name that is closest
//! to a misspelt one.
//!
//! Both sides of a call use it: the server before it runs a tool, the client before it sends the call.

mod nearest;
mod schema;

pub use nearest::nearest;
pub use schema::{Schema, SchemaError};

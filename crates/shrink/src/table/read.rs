//! Decodes tables: the line of columns, and the cells of rows.

mod cursor;
mod head;
mod name;
mod resolve;
mod row;
mod spec;

pub(crate) use cursor::{Cursor, Wrong, ends_nested};
pub(crate) use head::{Field, Head};
pub(crate) use row::{Found, Repeats, Scope, literal, split};

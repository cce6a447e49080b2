//! The commands: arguments, a library, and printing.

pub(crate) mod bcp;
pub(crate) mod shrink;

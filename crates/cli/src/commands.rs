//! The commands: arguments, a library, and printing.

pub(crate) mod bcp;
pub(crate) mod config;
pub(crate) mod shrink;

//! The commands: arguments, a library, and printing.

pub(crate) mod agent;
pub(crate) mod bcp;
pub(crate) mod conduct;
pub(crate) mod mcp;
pub(crate) mod try_out;

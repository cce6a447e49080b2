//! The commands, one file each: arguments, and what is done with them.

pub(crate) mod agent;
pub(crate) mod conduct;
pub(crate) mod mcp;
pub(crate) mod try_out;

//! The difference between two files, block by block.

pub mod compare;

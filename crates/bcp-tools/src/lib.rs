//! What the `bcp` commands and the BCP reader server do with files.

pub mod detect;
pub mod diff;
pub mod listing;
pub mod patch;
pub mod to_json;
pub mod tools;

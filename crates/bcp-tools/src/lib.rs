//! What the `bcp` commands and the BCP reader server do with files.

pub mod detect;
/// The difference between two files, block by block.
pub mod diff {
    pub mod compare;
}
pub mod listing;
pub mod patch;
pub mod to_json;
pub mod tools;

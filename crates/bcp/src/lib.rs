//! Bit Context Protocol: the context of a model as typed blocks in a compact file.
//!
//! A file is a header and a run of blocks ([`frame`]). A block has a type, an optional summary, and fields
//! ([`block`]). [`Writer`] writes the same bytes as the reference implementation; [`Reader`] reads from a
//! stream and [`Blocks`] from memory, both within [`Limits`] that no file can exceed. [`render`] turns blocks
//! into text for a model, optionally within a token budget.

mod apart;
pub mod block;
mod blocks;
mod bodies;
mod body;
mod budget;
mod deflate;
mod error;
pub mod frame;
mod hunks;
mod limits;
pub mod manifest;
mod names;
mod reader;
pub mod render;
mod show;
mod source;
mod store;
mod tlv;
mod tree;
mod varint;
mod writer;

pub use block::{Block, Content};
pub use blocks::Blocks;
pub use bodies::{Hash, Keep, hash};
pub use budget::Tokenizer;
pub use error::{Error, Reason, Within};
pub use frame::{Frame, Head, Header};
pub use hunks::{Hunk, Hunks};
pub use limits::Limits;
pub use names::{
    AnnotationKind, DataFormat, DocFormat, EntryKind, Kind, Lang, Media, Priority, Role, Status,
};
pub use reader::{ReadOptions, Reader};
pub use show::{Failed, Report, Show, Verbosity, Watch};
pub use source::{Document, Input, Source};
pub use store::{FolderStore, Store};
pub use tree::{Entries, Entry, Step, TooDeep, TreeBuilder};
pub use writer::{WriteOptions, Writer, Written, compress_payload};

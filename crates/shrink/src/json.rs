//! JSON with the names of members written once.

mod bare;
mod build;
mod decode;
mod encode;
mod layout;
mod merge;
mod names;
mod parse;
mod same;
mod scan;
#[cfg(test)]
mod tests;

use crate::kind::Kind;
use crate::rendering::Rendering;

pub(crate) use layout::Layout;
pub(crate) use same::same;

pub(crate) const RENDERING: Rendering = Rendering {
    word: "json",
    kinds: &[Kind::Json, Kind::Ndjson],
    encode: encode::encode,
    decode: decode::decode,
};

/// The longest JSON that a body of `body` bytes may decode to. Without a limit, columns that are written once could
/// expand to any length.
fn most(body: usize) -> usize {
    body.saturating_mul(100).saturating_add(1 << 20)
}

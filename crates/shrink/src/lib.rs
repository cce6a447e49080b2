//! Renders text in fewer tokens, and decodes it.
//!
//! ```text
//! text ─► detect: regions ─► a rendering for each kind ─► pack: one text ─► check: smaller? the same? ─► text
//! ```
//!
//! Every rendering has an inverse. Invariant: this crate uses no network, files or clock; a text is only replaced by
//! one that was decoded to the original and has fewer tokens.

mod blocks;
mod context;
mod detect;
mod diff;
mod edge;
mod grep;
mod json;
mod kind;
mod lexeme;
mod log;
mod lossy;
pub mod marks;
mod numbered;
mod outline;
mod pack;
mod policy;
mod rendering;
mod result;
mod sheet;
mod shrinking;
mod table;
mod text;
mod tree;

pub use blocks::{Unreadable, blocks, document, original, render};
pub use context::{Context, Level, Stop};
pub use detect::{Region, detect, line_numbers};
pub use kind::Kind;
pub use lossy::{Lossy, UnknownLossy};
pub use outline::outline;
pub use pack::decode;
pub use policy::{Keep, Policy, Structured};
pub use rendering::{Malformed, Rendered};
pub use result::{META, Report, Rewritten, rewrite};
pub use shrinking::{Kept, LossyRendering, Shrunk, Thresholds, check, shrink};
pub use text::{Found, Tried, Worked, try_text};

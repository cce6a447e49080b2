//! Lists of tools in fewer tokens: shorter definitions under the same names, details on demand, and calls that are
//! answered with the full signature if their arguments do not fit.
//!
//! The rules are text in, text out: [`Level`] shortens one definition, [`signature`] writes it as compact text,
//! [`Costs`] counts. [`ToolLists`] makes the layer of a session, which is in front of the translation between eras and
//! so works with every server.

mod arguments;
mod choose;
mod clients;
mod cost;
mod factory;
#[doc(hidden)]
pub mod fuzzing;
mod layer;
mod level;
mod list;
mod options;
mod outline;
mod own;
mod pages;
mod plan;
mod refs;
mod search;
mod sentence;
mod signature;

pub use cost::Costs;
pub use factory::{ToolLists, ToolListsByClient};
pub use level::Level;
pub use options::{BUDGET, Choice, ToolListOptions, UnknownChoice};
pub use signature::signature;

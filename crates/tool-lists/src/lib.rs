//! Lists of tools in fewer tokens: shorter definitions under the same names, details on demand, and calls that are
//! answered with the full signature if their arguments do not fit.
//!
//! The rules are text in, text out: [`Level`] shortens one definition, [`signature`] writes it as compact text,
//! [`Costs`] counts.

mod cost;
mod level;
mod outline;
mod refs;
mod sentence;
mod signature;

pub use cost::Costs;
pub use level::Level;
pub use signature::signature;

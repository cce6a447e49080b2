//! An HTTP listener as the front of many sessions.

mod house;

pub use house::{Answering, Guest, House, Principal};

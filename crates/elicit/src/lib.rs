//! Asks the user of this machine what a server wants to know, for clients that cannot ask (elicitation).
//!
//! [`Elicit`] makes a layer on the client's side of a bridge. It declares the capability towards the server, answers
//! the server's questions itself, and repeats requests of 2026-07-28 with the answers. An [`Asker`] shows a page on a
//! listener that only this machine reaches, or uses a terminal. No question is ever accepted without the user.

mod asker;
mod capability;
mod factory;
mod form;
mod html;
mod layer;
mod page;
mod place;
mod terminal;
#[cfg(test)]
mod tests;

pub use asker::{Asker, OpenPage};
pub use factory::Elicit;
pub use place::{Place, PlaceError};
pub use terminal::at_terminal;

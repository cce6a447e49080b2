//! The behaviour of a whole gateway, with servers in memory.

mod failing;
mod lists;
mod principals;
mod subscriptions;

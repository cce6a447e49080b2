//! The behaviour of a whole gateway, with servers in memory.

mod auditing;
mod confirming;
mod failing;
mod lists;
mod pins;
mod policy;
mod principals;
mod reloading;
mod subscriptions;

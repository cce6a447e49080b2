//! A session: one task that joins two ports through an ordered list of layers.
//!
//! ```text
//!            ┌──────────────── session task (owns everything, locks nothing) ────────────────┐
//!  client ─► port ─► layer ─► layer ─► … ─► exchange (hop ids) ─► outbox ─► port ─► server
//!         ◄─      ◄─                                                      ◄─      ◄─
//!            └───────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! The rules are in [`Core`], which does no IO and gets the time from its caller; [`Session`] moves envelopes between
//! it and the ports. Invariant: this crate knows nothing of HTTP or processes.

mod batch;
mod budget;
mod clock;
mod config;
mod core;
mod era;
mod exchange;
mod fault;
mod hub;
mod lane;
mod layer;
mod outbox;
mod pending;
mod port;
mod task;

pub use self::core::{Core, Detour, Resume};
pub use budget::{Budget, Credit, Pool};
pub use clock::{now, sleep_until};
pub use config::Config;
pub use era::EraLayer;
pub use exchange::{Asked, Exchange, Side};
pub use fault::{Fault, Refused};
pub use hub::{Asker, Asking, Guard, Hub};
pub use lane::{LaneKey, Lanes, Owner};
pub use layer::{Later, Layer, Verdict, Way};
pub use outbox::Outbox;
pub use pending::{Pending, Question};
pub use port::{Envelope, Inbound, Outbound, Port, PortEnd};
pub use task::{Ended, Session};

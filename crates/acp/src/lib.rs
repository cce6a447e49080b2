//! ACP: the conductor of a chain of proxies and an agent, and MCP servers provided by components of the
//! chain.
//!
//! An editor speaks ACP to an agent; proxies are between them. Invariant: this crate uses messages and ports,
//! and neither processes nor sockets.

mod bridge;
mod caps;
pub mod carrier;
mod chain;
pub mod client;
mod conductor;
mod dialect;
mod envelope;
mod error;
mod flow;
mod names;
mod plan;
mod questions;
mod servers;
mod trace;

pub use bridge::{ChainHandle, DeclarationId, Joining, McpBridge, Offer, Provider};
pub use chain::{BreakReason, Chain, ChainBroken, StartError};
pub use conductor::{ChainEnded, Conductor};
pub use dialect::Dialect;
pub use plan::{Node, PartPlan, Plan};
pub use trace::{Passing, Tracer};

//! What linkspan does in the place of clients that lack it.

use std::time::Duration;

use clap::Args;
use linkspan_bridge::{Bridge, LongCallOptions, LongCalls};

use super::seconds;
use crate::front::limit;

// For commands that serve clients.
#[derive(Debug, Args, Clone)]
pub(crate) struct ClientArgs {
    /// Keep calls that take longer than clients wait; their results come from the tool `wait_for`
    #[arg(long)]
    pub(crate) long_calls: bool,
    /// Answer a call after this long with a handle; 0 never does, and only sends progress
    #[arg(long, value_name = "SECONDS", default_value = "50", value_parser = seconds, hide_short_help = true)]
    pub(crate) patience: Duration,
}

impl ClientArgs {
    /// The bridge with these layers, on the client's side of all others.
    pub(crate) fn add_to(&self, bridge: Bridge) -> Bridge {
        if !self.long_calls {
            return bridge;
        }
        let patience = limit(self.patience);
        bridge.client_layer(LongCalls::new(LongCallOptions { patience }))
    }
}

//! What linkspan does in the place of clients that lack it.

use std::net::IpAddr;
use std::time::Duration;

use linkspan_bridge::{Bridge, LongCallOptions, LongCalls};
use linkspan_elicit::Place;

use crate::args::{ToolListArgs, seconds};
use crate::environment::can_show_browser;
use crate::exit::Failure;
use crate::front::limit;
use crate::sign_in::open_browser;

#[derive(Debug, clap::Args, Clone)]
pub(crate) struct ClientArgs {
    /// Keep calls that take longer than clients wait, for the tool `wait_for`
    #[arg(long)]
    long_calls: bool,
    /// Answer a call after this long with a handle; 0 only sends progress
    #[arg(long, value_name = "SECONDS", default_value = "50", value_parser = seconds, hide_short_help = true)]
    patience: Duration,
    /// Ask the user of this machine if the client cannot: page, terminal, off
    #[arg(long, value_name = "WHERE", num_args = 0..=1, require_equals = true,
        default_value = "off", hide_default_value = true, default_missing_value = "page")]
    elicit: Place,
    #[command(flatten)]
    pub(crate) tools: ToolListArgs,
}

impl ClientArgs {
    /// The bridge with these layers, on the client's side of all others. Clients connect to `host`, or are on stdin.
    pub(crate) fn add_to(&self, bridge: Bridge, host: Option<IpAddr>) -> Result<Bridge, Failure> {
        let open = |url: &str| can_show_browser() && open_browser(url);
        let bridge = self.elicit.add_to(bridge, host, open)?;
        let patience = limit(self.patience);
        let bridge = match self.long_calls {
            true => bridge.client_layer(LongCalls::new(LongCallOptions { patience })),
            false => bridge,
        };
        Ok(self.tools.add_to(bridge))
    }
}

//! `--tools`: lists of tools in fewer tokens.

use clap::Args;
use linkspan_bridge::Bridge;
use linkspan_gateway::config::ToolLevel;
use linkspan_gateway_io::Gateway;
use linkspan_tool_lists::{
    BUDGET, Choice, ToolListOptions, ToolLists, ToolListsByClient, UnknownChoice,
};

use crate::value_words::{Words, tokens};

const CHOICES: Words<Choice> = Words {
    parse: |word| word.parse().map_err(|why: UnknownChoice| why.to_string()),
    names: || Choice::ALL.map(Choice::name).to_vec(),
};

// What clients get of the definitions of tools.
#[derive(Debug, Args, Clone, Copy)]
pub(crate) struct ToolListArgs {
    /// Shorter list of tools: brief, thin, auto, search
    #[arg(long, value_name = "LEVEL", value_parser = CHOICES, hide_possible_values = true)]
    pub(crate) tools: Option<Choice>,
    /// Most tokens of --tools auto [default: 8000]
    #[arg(long, value_name = "N", value_parser = tokens, hide_short_help = true)]
    pub(crate) tools_budget: Option<u64>,
    /// Leave out the output schemas of tools
    #[arg(long, hide_short_help = true)]
    pub(crate) drop_output_schema: bool,
}

impl ToolListArgs {
    /// What clients get: by default the server's own definitions, and with a budget what fits.
    pub(crate) fn options(&self) -> ToolListOptions {
        let unnamed = self.tools_budget.map_or(Choice::Full, |_| Choice::Auto);
        ToolListOptions {
            choice: self.tools.unwrap_or(unnamed),
            budget: self.tools_budget.unwrap_or(BUDGET),
            drop_output_schema: self.drop_output_schema,
        }
    }

    /// The bridge of a gateway with such a layer, as its configuration says where no flag does.
    pub(crate) fn add_as_configured(&self, bridge: Bridge, gateway: Gateway) -> Bridge {
        if self.tools.is_some() || self.tools_budget.is_some() {
            return bridge;
        }
        let drop_output_schema = self.drop_output_schema;
        bridge.client_layer(ToolListsByClient::new(move |principal| {
            let (level, budget) = gateway.tools_of(principal);
            ToolListOptions {
                choice: match level {
                    ToolLevel::Full => Choice::Full,
                    ToolLevel::Brief => Choice::Brief,
                    ToolLevel::Thin => Choice::Thin,
                    ToolLevel::Auto => Choice::Auto,
                },
                budget: budget.map_or(BUDGET, |budget| budget as u64),
                drop_output_schema,
            }
        }))
    }

    /// The bridge with a layer that shortens lists, on the client's side of all others.
    pub(crate) fn add_to(&self, bridge: Bridge) -> Bridge {
        ToolLists::add_to(self.options(), bridge)
    }
}

//! `--shrink`, and the values that it shares with `linkspan shrink`.

use clap::{Args, ValueEnum};
use linkspan_bridge::Bridge;
use linkspan_shrink::{Level, Policy, Thresholds};
use linkspan_shrink_layer::{Options, Shrink, default_confidence, default_render};

use crate::environment::{stats_file, variable};
use crate::exit::Failure;

// `--shrink` of commands that serve or call.
#[derive(Debug, Args, Clone, Copy)]
pub(crate) struct ShrinkFlag {
    /// Shorten tool results without loss; see `linkspan shrink`
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "max"
    )]
    pub(crate) shrink: Option<LevelArg>,
}

impl ShrinkFlag {
    /// How texts are shortened, if `--shrink` is given.
    pub(crate) fn policy(self) -> Result<Option<Policy>, Failure> {
        let Some(level) = self.shrink else {
            return Ok(None);
        };
        Ok(Some(Policy {
            thresholds: Thresholds {
                confidence: default_confidence(variable)?,
                ..Thresholds::default()
            },
            level: level.into(),
            render: default_render(variable)?,
            ..Policy::default()
        }))
    }

    /// The bridge with the shrink layer, if `--shrink` is given. The list of tools stays the server's own.
    pub(crate) fn add_to(self, bridge: Bridge) -> Result<Bridge, Failure> {
        let Some(policy) = self.policy()? else {
            return Ok(bridge);
        };
        let options = Options {
            stats: stats_file(),
            ..Options::new(policy)
        };
        Ok(bridge.layer(Shrink::new(options)?))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelArg {
    /// Only well-known formats
    Safe,
    /// Also merge common prefixes of columns and paths
    Balanced,
    /// Also drop columns that follow from others, nest tables, merge file extensions
    Max,
}

impl From<LevelArg> for Level {
    fn from(arg: LevelArg) -> Self {
        match arg {
            LevelArg::Safe => Self::Safe,
            LevelArg::Balanced => Self::Balanced,
            LevelArg::Max => Self::Max,
        }
    }
}

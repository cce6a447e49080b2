//! The language of a new script.

use clap::ValueEnum;
use linkspan_scripts::author::Lang;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LangArg {
    /// A shell script for Bash 3.2 or newer
    Bash,
    /// Python 3
    Python,
    /// JavaScript for Node
    Node,
}

impl From<LangArg> for Lang {
    fn from(arg: LangArg) -> Self {
        match arg {
            LangArg::Bash => Self::Bash,
            LangArg::Python => Self::Python,
            LangArg::Node => Self::Node,
        }
    }
}

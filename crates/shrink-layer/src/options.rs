//! Options of the layer.

use std::path::PathBuf;
use std::time::Duration;

use linkspan_bcp_tools::Settings;
use linkspan_shrink::{Policy, Structured};

use crate::fetch::JqCommand;
use crate::tool_filter::ToolFilter;

/// Options of the layer.
#[derive(Debug, Clone)]
pub struct Options {
    /// How a text is shortened.
    pub policy: Policy,
    /// Rules for `structuredContent`; the last rule whose filter matches the tool applies.
    pub structured: Vec<(ToolFilter, StructuredRule)>,
    /// The tools whose results are shortened.
    pub tools: ToolFilter,
    /// A result that takes longer passes unchanged.
    pub time_box: Duration,
    /// Measure only; every result passes unchanged.
    pub shadow: bool,
    /// Replace a text that was already sent in this session by a reference to it.
    pub dedup: bool,
    /// The BCP tools that are added to the server's own; `None` adds none.
    pub bcp_tools: Option<OwnTools>,
    /// Add `bcp_fetch`, with this command for its filters.
    pub fetch: Option<JqCommand>,
    /// The folder for originals.
    pub store: Option<PathBuf>,
    /// The file for statistics.
    pub stats: Option<PathBuf>,
}

impl Options {
    /// Shortens the results of every tool, adds no tools and writes no statistics.
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            structured: vec![(ToolFilter::all(), StructuredRule::ByClient)],
            tools: ToolFilter::all(),
            time_box: Duration::from_millis(500),
            shadow: false,
            dedup: false,
            bcp_tools: None,
            fetch: None,
            store: None,
            stats: None,
        }
    }
}

/// The BCP tools that the layer adds.
#[derive(Debug, Clone)]
pub struct OwnTools {
    /// Where they may read and write; the current folder if empty.
    pub roots: Vec<PathBuf>,
    /// Settings of the reader.
    pub settings: Settings,
    /// The folder for temporary files.
    pub temp: PathBuf,
}

/// How `structuredContent` that repeats the text is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructuredRule {
    /// Depends on the client.
    ByClient,
    /// The same for every client.
    Always(Structured),
}

/// A rule that names none of the ways to handle `structuredContent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it must be auto, keep, mirror or drop, or TOOL=drop and so on")]
pub struct UnknownRule;

impl StructuredRule {
    /// Parses `HOW` or `TOOL=HOW`, for example `drop` or `git_*=mirror`.
    pub fn parse_for_tools(text: &str) -> Result<(ToolFilter, Self), UnknownRule> {
        let (tool, how) = text.rsplit_once('=').unwrap_or(("*", text));
        let rule = match how {
            "auto" => Self::ByClient,
            "keep" => Self::Always(Structured::Keep),
            "mirror" => Self::Always(Structured::Mirror),
            "drop" => Self::Always(Structured::Drop),
            _ => return Err(UnknownRule),
        };
        Ok((ToolFilter::only(tool), rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_for_all_tools_or_for_some() {
        let parse = StructuredRule::parse_for_tools;
        assert_eq!(
            parse("drop"),
            Ok((ToolFilter::all(), StructuredRule::Always(Structured::Drop)))
        );
        assert_eq!(
            parse("git_*=auto"),
            Ok((ToolFilter::only("git_*"), StructuredRule::ByClient))
        );
        assert_eq!(parse("git_*"), Err(UnknownRule));
    }
}

//! Kinds of text.

use std::fmt;

/// The kind of text of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// One JSON value.
    Json,
    /// One JSON value on each line.
    Ndjson,
    /// YAML, recognised without parsing.
    Yaml,
    /// TOML, recognised without parsing.
    Toml,
    /// A unified diff, or output of `git show` or `git log -p`.
    Diff,
    /// `path:line:text`, the output of grep and ripgrep.
    Search,
    /// A tree, drawn with branches or indented.
    Tree,
    /// One path per line, or a directory listing.
    Paths,
    /// Code with a number before each line.
    Numbered,
    /// Comma- or tab-separated values.
    Csv,
    /// A Markdown table.
    Markdown,
    /// A table drawn with characters or aligned with spaces.
    Drawn,
    /// Lines that repeat a few patterns, mostly with timestamps.
    Log,
    /// Code: in a fence, or below a line with its path.
    Code,
    /// Base64.
    Base64,
    /// HTML.
    Html,
    /// Anything else.
    Plain,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 17] = [
        Self::Json,
        Self::Ndjson,
        Self::Yaml,
        Self::Toml,
        Self::Diff,
        Self::Search,
        Self::Tree,
        Self::Paths,
        Self::Numbered,
        Self::Csv,
        Self::Markdown,
        Self::Drawn,
        Self::Log,
        Self::Code,
        Self::Base64,
        Self::Html,
        Self::Plain,
    ];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Yaml => "yaml",
            Self::Toml => "toml",
            Self::Diff => "diff",
            Self::Search => "search",
            Self::Tree => "tree",
            Self::Paths => "paths",
            Self::Numbered => "numbered",
            Self::Csv => "csv",
            Self::Markdown => "markdown",
            Self::Drawn => "drawn",
            Self::Log => "log",
            Self::Code => "code",
            Self::Base64 => "base64",
            Self::Html => "html",
            Self::Plain => "plain",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

//! What sort of text a region is.

use std::fmt;

/// What sort of text a region is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// One JSON value.
    Json,
    /// One JSON value on each line.
    Ndjson,
    /// YAML, by its looks.
    Yaml,
    /// TOML, by its looks.
    Toml,
    /// A unified diff, or what `git show` and `git log -p` print.
    Diff,
    /// `path:line:text`, as grep and ripgrep print it.
    Search,
    /// A tree with branches drawn, or indented.
    Tree,
    /// One path on each line, or a listing of folders.
    Paths,
    /// Code with a number before each line.
    Numbered,
    /// Comma- or tab-separated values.
    Csv,
    /// A table as Markdown draws it.
    Markdown,
    /// A table drawn with characters, or held together by spaces.
    Drawn,
    /// Lines that repeat a few patterns, most of them with a time.
    Log,
    /// Code: in a fence, or after the path of its file.
    Code,
    /// Bytes in base64.
    Base64,
    /// HTML.
    Html,
    /// Anything else.
    Plain,
}

impl Kind {
    /// All of them.
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

    /// The word, in lower case.
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

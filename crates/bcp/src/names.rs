//! The vocabularies of the format: bytes in a file, names in text.

/// An enum whose values are single bytes with names.
macro_rules! vocabulary {
    (
        $(#[$about:meta])*
        $type:ident, $what:literal {
            $($(#[$doc:meta])* $variant:ident = $byte:literal, $name:literal $(| $alias:literal)*;)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $type {
            $($(#[$doc])* $variant,)*
        }

        impl $type {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name of the vocabulary in errors.
            pub const WHAT: &'static str = $what;

            /// The byte in a file.
            pub const fn byte(self) -> u8 {
                match self { $(Self::$variant => $byte,)* }
            }

            /// The value of a byte.
            pub const fn from_byte(byte: u8) -> Option<Self> {
                match byte { $($byte => Some(Self::$variant),)* _ => None }
            }

            /// The name, in lower case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The value with this name, in any case.
            pub fn parse(word: &str) -> Option<Self> {
                $(if [$name $(, $alias)*].iter().any(|name| name.eq_ignore_ascii_case(word)) {
                    return Some(Self::$variant);
                })*
                None
            }
        }
    };
}

vocabulary! {
    /// The speaker of a turn.
    Role, "role" {
        /// The system prompt.
        System = 1, "system";
        /// The user.
        User = 2, "user";
        /// The model.
        Assistant = 3, "assistant";
        /// A tool.
        Tool = 4, "tool";
    }
}

vocabulary! {
    /// The outcome of a tool call.
    Status, "status" {
        /// Success.
        Ok = 1, "ok";
        /// Failure.
        Error = 2, "error" | "err";
        /// Timeout.
        Timeout = 3, "timeout";
    }
}

vocabulary! {
    /// The priority of a block when not everything fits.
    #[derive(PartialOrd, Ord)]
    Priority, "priority" {
        /// Always shown in full.
        Critical = 1, "critical";
        /// The first of those that may be shortened.
        High = 2, "high";
        /// The default.
        Normal = 3, "normal";
        /// After blocks of normal priority.
        Low = 4, "low";
        /// Last.
        Background = 5, "background";
    }
}

vocabulary! {
    /// The format of a document.
    DocFormat, "document format" {
        /// Markdown.
        Markdown = 1, "markdown" | "md";
        /// Plain text.
        Plain = 2, "plain" | "text" | "txt";
        /// HTML.
        Html = 3, "html";
    }
}

vocabulary! {
    /// The format of data.
    DataFormat, "data format" {
        /// JSON.
        Json = 1, "json";
        /// YAML.
        Yaml = 2, "yaml" | "yml";
        /// TOML.
        Toml = 3, "toml";
        /// Comma-separated values.
        Csv = 4, "csv";
    }
}

vocabulary! {
    /// The meaning of an annotation.
    AnnotationKind, "annotation kind" {
        /// One byte: the priority of the target.
        Priority = 1, "priority";
        /// A summary of the target.
        Summary = 2, "summary";
        /// A tag.
        Tag = 3, "tag";
    }
}

vocabulary! {
    /// The format of an image.
    Media, "media type" {
        /// PNG.
        Png = 1, "png" | "image/png";
        /// JPEG.
        Jpeg = 2, "jpeg" | "jpg" | "image/jpeg";
        /// GIF.
        Gif = 3, "gif" | "image/gif";
        /// SVG.
        Svg = 4, "svg" | "image/svg+xml";
        /// WebP.
        Webp = 5, "webp" | "image/webp";
    }
}

vocabulary! {
    /// The kind of an entry of a tree.
    EntryKind, "entry kind" {
        /// A file.
        File = 0, "file";
        /// A directory.
        Directory = 1, "directory" | "dir";
    }
}

vocabulary! {
    /// The type of a block; blocks of other types are kept unchanged.
    Kind, "block type" {
        /// Source code.
        Code = 0x01, "code";
        /// A turn of a conversation.
        Conversation = 0x02, "conversation";
        /// Names and sizes of files.
        FileTree = 0x03, "file_tree" | "filetree" | "file-tree";
        /// The output of a tool.
        ToolResult = 0x04, "tool_result" | "toolresult" | "tool-result";
        /// A document.
        Document = 0x05, "document";
        /// Structured data.
        StructuredData = 0x06, "structured_data" | "structureddata" | "structured-data" | "data";
        /// Changes of a file.
        Diff = 0x07, "diff";
        /// An annotation of another block.
        Annotation = 0x08, "annotation";
        /// A reference to a stored vector.
        EmbeddingRef = 0x09, "embedding_ref" | "embeddingref" | "embedding-ref";
        /// An image.
        Image = 0x0A, "image";
        /// A block that other programs define.
        Extension = 0xFE, "extension";
    }
}

/// The byte of the END block.
pub(crate) const END: u8 = 0xFF;

/// A programming language. Bytes without a name are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lang(pub u8);

/// The names by byte, from 1.
const LANGS: [&str; 17] = [
    "rust",
    "typescript",
    "javascript",
    "python",
    "go",
    "java",
    "c",
    "cpp",
    "ruby",
    "shell",
    "sql",
    "html",
    "css",
    "json",
    "yaml",
    "toml",
    "markdown",
];

/// Aliases of the names.
const LANG_ALIASES: [(&str, &str); 9] = [
    ("ts", "typescript"),
    ("js", "javascript"),
    ("py", "python"),
    ("c++", "cpp"),
    ("rb", "ruby"),
    ("sh", "shell"),
    ("bash", "shell"),
    ("yml", "yaml"),
    ("md", "markdown"),
];

impl Lang {
    /// A language without a byte of its own.
    pub const UNKNOWN: Self = Self(0xFF);

    /// The name, if there is one.
    pub fn name(self) -> Option<&'static str> {
        let index = usize::from(self.0).checked_sub(1)?;
        LANGS.get(index).copied()
    }

    /// The language with this name, in any case; unknown for other names.
    pub fn parse(word: &str) -> Self {
        let word = LANG_ALIASES
            .iter()
            .find(|(alias, _)| alias.eq_ignore_ascii_case(word))
            .map_or(word, |(_, name)| name);
        let index = LANGS
            .iter()
            .position(|name| name.eq_ignore_ascii_case(word));
        index.map_or(Self::UNKNOWN, |index| Self(index as u8 + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_byte_is_read_back() {
        for role in Role::ALL {
            assert_eq!(Role::from_byte(role.byte()), Some(*role));
            assert_eq!(Role::parse(role.name()), Some(*role));
        }
        assert_eq!(Role::from_byte(9), None);
    }

    #[test]
    fn words_are_understood_in_any_case_and_by_their_aliases() {
        assert_eq!(Status::parse("ERR"), Some(Status::Error));
        assert_eq!(DataFormat::parse("Yml"), Some(DataFormat::Yaml));
        assert_eq!(Kind::parse("FileTree"), Some(Kind::FileTree));
        assert_eq!(Priority::parse("urgent"), None);
    }

    #[test]
    fn a_language_has_a_byte_or_is_unknown() {
        assert_eq!(Lang::parse("rust"), Lang(1));
        assert_eq!(Lang::parse("C++"), Lang(8));
        assert_eq!(Lang::parse("markdown"), Lang(0x11));
        assert_eq!(Lang::parse("zig"), Lang::UNKNOWN);
        assert_eq!(Lang(0x42).name(), None);
        assert_eq!(Lang(0).name(), None);
    }
}

//! The small vocabularies of the format: numbers on the wire, words for people.

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
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// What one of these is called in an error.
            pub const WHAT: &'static str = $what;

            /// The byte on the wire.
            pub const fn byte(self) -> u8 {
                match self { $(Self::$variant => $byte,)* }
            }

            /// What the byte stands for.
            pub const fn from_byte(byte: u8) -> Option<Self> {
                match byte { $($byte => Some(Self::$variant),)* _ => None }
            }

            /// The word, in lower case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What a person calls it, in any case.
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
    /// Who says something.
    Role, "role" {
        /// The system.
        System = 1, "system";
        /// The person.
        User = 2, "user";
        /// The model.
        Assistant = 3, "assistant";
        /// A tool.
        Tool = 4, "tool";
    }
}

vocabulary! {
    /// How a tool ended.
    Status, "status" {
        /// It worked.
        Ok = 1, "ok";
        /// It failed.
        Error = 2, "error" | "err";
        /// It took too long.
        Timeout = 3, "timeout";
    }
}

vocabulary! {
    /// How much a block matters when not everything fits.
    #[derive(PartialOrd, Ord)]
    Priority, "priority" {
        /// Always shown in full.
        Critical = 1, "critical";
        /// First of those that may be shortened.
        High = 2, "high";
        /// What a block has that says nothing.
        Normal = 3, "normal";
        /// After the normal ones.
        Low = 4, "low";
        /// Last.
        Background = 5, "background";
    }
}

vocabulary! {
    /// What a document is written in.
    DocFormat, "document format" {
        /// Markdown.
        Markdown = 1, "markdown" | "md";
        /// Nothing in particular.
        Plain = 2, "plain" | "text" | "txt";
        /// HTML.
        Html = 3, "html";
    }
}

vocabulary! {
    /// What data is written in.
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
    /// What an annotation says about its target.
    AnnotationKind, "annotation kind" {
        /// One byte: how much it matters.
        Priority = 1, "priority";
        /// A text.
        Summary = 2, "summary";
        /// A word.
        Tag = 3, "tag";
    }
}

vocabulary! {
    /// What an image is.
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
    /// What an entry of a tree is.
    EntryKind, "entry kind" {
        /// A file.
        File = 0, "file";
        /// A directory.
        Directory = 1, "directory" | "dir";
    }
}

vocabulary! {
    /// What kind of block; others than these are kept as they are.
    Kind, "block type" {
        /// Source code.
        Code = 0x01, "code";
        /// A turn of a conversation.
        Conversation = 0x02, "conversation";
        /// Names and sizes of files.
        FileTree = 0x03, "file_tree" | "filetree" | "file-tree";
        /// What a tool said.
        ToolResult = 0x04, "tool_result" | "toolresult" | "tool-result";
        /// A text for people.
        Document = 0x05, "document";
        /// A text for programs.
        StructuredData = 0x06, "structured_data" | "structureddata" | "structured-data" | "data";
        /// What changed in a file.
        Diff = 0x07, "diff";
        /// Something about another block.
        Annotation = 0x08, "annotation";
        /// Where a vector is kept.
        EmbeddingRef = 0x09, "embedding_ref" | "embeddingref" | "embedding-ref";
        /// A picture.
        Image = 0x0A, "image";
        /// Something that others have defined.
        Extension = 0xFE, "extension";
    }
}

/// The byte that ends a file.
pub(crate) const END: u8 = 0xFF;

/// A language of code. Bytes without a name are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Lang(pub u8);

/// By their bytes, from 1.
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

/// What people write for them.
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
    /// No language that has a byte of its own.
    pub const UNKNOWN: Self = Self(0xFF);

    /// The word, if it has one.
    pub fn name(self) -> Option<&'static str> {
        let index = usize::from(self.0).checked_sub(1)?;
        LANGS.get(index).copied()
    }

    /// By name, in upper or lower case; unknown for other words.
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
    fn every_byte_that_has_a_meaning_comes_back() {
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

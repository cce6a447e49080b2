//! Templates of files and their placeholders.

pub(crate) const SERVER: &str = include_str!("templates/server.yaml");
pub(crate) const SERVER_README: &str = include_str!("templates/server.README.md");
pub(crate) const TOOL_META: &str = include_str!("templates/tool.meta.yaml");
pub(crate) const TOOL_README: &str = include_str!("templates/tool.README.md");
pub(crate) const PROMPT: &str = include_str!("templates/prompt.md");
/// Values of the argument `language` of the prompt above.
pub(crate) const LANGUAGES: &str = "bash\njavascript\npython\nrust\n";
pub(crate) const RESOURCE: &str = include_str!("templates/resource.md");
pub(crate) const RESOURCE_META: &str = include_str!("templates/resource.meta.yaml");

/// The language of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lang {
    /// A shell script for Bash 3.2 or newer
    Bash,
    /// Python 3
    Python,
    /// JavaScript for Node
    Node,
}

impl Lang {
    /// All of them, by name, with what they mean.
    pub const NAMED: [(&str, Self, &str); 3] = [
        ("bash", Self::Bash, "A shell script for Bash 3.2 or newer"),
        ("python", Self::Python, "Python 3"),
        ("node", Self::Node, "JavaScript for Node"),
    ];

    /// All languages.
    pub const ALL: [Self; 3] = [Self::Bash, Self::Python, Self::Node];

    /// The file extension of the language.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Bash => "sh",
            Self::Python => "py",
            // An ES module, whatever package.json says.
            Self::Node => "mjs",
        }
    }

    pub(crate) fn tool(self) -> &'static str {
        match self {
            Self::Bash => include_str!("templates/bash/tool"),
            Self::Python => include_str!("templates/python/tool"),
            Self::Node => include_str!("templates/node/tool"),
        }
    }

    pub(crate) fn prompt(self) -> &'static str {
        match self {
            Self::Bash => include_str!("templates/bash/prompt"),
            Self::Python => include_str!("templates/python/prompt"),
            Self::Node => include_str!("templates/node/prompt"),
        }
    }

    pub(crate) fn resource(self) -> &'static str {
        match self {
            Self::Bash => include_str!("templates/bash/resource"),
            Self::Python => include_str!("templates/python/resource"),
            Self::Node => include_str!("templates/node/resource"),
        }
    }

    pub(crate) fn completion(self) -> &'static str {
        match self {
            Self::Bash => include_str!("templates/bash/completion"),
            Self::Python => include_str!("templates/python/completion"),
            Self::Node => include_str!("templates/node/completion"),
        }
    }
}

/// Replaces placeholders. The values are checked names, or derived from them.
pub(crate) fn fill(template: &str, fields: &[(&str, &str)]) -> String {
    let mut text = template.to_owned();
    for (blank, word) in fields {
        text = text.replace(blank, word);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_of_a_template_is_known() {
        let known = ["@NAME@", "@TITLE@", "@META@", "@FILE@", "@MIME@", "@WHAT@"];
        let fields: Vec<_> = known.iter().map(|blank| (*blank, "x")).collect();
        let mut all = vec![
            SERVER,
            SERVER_README,
            TOOL_META,
            TOOL_README,
            PROMPT,
            RESOURCE,
            RESOURCE_META,
        ];
        for lang in Lang::ALL {
            all.extend([
                lang.tool(),
                lang.prompt(),
                lang.resource(),
                lang.completion(),
            ]);
        }
        for template in all {
            let filled = fill(template, &fields);
            assert!(!filled.contains('@'), "{filled}");
        }
    }
}

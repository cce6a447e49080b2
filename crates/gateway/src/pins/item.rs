//! What is pinned of a server.

use std::fmt;

use linkspan_wire::Json;

use crate::canonical::canonical_members;
use crate::list::ListKind;

const TOOL: [&str; 7] = [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "_meta",
];
const PROMPT: [&str; 4] = ["name", "title", "description", "arguments"];

/// A part of a server that reaches the model as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are MCP's own")]
pub enum ItemKind {
    Instructions,
    Tool,
    Prompt,
}

impl ItemKind {
    pub(super) const ALL: [Self; 3] = [Self::Instructions, Self::Tool, Self::Prompt];

    /// The items of a list, if they are pinned.
    pub fn of_list(list: ListKind) -> Option<Self> {
        match list {
            ListKind::Tools => Some(Self::Tool),
            ListKind::Prompts => Some(Self::Prompt),
            ListKind::Resources | ListKind::Templates => None,
        }
    }

    /// The member of the file that has the items of this kind.
    pub(super) fn member(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Tool => "tools",
            Self::Prompt => "prompts",
        }
    }

    /// What is pinned of an item, as canonical text.
    pub(super) fn definition(self, item: Json<'_>) -> String {
        let members: &[&str] = match self {
            Self::Tool => &TOOL,
            Self::Instructions | Self::Prompt => &PROMPT,
        };
        canonical_members(item, members)
    }
}

/// The instructions, a tool or a prompt of a server. Its text is `instructions`, `tool/NAME` or `prompt/NAME`, with the
/// server's own name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemId {
    /// What it is.
    pub kind: ItemKind,
    /// The server's own name for it; empty for the instructions.
    pub name: Box<str>,
}

impl ItemId {
    /// The instructions.
    pub fn instructions() -> Self {
        Self::new(ItemKind::Instructions, "")
    }

    /// A tool or a prompt.
    pub fn new(kind: ItemKind, name: &str) -> Self {
        let name = name.into();
        Self { kind, name }
    }

    /// Reads its text. A name without `tool/` or `prompt/` is that of a tool.
    pub fn parse(text: &str) -> Self {
        if text == "instructions" {
            return Self::instructions();
        }
        match text.strip_prefix("prompt/") {
            Some(name) => Self::new(ItemKind::Prompt, name),
            None => Self::new(ItemKind::Tool, text.strip_prefix("tool/").unwrap_or(text)),
        }
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ItemKind::Instructions => f.write_str("instructions"),
            ItemKind::Tool => write!(f, "tool/{}", self.name),
            ItemKind::Prompt => write!(f, "prompt/{}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_read_from_its_text() {
        for name in ["log", "tool/log", "instructions", "prompt/x"] {
            for kind in [ItemKind::Tool, ItemKind::Prompt] {
                let item = ItemId::new(kind, name);
                assert_eq!(ItemId::parse(&item.to_string()), item);
            }
        }
        let instructions = ItemId::instructions();
        assert_eq!(ItemId::parse(&instructions.to_string()), instructions);
        assert_eq!(ItemId::parse("log"), ItemId::new(ItemKind::Tool, "log"));
    }

    #[test]
    fn members_that_the_model_does_not_see_are_not_pinned() {
        let tool = r#"{"icons":[],"name":"t","execution":{},"_meta":{"b":1,"a":2}}"#;
        assert_eq!(
            ItemKind::Tool.definition(Json::parse(tool).unwrap()),
            r#"{"_meta":{"a":2,"b":1},"name":"t"}"#
        );
    }
}

//! How much of a tool's definition a client gets.

use std::fmt;

use linkspan_wire::{Json, JsonKind, Object, quote};

use crate::outline::outline;
use crate::sentence::first_sentence;

/// How much of a tool's definition a client gets. Its name, annotations and all other members stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The first sentence of the description.
    Thin,
    /// And the names and types of the arguments.
    Brief,
    /// The server's own definition.
    Full,
}

impl Level {
    /// All levels, the longest first.
    pub const ALL: [Self; 3] = [Self::Full, Self::Brief, Self::Thin];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Thin => "thin",
            Self::Brief => "brief",
            Self::Full => "full",
        }
    }

    /// The definition of a tool at this level; `None` if it is the server's own. It is never longer.
    pub fn shorten(self, tool: Json<'_>) -> Option<String> {
        if self == Self::Full {
            return None;
        }
        let mut object = Object::of(Some(tool));
        let mut is_changed = false;
        let description = object.get("description").and_then(|written| {
            let shorter = quote(&first_sentence(&written.as_str()?));
            (shorter.len() < written.text().len()).then_some(shorter)
        });
        let schema = object.get("inputSchema").and_then(|written| {
            let shorter = (written.kind() == JsonKind::Object).then(|| outline(written, self))?;
            (shorter.len() < written.text().len()).then_some(shorter)
        });
        for (key, shorter) in [("description", description), ("inputSchema", schema)] {
            if let Some(shorter) = shorter {
                object = object.with(key, &shorter);
                is_changed = true;
            }
        }
        is_changed.then(|| object.text())
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A tool without its output schema; `None` if it has none.
pub(crate) fn without_output_schema(tool: Json<'_>) -> Option<String> {
    tool.get("outputSchema")?;
    Some(Object::of(Some(tool)).without(&["outputSchema"]).text())
}

#[cfg(test)]
pub(crate) mod tests;

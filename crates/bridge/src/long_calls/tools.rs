//! The tools of the layer, and their names in the list of the server.

use std::collections::HashSet;
use std::sync::LazyLock;

use linkspan_mcp::tool_list::{Edit, Local, PREFIX, edit, name_beside, names};
use linkspan_wire::{Json, Kind, Message, quote};

/// The longest name of a server's tool that is compared with ours, in bytes; no client takes longer ones.
const LONGEST_NAME: usize = 128;

/// The tool that waits for a result.
pub(super) const WAIT_FOR: &str = "wait_for";
/// The tool that lists calls.
pub(super) const RUNNING: &str = "running";

/// The tools as they are listed.
pub(super) static TOOLS: LazyLock<String> = LazyLock::new(|| {
    let wait = "Waits for a call that is still running and returns its result. Use the handle from the answer that \
                said so. May answer that the call is still running; then call it again. To end the call instead, set \
                cancel to true.";
    let running =
        "Lists the calls of this client that are still running or whose results were kept.";
    format!(
        r#"[{{"name":"{WAIT_FOR}","title":"Wait for a call","description":{},"inputSchema":{{"type":"object","properties":{{"call":{{"type":"string","description":"The handle of the call"}},"cancel":{{"type":"boolean","description":"End the call instead of waiting for it","default":false}}}},"required":["call"]}}}},{{"name":"{RUNNING}","title":"Running calls","description":{},"inputSchema":{{"type":"object"}},"annotations":{{"readOnlyHint":true}}}}]"#,
        quote(wait),
        quote(running)
    )
});

/// The tools, for an edit of the server's list.
pub(super) fn locals() -> Vec<Local<'static>> {
    let tools = Json::parse(&TOOLS).ok();
    let tools = tools.into_iter().flat_map(Json::elements);
    let names = [WAIT_FOR, RUNNING].into_iter();
    names
        .zip(tools)
        .map(|(name, json)| Local { name, json })
        .collect()
}

/// Which names the server has taken. Lists arrive page by page, for several clients at once, so names are not removed.
#[derive(Default)]
pub(super) struct Names {
    /// Of the server's tools, those that a tool of ours could have.
    taken: HashSet<String>,
    /// A client has got a whole list, with the tools of the layer.
    is_listed: bool,
}

impl Names {
    /// How many names are remembered.
    #[cfg(test)]
    pub(super) fn taken(&self) -> usize {
        self.taken.len()
    }

    /// A tool of the layer as clients know it.
    pub(super) fn of(&self, tool: &str) -> String {
        name_beside(tool, &self.taken)
    }

    /// Which tool of the layer a name means. A client that has neither seen a list nor a handle (`is_known`) means the
    /// server's tool.
    pub(super) fn own(&self, name: &str, is_known: bool) -> Option<&'static str> {
        let own = [WAIT_FOR, RUNNING].into_iter();
        own.filter(|_| self.is_listed || is_known)
            .find(|own| self.of(own) == name)
    }

    /// A page of the list of tools with those of the layer. Results may come later, so none is promised a schema.
    pub(super) fn add_to(&mut self, answer: &Message) -> Option<Message> {
        let result = answer.body().filter(|_| answer.kind() == Kind::Result)?;
        let names = names(result).into_iter();
        self.taken.extend(names.filter(|name| may_collide(name)));
        // The layer's tools are on the last page, because only then all names are known.
        let is_last = result.get("nextCursor").is_none();
        self.is_listed |= is_last;
        let local = if is_last { locals() } else { Vec::new() };
        let edits = Edit {
            local: &local,
            unpromised: Some(&|_| true),
        };
        let new = edit(result, &self.taken, &edits)?;
        Some(answer.with_value(result, &new))
    }
}

fn may_collide(name: &str) -> bool {
    let plain = name.trim_start_matches(PREFIX);
    name.len() <= LONGEST_NAME && [WAIT_FOR, RUNNING].contains(&plain)
}

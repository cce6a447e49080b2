//! A list of tools as its server sent it, and what clients get of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use linkspan_gateway::{Item, ServerList};
use linkspan_mcp::tool_list::name_beside;
use linkspan_wire::Json;
use parking_lot::Mutex;

use crate::arguments::Judge;
use crate::clients::defers;
use crate::level::{Level, without_output_schema};
use crate::options::{Choice, ToolListOptions};
use crate::own::{OwnTool, definition};
use crate::plan::Plan;

/// Compiled schemas that are kept at once.
const MOST_JUDGES: usize = 256;

/// A list of tools as its server sent it.
#[derive(Debug)]
pub(crate) struct ToolList {
    items: Vec<Item>,
    at: HashMap<Box<str>, usize>,
    options: ToolListOptions,
    plan: Plan,
    own: Vec<(OwnTool, String)>,
    judges: Mutex<HashMap<usize, Option<Arc<Judge>>>>,
    /// Dropped with the list.
    _held: Option<Held>,
}

/// Bytes that are counted while a list is kept.
#[derive(Debug)]
pub(crate) struct Held {
    total: Arc<AtomicUsize>,
    bytes: usize,
}

impl Held {
    /// Counts these bytes; `None` if they are more than the limit leaves.
    pub(crate) fn new(total: &Arc<AtomicUsize>, bytes: usize, most: usize) -> Option<Self> {
        let before = total.fetch_add(bytes, Ordering::Relaxed);
        let held = Self {
            total: total.clone(),
            bytes,
        };
        (before.saturating_add(bytes) <= most).then_some(held)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.total.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl ToolList {
    /// Decides what becomes of a list.
    pub(crate) fn new(list: ServerList, options: ToolListOptions, held: Option<Held>) -> Self {
        let tools: Vec<Json<'_>> = list.items.iter().filter_map(json).collect();
        let plan = Plan::new(&options, &tools);
        let names = || list.items.iter().map(|item| item.own.clone());
        let taken: HashSet<String> = names().map(String::from).collect();
        let own = match &plan {
            Plan::Search => &[OwnTool::Find, OwnTool::Details, OwnTool::Call][..],
            Plan::Levels(levels) if levels.iter().all(|level| *level == Level::Full) => &[],
            Plan::Levels(_) => &[OwnTool::Details],
        };
        let own = own
            .iter()
            .map(|one| (*one, name_beside(one.name(), &taken)));
        Self {
            at: names().zip(0..).collect(),
            own: own.collect(),
            items: list.items,
            options,
            plan,
            judges: Mutex::default(),
            _held: held,
        }
    }

    /// Whether it is the list that a server has sent again.
    pub(crate) fn is_of(&self, list: &ServerList) -> bool {
        self.items == list.items
    }

    /// Bytes of the tools.
    pub(crate) fn bytes(list: &ServerList) -> usize {
        let each = list
            .items
            .iter()
            .map(|item| item.own.len() + item.text.len());
        each.sum()
    }

    /// Whether a client with this name gets the server's own definitions.
    pub(crate) fn is_full_for(&self, client: Option<&str>) -> bool {
        self.options.choice == Choice::Auto && defers(client, self.items.len())
    }

    /// The elements of the list that a client gets; `None` if they are the server's own.
    pub(crate) fn shown(&self, client: Option<&str>) -> Option<Vec<String>> {
        let is_full = self.is_full_for(client);
        let mut is_changed = false;
        let mut shown = Vec::with_capacity(self.items.len() + self.own.len());
        if is_full || self.plan != Plan::Search {
            for (at, tool) in self.items.iter().enumerate() {
                let level = if is_full {
                    Level::Full
                } else {
                    self.plan.level(at)
                };
                let edited = json(tool).and_then(|tool| self.edited(tool, level));
                is_changed |= edited.is_some();
                shown.push(edited.unwrap_or_else(|| tool.text.to_string()));
            }
        }
        if !is_full {
            is_changed |= !self.own.is_empty();
            let own = self.own.iter();
            shown.extend(own.map(|(own, name)| definition(*own, name, self)));
        }
        is_changed.then_some(shown)
    }

    /// A definition at a level.
    fn edited(&self, tool: Json<'_>, level: Level) -> Option<String> {
        edited(tool, level, self.options.drop_output_schema)
    }

    /// The tool of ours that clients know under this name.
    pub(crate) fn own(&self, name: &str) -> Option<OwnTool> {
        let found = self.own.iter().find(|(_, own)| own == name);
        found.map(|(own, _)| *own)
    }

    /// A tool of ours as clients know it.
    pub(crate) fn name_of(&self, own: OwnTool) -> &str {
        let found = self.own.iter().find(|(one, _)| *one == own);
        found.map_or(own.name(), |(_, name)| name)
    }

    /// The options that it was made with.
    pub(crate) fn options(&self) -> &ToolListOptions {
        &self.options
    }

    /// The server's tools.
    pub(crate) fn tools(&self) -> impl Iterator<Item = Json<'_>> {
        self.items.iter().filter_map(json)
    }

    /// The names of the server's tools.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|item| &*item.own)
    }

    /// A tool as its server defines it.
    pub(crate) fn tool(&self, name: &str) -> Option<Json<'_>> {
        json(&self.items[*self.at.get(name)?])
    }

    /// What judges the arguments of a tool that clients do not see in full.
    pub(crate) fn judge(&self, name: &str) -> Option<Arc<Judge>> {
        let at = *self.at.get(name)?;
        if self.plan.level(at) == Level::Full {
            return None;
        }
        let mut judges = self.judges.lock();
        if judges.len() >= MOST_JUDGES {
            judges.clear();
        }
        let new = || {
            let schema = json(&self.items[at])?.get("inputSchema")?;
            Judge::new(schema).map(Arc::new)
        };
        judges.entry(at).or_insert_with(new).clone()
    }
}

/// A definition at a level, perhaps without its output schema; `None` if it is the server's own.
pub(crate) fn edited(tool: Json<'_>, level: Level, drop_output_schema: bool) -> Option<String> {
    let shorter = level.shorten(tool);
    if !drop_output_schema {
        return shorter;
    }
    let tool = shorter
        .as_deref()
        .and_then(|text| Json::parse(text).ok())
        .unwrap_or(tool);
    without_output_schema(tool).or(shorter)
}

fn json(item: &Item) -> Option<Json<'_>> {
    Json::parse(&item.text).ok()
}

#[cfg(test)]
mod tests;

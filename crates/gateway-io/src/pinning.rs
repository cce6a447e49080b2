//! Compares what servers tell with what was accepted, and hides what differs if the configuration asks for that.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use linkspan_gateway::audit::AuditLine;
use linkspan_gateway::config::{NewTools, PinMode};
use linkspan_gateway::pins::{Checked, Pins};
use linkspan_gateway::{ListKind, ServerList};
use linkspan_wire::{Json, Object, escape_line};
use parking_lot::Mutex;

use crate::audit_file::{AuditFile, now};
use crate::fetch::Description;
use crate::pins_file::PinStore;

/// Differences that are logged in the life of a process.
const MOST_TOLD: usize = 10_000;

/// The pins of the gateway. Clones share them.
#[derive(Clone)]
pub(crate) struct Pinning {
    store: Arc<Mutex<PinStore>>,
    audit: Option<Arc<AuditFile>>,
    /// What has been logged already.
    told: Arc<Mutex<Told>>,
    version: Arc<AtomicU64>,
}

/// Texts, as far as there is room for them.
#[derive(Default)]
struct Told(HashSet<String>);

impl Told {
    /// Notes a text; `false` if it is known, or there is no room.
    fn insert(&mut self, text: String) -> bool {
        self.0.len() < MOST_TOLD && self.0.insert(text)
    }
}

/// What is done about the differences of one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PinRules {
    pub(crate) mode: PinMode,
    pub(crate) new: NewTools,
}

impl PinRules {
    /// Whether some items may be hidden, so that only listed ones can be used.
    pub(crate) fn hides(self) -> bool {
        self.mode == PinMode::Block || self.new == NewTools::Hide && self.mode != PinMode::Off
    }
}

impl Pinning {
    pub(crate) fn new(store: PinStore, audit: Option<Arc<AuditFile>>) -> Self {
        Self {
            store: Arc::new(Mutex::new(store)),
            audit,
            told: Arc::default(),
            version: Arc::default(),
        }
    }

    /// Changes when another process has changed the pins.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// The list as clients may see it, if a part of it is hidden.
    pub(crate) fn list(
        &self,
        server: &str,
        rules: PinRules,
        kind: ListKind,
        list: &ServerList,
    ) -> Option<ServerList> {
        if rules.mode == PinMode::Off {
            return None;
        }
        let checked = self.check(server, rules, |pins| pins.check_list(server, kind, list));
        let hidden: HashSet<&str> = hidden(&checked, rules).collect();
        if hidden.is_empty() {
            return None;
        }
        let mut list = list.clone();
        list.items.retain(|item| !hidden.contains(&*item.own));
        Some(list)
    }

    /// The description as clients may see it, if a part of it is hidden.
    pub(crate) fn description(
        &self,
        server: &str,
        rules: PinRules,
        description: &Description,
    ) -> Option<Description> {
        let json = Json::parse(&description.0).ok()?;
        if rules.mode == PinMode::Off {
            return None;
        }
        let instructions = json.get("instructions").and_then(Json::as_str);
        let check = |pins: &mut Pins| pins.check_instructions(server, instructions.as_deref());
        let checked = self.check(server, rules, check);
        hidden(&checked, rules).next()?;
        let visible = Object::of(Some(json)).without(&["instructions"]);
        Some(Description(visible.text()))
    }

    fn check(
        &self,
        server: &str,
        rules: PinRules,
        check: impl Fn(&mut Pins) -> Checked,
    ) -> Checked {
        let (checked, failed) = self.store.lock().check(check);
        if let Some(why) = failed {
            tracing::warn!("pins are kept for this process only: {why}; {}", why.hint());
        }
        for change in &checked.changes {
            let is_hidden = change.is_hidden(hides_changed(rules), hides_new(rules));
            let item = change.item.to_string();
            let what = escape_line(&item);
            let fate = if is_hidden { " and is hidden" } else { "" };
            let said = format!("{server}: {what} is {}{fate}", change.word());
            if self.told.lock().insert(said.clone()) {
                tracing::warn!(
                    "{said}; `linkspan pins diff {server}` shows it, `linkspan pins accept {server}` accepts it"
                );
            }
            if let Some(audit) = self.audit.as_ref().filter(|_| checked.is_altered) {
                audit.push(AuditLine::pin(&now(), server, change, is_hidden));
            }
        }
        for (item, suspicion) in &checked.suspicions {
            let item = item.to_string();
            let item = escape_line(&item);
            tracing::warn!("{server}: {item} deserves a look: {suspicion}");
        }
        checked
    }

    /// Reads the file again; `true` if another process has written it.
    pub(crate) fn refresh(&self) -> bool {
        let refreshed = self.store.lock().refresh();
        let is_new = refreshed.unwrap_or_else(|why| {
            tracing::warn!("pins stay as they were: {why}");
            false
        });
        if is_new {
            self.version.fetch_add(1, Ordering::Relaxed);
        }
        is_new
    }
}

fn hides_changed(rules: PinRules) -> bool {
    rules.mode == PinMode::Block
}

fn hides_new(rules: PinRules) -> bool {
    rules.new == NewTools::Hide
}

fn hidden(checked: &Checked, rules: PinRules) -> impl Iterator<Item = &str> {
    checked.hidden(hides_changed(rules), hides_new(rules))
}

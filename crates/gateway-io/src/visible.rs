//! What clients may see of what a server has told, by the pins of the moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use linkspan_gateway::{ListKind, ServerList};
use parking_lot::Mutex;

use crate::fetch::Description;
use crate::pinning::{PinRules, Pinning};

/// The pins of a server: where they are, and what is done about differences.
pub(crate) struct ServerPins {
    pinning: Option<Pinning>,
    rules: Mutex<PinRules>,
    /// Counts changes of the rules.
    changes: AtomicU64,
}

/// The latest answers, for one principal or for all.
#[derive(Default)]
pub(crate) struct Visible {
    description: Mutex<Option<Checked<Description>>>,
    lists: [Mutex<Option<Checked<ServerList>>>; 4],
}

/// What is visible of a value.
struct Checked<T> {
    of: Arc<T>,
    /// Changes with the pins and the rules.
    version: (u64, u64),
    visible: Arc<T>,
}

impl ServerPins {
    pub(crate) fn new(pinning: Option<Pinning>, rules: PinRules) -> Self {
        Self {
            pinning,
            rules: Mutex::new(rules),
            changes: AtomicU64::new(0),
        }
    }

    /// Sets what is done about differences.
    pub(crate) fn set(&self, rules: PinRules) {
        let before = std::mem::replace(&mut *self.rules.lock(), rules);
        if before != rules {
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether some items may be hidden, so that only listed ones can be used.
    pub(crate) fn hides(&self) -> bool {
        self.rules.lock().hides()
    }

    /// What is visible of a list. `server` is the name of the pins.
    pub(crate) fn list(
        &self,
        seen: &Visible,
        server: &str,
        kind: ListKind,
        list: Arc<ServerList>,
    ) -> Arc<ServerList> {
        let Some(pinning) = &self.pinning else {
            return list;
        };
        let check = |rules| pinning.list(server, rules, kind, &list);
        self.checked(pinning, &seen.lists[kind.index()], &list, check)
    }

    /// What is visible of a description.
    pub(crate) fn description(
        &self,
        seen: &Visible,
        server: &str,
        description: Arc<Description>,
    ) -> Arc<Description> {
        let Some(pinning) = &self.pinning else {
            return description;
        };
        let check = |rules| pinning.description(server, rules, &description);
        self.checked(pinning, &seen.description, &description, check)
    }

    /// The result of a check, which is made again only if something has changed. `check` returns `None` if everything
    /// is visible.
    fn checked<T>(
        &self,
        pinning: &Pinning,
        last: &Mutex<Option<Checked<T>>>,
        value: &Arc<T>,
        check: impl FnOnce(PinRules) -> Option<T>,
    ) -> Arc<T> {
        // A change during the check makes it outdated.
        let version = (pinning.version(), self.changes.load(Ordering::Relaxed));
        let is_same = |one: &&Checked<T>| Arc::ptr_eq(&one.of, value) && one.version == version;
        if let Some(last) = last.lock().as_ref().filter(is_same) {
            return last.visible.clone();
        }
        let rules = *self.rules.lock();
        let visible = check(rules).map_or_else(|| value.clone(), Arc::new);
        *last.lock() = Some(Checked {
            of: value.clone(),
            version,
            visible: visible.clone(),
        });
        visible
    }
}

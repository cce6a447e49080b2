//! The state that all sessions in front of one server share.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use linkspan_mcp::tool_list::{Edit, Local, edit, name_beside, names};
use linkspan_ports::Principal;
use linkspan_shrink::{Keep, Policy, Report, Stop, Structured, rewrite};
use linkspan_wire::{Json, Message};
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::error::ShrinkError;
use crate::fetch;
use crate::options::{Options, StructuredRule};
use crate::originals::{OriginalStore, Originals, hash_of};
use crate::own_tools::LocalTools;
use crate::repeats::Repeats;
use crate::stats::{Key, Recorder, Row};

/// How many results are shortened at once.
const AT_ONCE: usize = 4;
/// How many calls of the layer's own tools run at once. A jq filter may take 512 MiB, so they take 1 GiB at most.
const LOCAL_AT_ONCE: usize = 2;
/// Larger results pass unchanged: they would not finish within any time box.
const LARGEST: usize = 16 << 20;
/// Smaller results pass unchanged.
const SMALLEST: usize = 400;
/// How many tool names are remembered.
const MOST_NAMES: usize = 1 << 16;

/// The client that sent a request.
pub(crate) struct Caller {
    /// The name from its client info.
    pub(crate) client: Option<String>,
}

impl Caller {
    /// Whether the client shows a model only `structuredContent` if a result has it.
    fn shows_structured_only(&self) -> bool {
        self.client.as_deref().is_some_and(|name| {
            let name = name.to_ascii_lowercase();
            name == "claude-code" || name.starts_with("claude-code/")
        })
    }
}

pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) locals: LocalTools,
    /// For [`AT_ONCE`].
    pub(crate) slots: Arc<Semaphore>,
    /// For [`LOCAL_AT_ONCE`].
    pub(crate) local_slots: Arc<Semaphore>,
    originals: OriginalStore,
    stats: Recorder,
    /// The names and descriptions of the layer's own tools.
    list: Vec<(String, Json<'static>)>,
    /// Names of the server's tools listed so far. Lists arrive page by page, for several clients at once, and the name
    /// of a layer tool must not change meanwhile, so names are not removed.
    taken: Mutex<HashSet<String>>,
    server: Mutex<Option<String>>,
    warm: Once,
}

impl Shared {
    pub(crate) fn new(options: Options) -> Result<Arc<Self>, ShrinkError> {
        let originals =
            OriginalStore::new(options.store.clone(), options.policy.thresholds.clone());
        let originals = originals.map_err(|source| ShrinkError::Store {
            folder: options.store.clone().unwrap_or_default(),
            source,
        })?;
        let locals = LocalTools::new(&options)?;
        let named = |tool: Json<'static>| Some((tool.get("name")?.as_str()?.into_owned(), tool));
        let list = locals.list().into_iter().filter_map(named).collect();
        Ok(Arc::new(Self {
            stats: Recorder::new(options.stats.clone()),
            slots: Arc::new(Semaphore::new(AT_ONCE)),
            local_slots: Arc::new(Semaphore::new(LOCAL_AT_ONCE)),
            originals,
            locals,
            list,
            options,
            taken: Mutex::default(),
            server: Mutex::default(),
            warm: Once::new(),
        }))
    }

    /// Unpacks the vocabulary while the server works on the first call.
    pub(crate) fn warm_up(&self) {
        let vocabulary = self.options.policy.vocabulary;
        self.warm.call_once(|| {
            tokio::task::spawn_blocking(move || vocabulary.count("x"));
        });
    }

    /// The originals of one principal.
    pub(crate) fn originals(&self, principal: &Principal) -> Originals {
        self.originals.of(principal)
    }

    /// The layer's tool that a call addresses.
    pub(crate) fn local(&self, name: &str) -> Option<&'static str> {
        if self.list.is_empty() {
            return None;
        }
        let taken = self.taken.lock();
        let found = self
            .list
            .iter()
            .find(|(ours, _)| name_beside(ours, &taken) == name)?;
        self.locals.named(&found.0)
    }

    /// Stores the server's name from its server info.
    pub(crate) fn learn_server(&self, answer: &Message) {
        let info = answer.body().and_then(|body| {
            let meta = body.path(&["_meta", linkspan_mcp::SERVER_INFO]);
            body.get("serverInfo").or(meta)
        });
        let name = info.and_then(|info| Some(info.get("name")?.as_str()?.into_owned()));
        if name.is_some() {
            *self.server.lock() = name;
        }
    }

    /// A page of the server's list of tools as the client gets it, if it changes.
    pub(crate) fn list(&self, answer: &Message, caller: &Caller) -> Option<Message> {
        let result = answer.body()?;
        let mut taken = self.taken.lock();
        if taken.len() > MOST_NAMES {
            taken.clear();
        }
        taken.extend(names(result));
        // The layer's tools are on the last page, because only then all names are known.
        let is_last = result.get("nextCursor").is_none();
        let own = self.list.iter().filter(|_| is_last);
        let local: Vec<Local<'_>> = own
            .map(|(name, json)| Local { name, json: *json })
            .collect();
        let unpromised = |tool: &str| self.structured(tool, caller) != Structured::Keep;
        let edits = Edit {
            local: &local,
            unpromised: Some(&unpromised),
        };
        let new = edit(result, &taken, &edits)?;
        Some(answer.with_value(result, &new))
    }

    /// How a tool's `structuredContent` is handled.
    fn structured(&self, tool: &str, caller: &Caller) -> Structured {
        let rules = self.options.structured.iter();
        let rule = rules.rev().find(|(filter, _)| filter.matches(tool));
        match rule.map(|(_, rule)| *rule) {
            Some(StructuredRule::Always(structured)) if !self.options.shadow => structured,
            Some(StructuredRule::ByClient)
                if caller.shows_structured_only() && !self.options.shadow =>
            {
                Structured::Drop
            }
            _ => Structured::Keep,
        }
    }

    /// Whether a result may be shortened.
    pub(crate) fn is_eligible(&self, tool: &str, answer: &Message) -> bool {
        (SMALLEST..=LARGEST).contains(&answer.len()) && self.options.tools.matches(tool)
    }

    /// The answer with shorter texts, if there are any. Blocks.
    pub(crate) fn shorten(
        &self,
        answer: &Message,
        tool: &str,
        caller: &Caller,
        originals: &Originals,
        repeats: Option<&mut Repeats>,
        stop: &Stop,
    ) -> Option<Message> {
        let result = answer.body()?;
        let begin = Instant::now();
        let policy = Policy {
            structured: self.structured(tool, caller),
            ..self.options.policy.clone()
        };
        let keeper = Keeper {
            originals,
            fetch: self.options.fetch.is_some(),
            repeats: RefCell::new(repeats),
        };
        if let Some(repeats) = keeper.repeats.borrow_mut().as_mut() {
            repeats.next_call();
        }
        let rewritten = rewrite(result, tool, &policy, &keeper, stop);
        if stop.is_set() {
            return None;
        }
        self.record(tool, &rewritten.reports, begin.elapsed());
        let new = rewritten.result.filter(|_| !self.options.shadow)?;
        Some(answer.with_value(result, &new))
    }

    fn record(&self, tool: &str, reports: &[Report], took: Duration) {
        for (i, Report { worked, .. }) in reports.iter().enumerate() {
            let kinds: Vec<&str> = worked.kinds.iter().map(|kind| kind.name()).collect();
            let kinds = match (&worked.text, kinds.is_empty()) {
                (None, _) => "(as it was)".to_owned(),
                (Some(_), true) => "(other)".to_owned(),
                (Some(_), false) => kinds.join("+"),
            };
            let row = Row {
                calls: 1,
                changed: u64::from(worked.text.is_some()),
                before: worked.before,
                after: worked.after,
                micros: match i {
                    0 => u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
                    _ => 0,
                },
            };
            self.stats.add(self.key(tool, &kinds), &row);
        }
    }

    fn key(&self, tool: &str, kinds: &str) -> Key {
        let server = self.server.lock();
        Key {
            server: server.clone().unwrap_or_else(|| "(unnamed)".to_owned()),
            tool: tool.to_owned(),
            kinds: kinds.to_owned(),
            shadow: self.options.shadow,
        }
    }

    /// Writes the statistics that are not written yet.
    pub(crate) fn finish(&self) {
        self.stats.finish();
    }
}

/// Stores originals, and finds repeated texts.
struct Keeper<'a> {
    originals: &'a Originals,
    fetch: bool,
    repeats: RefCell<Option<&'a mut Repeats>>,
}

impl Keep for Keeper<'_> {
    fn keep(&self, tool: &str, text: &str) -> Option<String> {
        let id = self.originals.keep(tool, text);
        id.filter(|_| self.fetch)
    }

    fn earlier(&self, tool: &str, text: &str) -> Option<String> {
        let mut repeats = self.repeats.borrow_mut();
        let (call, by) = repeats.as_mut()?.earlier(&hash_of(text), tool)?;
        let id = self.keep(tool, text)?;
        Some(format!(
            "[linkspan: the same as the result of {by} before (call {call} of this session); \
             {} {{\"id\":\"{id}\"}} gives it again]",
            fetch::NAME
        ))
    }
}

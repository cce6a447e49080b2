//! What all sessions in front of one server share.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use linkspan_ports::Principal;
use linkspan_shrink::tools::{Edit, Local, edit, name_beside, names};
use linkspan_shrink::{Keep, Policy, Report, Stop, Structured, rewrite};
use linkspan_wire::{Json, Message};
use tokio::sync::Semaphore;

use super::kept::{Originals, Shelf, name_of};
use super::ledger::{Key, Ledger, Row};
use super::local::Locals;
use super::repeats::Repeats;
use super::wanted::Wanted;
use crate::exit::{Exit, Failure};

/// Results that are worked on at once.
const AT_ONCE: usize = 4;
/// Calls of our own tools at once. A filter may have 512 MiB, so that all of them have 1 GiB together.
const LOCAL_AT_ONCE: usize = 2;
/// Larger results pass: no time box would be long enough.
const LARGEST: usize = 16 << 20;
/// Smaller ones are short, whatever is in them.
const SMALLEST: usize = 400;
/// Names of tools that are remembered; no client could use so many.
const MOST_NAMES: usize = 1 << 16;

/// What the user wants.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) policy: Policy,
    /// What becomes of `structuredContent`, by tool.
    pub(crate) structured: Vec<(Wanted, StructuredBy)>,
    /// Which tools are looked at.
    pub(crate) tools: Wanted,
    pub(crate) time_box: Duration,
    pub(crate) shadow: bool,
    pub(crate) dedup: bool,
    pub(crate) slim: bool,
    /// Whether `read_bcp_file` and its siblings are offered, and where they may look.
    pub(crate) bcp_tools: bool,
    pub(crate) roots: Vec<PathBuf>,
    /// Whether `bcp_fetch` is offered.
    pub(crate) fetch: bool,
    pub(crate) store: Option<PathBuf>,
    pub(crate) stats: Option<PathBuf>,
}

/// How it is decided what becomes of `structuredContent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StructuredBy {
    /// By what is known of the client.
    Client,
    Always(Structured),
}

/// Who asks.
pub(crate) struct Asker {
    pub(crate) client: Option<String>,
}

impl Asker {
    /// Clients that show a model nothing but `structuredContent` if there is any.
    fn shows_structured_only(&self) -> bool {
        self.client.as_deref().is_some_and(|name| {
            let name = name.to_ascii_lowercase();
            name == "claude-code" || name.starts_with("claude-code/")
        })
    }
}

pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) locals: Locals,
    pub(crate) turns: Arc<Semaphore>,
    /// Turns of our own tools.
    pub(crate) local_turns: Arc<Semaphore>,
    shelf: Shelf,
    ledger: Ledger,
    list: Vec<(String, Json<'static>)>,
    /// Names of the server's own tools, as far as it has ever listed them. Lists come page by page, for
    /// several clients at once, and a name must not change its meaning meanwhile: so none is forgotten.
    taken: Mutex<HashSet<String>>,
    server: Mutex<Option<String>>,
    warm: Once,
}

impl Shared {
    pub(crate) fn new(options: Options) -> Result<Arc<Self>, Failure> {
        let shelf = Shelf::new(options.store.clone(), options.policy.gate.clone());
        let shelf = shelf.map_err(|e| {
            let folder = options.store.clone().unwrap_or_default();
            Failure::new(
                Exit::Invalid,
                format!("--store {}: {e}", crate::show::path(&folder)),
            )
            .hint("it must be a folder of yours for originals and nothing else, or one that can be made")
        })?;
        let locals = Locals::new(
            options.bcp_tools,
            &options.roots,
            options.store.as_deref(),
            options.fetch,
        )?;
        let named = |tool: Json<'static>| Some((tool.get("name")?.as_str()?.into_owned(), tool));
        let list = locals.list().into_iter().filter_map(named).collect();
        Ok(Arc::new(Self {
            ledger: Ledger::new(options.stats.clone()),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            local_turns: Arc::new(Semaphore::new(LOCAL_AT_ONCE)),
            shelf,
            locals,
            list,
            options,
            taken: Mutex::default(),
            server: Mutex::default(),
            warm: Once::new(),
        }))
    }

    /// Unpacks the vocabulary while the server is busy with the first call.
    pub(crate) fn warm_up(&self) {
        let vocabulary = self.options.policy.vocabulary;
        self.warm.call_once(|| {
            tokio::task::spawn_blocking(move || vocabulary.count("x"));
        });
    }

    /// Where the originals of one principal are kept.
    pub(crate) fn originals(&self, principal: &Principal) -> Originals {
        self.shelf.of(principal)
    }

    /// Which of our tools a call is for.
    pub(crate) fn local(&self, name: &str) -> Option<&'static str> {
        if self.list.is_empty() {
            return None;
        }
        let taken = self.taken();
        let found = self
            .list
            .iter()
            .find(|(ours, _)| name_beside(ours, &taken) == name)?;
        self.locals.named(&found.0)
    }

    fn taken(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what the server calls itself.
    pub(crate) fn learn_server(&self, hello: &Message) {
        let info = hello.body().and_then(|body| {
            let meta = body.path(&["_meta", linkspan_mcp::SERVER_INFO]);
            body.get("serverInfo").or(meta)
        });
        let name = info.and_then(|info| Some(info.get("name")?.as_str()?.into_owned()));
        if name.is_some() {
            *self.server.lock().unwrap_or_else(PoisonError::into_inner) = name;
        }
    }

    /// A page of the server's list of tools as the client gets it, if that is another one.
    pub(crate) fn list(&self, answer: &Message, asker: &Asker) -> Option<Message> {
        let result = answer.body()?;
        if self.options.slim {
            self.note_slimmer(result);
        }
        let mut taken = self.taken();
        if taken.len() > MOST_NAMES {
            taken.clear();
        }
        taken.extend(names(result));
        // Ours come on the last page: only then all names are known.
        let is_last = result.get("nextCursor").is_none();
        let local: Vec<Local<'_>> = match is_last {
            true => self
                .list
                .iter()
                .map(|(name, json)| Local { name, json: *json })
                .collect(),
            false => Vec::new(),
        };
        let unpromised = |tool: &str| self.structured(tool, asker) != Structured::Keep;
        let edits = Edit {
            local: &local,
            slim: self.options.slim && !self.options.shadow,
            unpromised: Some(&unpromised),
        };
        let new = edit(result, &taken, &edits)?;
        Some(answer.with_value(result, &new))
    }

    /// What the descriptions cost that the list is without, and nothing else.
    fn note_slimmer(&self, result: Json<'_>) {
        let slim = Edit {
            slim: true,
            ..Edit::default()
        };
        let slimmer = edit(result, &HashSet::new(), &slim);
        let count = |text| self.options.policy.vocabulary.count(text);
        let row = Row {
            calls: 1,
            changed: u64::from(slimmer.is_some()),
            before: count(result.text()),
            after: count(slimmer.as_deref().unwrap_or(result.text())),
            micros: 0,
        };
        self.ledger.add(self.key("(list of tools)", "tools"), &row);
    }

    /// What becomes of a tool's `structuredContent`.
    fn structured(&self, tool: &str, asker: &Asker) -> Structured {
        let rules = self.options.structured.iter();
        // The last word counts.
        let by = rules.rev().find(|(wanted, _)| wanted.is(tool));
        match by.map(|(_, by)| *by) {
            Some(StructuredBy::Always(structured)) if !self.options.shadow => structured,
            Some(StructuredBy::Client) if asker.shows_structured_only() && !self.options.shadow => {
                Structured::Drop
            }
            _ => Structured::Keep,
        }
    }

    /// Whether a result is worth a look.
    pub(crate) fn is_wanted(&self, tool: &str, answer: &Message) -> bool {
        (SMALLEST..=LARGEST).contains(&answer.len()) && self.options.tools.is(tool)
    }

    /// The answer with shorter texts, if there are any. Takes a while: for a thread of its own.
    pub(crate) fn shorten(
        &self,
        answer: &Message,
        tool: &str,
        asker: &Asker,
        originals: &Originals,
        repeats: Option<&mut Repeats>,
        stop: &Stop,
    ) -> Option<Message> {
        let result = answer.body()?;
        let begin = Instant::now();
        let policy = Policy {
            structured: self.structured(tool, asker),
            ..self.options.policy.clone()
        };
        let keeper = Keeper {
            originals,
            fetch: self.options.fetch,
            repeats: RefCell::new(repeats),
        };
        if let Some(repeats) = keeper.repeats.borrow_mut().as_mut() {
            repeats.next_call();
        }
        let rewritten = rewrite(result, tool, &policy, &keeper, stop);
        if stop.is_set() {
            return None;
        }
        self.note(tool, &rewritten.reports, begin.elapsed());
        let new = rewritten.result.filter(|_| !self.options.shadow)?;
        Some(answer.with_value(result, &new))
    }

    fn note(&self, tool: &str, reports: &[Report], took: Duration) {
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
            self.ledger.add(self.key(tool, &kinds), &row);
        }
    }

    fn key(&self, tool: &str, kinds: &str) -> Key {
        let server = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        Key {
            server: server.clone().unwrap_or_else(|| "(unnamed)".to_owned()),
            tool: tool.to_owned(),
            kinds: kinds.to_owned(),
            shadow: self.options.shadow,
        }
    }

    /// Writes down what was saved.
    pub(crate) fn finish(&self) {
        self.ledger.finish();
    }
}

/// Keeps originals, and knows which came before.
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
        let (call, by) = repeats.as_mut()?.earlier(&name_of(text), tool)?;
        let id = self.keep(tool, text)?;
        Some(format!(
            "[linkspan: the same as the result of {by} before (call {call} of this session); \
             {} {{\"id\":\"{id}\"}} gives it again]",
            super::fetch::NAME
        ))
    }
}

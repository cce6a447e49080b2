//! The sessions of one agent, and what it says in them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use linkspan_acp::client::{CANCELLED, Editor, Permission, Turn, names};
use linkspan_desk::Caller;
use linkspan_wire::{Json, JsonKind, Message, Object, RpcError, quote};
use tokio::sync::{Notify, watch};

use crate::asking::{Audience, decide, elicit};
use crate::options::PermissionPolicy;
use crate::running::kept;

/// Sessions of one agent at once.
pub(crate) const MOST: usize = 64;
/// Decisions that are told about one prompt.
const MOST_DECISIONS: usize = 64;

pub(crate) struct Sessions {
    all: Mutex<BTreeMap<String, Session>>,
    permission: PermissionPolicy,
    /// Told whenever a turn or a session has ended.
    pub(crate) ended: Notify,
}

pub(crate) struct Session {
    pub(crate) cwd: String,
    /// What the agent has said of its modes, and the one that it is in.
    pub(crate) modes: Option<String>,
    pub(crate) mode: Option<String>,
    /// And of its models, and of what else one can choose.
    pub(crate) models: Option<String>,
    pub(crate) options: Option<String>,
    under_way: Option<UnderWay>,
}

/// A prompt that has no answer yet.
struct UnderWay {
    turn: Turn,
    caller: Caller,
    changed: Arc<Notify>,
    over: watch::Sender<bool>,
    decisions: Vec<String>,
}

/// What has come of a prompt.
pub(crate) struct Said {
    pub(crate) turn: Turn,
    pub(crate) decisions: Vec<String>,
}

/// Why a prompt cannot begin.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Unknown,
    Busy,
    /// Busy with something that was cancelled and will end soon.
    Ending,
}

impl Sessions {
    pub(crate) fn new(permission: PermissionPolicy) -> Self {
        Self {
            all: Mutex::default(),
            permission,
            ended: Notify::new(),
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.lock().len() >= MOST
    }

    /// `false` if there is one of that name already.
    pub(crate) fn add(&self, id: &str, cwd: &str) -> bool {
        let session = Session {
            cwd: cwd.to_owned(),
            modes: None,
            mode: None,
            models: None,
            options: None,
            under_way: None,
        };
        match self.lock().entry(id.to_owned()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(session);
                true
            }
        }
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.lock().contains_key(id)
    }

    pub(crate) fn remove(&self, id: &str) {
        self.lock().remove(id);
        self.ended.notify_waiters();
    }

    /// Looks at one, or changes it.
    pub(crate) fn with<T>(&self, id: &str, look: impl FnOnce(&mut Session) -> T) -> Option<T> {
        self.lock().get_mut(id).map(look)
    }

    /// All of them, for somebody to read.
    pub(crate) fn list(&self) -> Vec<String> {
        let all = self.lock();
        let one = |(id, session): (&String, &Session)| {
            Object::empty()
                .with("sessionId", &quote(id))
                .with("cwd", &quote(&session.cwd))
                .with("busy", if session.is_busy() { "true" } else { "false" })
                .with_some("mode", session.mode.as_deref().map(quote).as_deref())
                .text()
        };
        all.iter().map(one).collect()
    }

    /// Begins a turn. `changed` is told whenever there is something new.
    pub(crate) fn begin(
        &self,
        id: &str,
        caller: Caller,
        changed: Arc<Notify>,
    ) -> Result<(), Refused> {
        let mut all = self.lock();
        let session = all.get_mut(id).ok_or(Refused::Unknown)?;
        match &session.under_way {
            Some(old) if *old.over.borrow() => return Err(Refused::Ending),
            Some(_) => return Err(Refused::Busy),
            None => {}
        }
        session.under_way = Some(UnderWay {
            turn: Turn::default(),
            caller,
            changed,
            over: watch::Sender::new(false),
            decisions: Vec::new(),
        });
        Ok(())
    }

    /// The turn that was begun with `changed` has ended. A session of that name may be another one by
    /// now, with a turn of its own.
    pub(crate) fn end(&self, id: &str, changed: &Arc<Notify>) -> Option<Said> {
        let own = |turn: &mut UnderWay| Arc::ptr_eq(&turn.changed, changed);
        let under_way = self.lock().get_mut(id)?.under_way.take_if(own)?;
        self.ended.notify_waiters();
        under_way.over.send_replace(true);
        Some(Said {
            turn: under_way.turn,
            decisions: under_way.decisions,
        })
    }

    /// Nobody is to be asked anything about this turn any more. `false` if there is none.
    pub(crate) fn call_off(&self, id: &str) -> bool {
        let called_off = self.with(id, |session| {
            let over = session.under_way.as_ref().map(|turn| &turn.over);
            over.map(|over| over.send_replace(true)).is_some()
        });
        called_off == Some(true)
    }

    /// What is new in a turn.
    pub(crate) fn news(&self, id: &str) -> Option<String> {
        self.with(id, |session| session.under_way.as_mut()?.turn.news())?
    }

    /// Who can be asked about a session; of a request that names none, if there is only one.
    fn audience(&self, id: Option<&str>) -> Option<Audience> {
        let all = self.lock();
        let mut turns = all
            .iter()
            .filter(|(key, _)| id.is_none_or(|id| id == *key))
            .filter_map(|(_, session)| session.under_way.as_ref());
        let (turn, other) = (turns.next()?, turns.next());
        other.is_none().then(|| Audience {
            caller: turn.caller.clone(),
            over: turn.over.subscribe(),
        })
    }

    async fn permit(&self, params: Json<'_>) -> Result<String, RpcError> {
        let Some(permission) = Permission::read(params) else {
            return Err(RpcError::invalid_params("`sessionId` must be a string"));
        };
        let audience = self.audience(Some(&permission.session));
        if audience.as_ref().is_some_and(|a| *a.over.borrow()) {
            return Ok(CANCELLED.to_owned());
        }
        let decision = decide(&permission, self.permission, audience).await;
        self.with(&permission.session, |session| {
            let turn = session.under_way.as_mut();
            if let Some(turn) = turn.filter(|t| t.decisions.len() < MOST_DECISIONS) {
                turn.decisions.push(decision.record);
            }
        });
        Ok(decision.outcome)
    }

    /// A page that somebody was sent to is done with. It may have been anybody's.
    fn elicited(&self, params: Json<'_>) {
        for session in self.lock().values() {
            if let Some(turn) = &session.under_way {
                turn.caller
                    .offer("notifications/elicitation/complete", params.text());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Session>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    pub(crate) fn is_busy(&self) -> bool {
        self.under_way.is_some()
    }

    fn hear(&mut self, update: Json<'_>) {
        let kind = update.get("sessionUpdate").and_then(Json::as_str);
        match kind.as_deref() {
            Some("current_mode_update") => {
                let mode = update.get("currentModeId").and_then(Json::as_str);
                self.mode = mode.map(Into::into).or(self.mode.take());
            }
            Some("config_option_update") => {
                let options = update.get("configOptions");
                let options = options.filter(|o| o.kind() == JsonKind::Array);
                self.options = options.and_then(kept).or(self.options.take());
            }
            _ => {}
        }
        if let Some(under_way) = &mut self.under_way {
            under_way.turn.hear(update);
            under_way.changed.notify_one();
        }
    }
}

impl Editor for Sessions {
    fn heard(&self, note: &Message) {
        let params = note.params();
        if let (names::ELICITED, Some(params)) = (&*note.method(), params) {
            self.elicited(params);
        }
        if note.method() != names::UPDATE {
            return;
        }
        let id = params.and_then(|p| p.get("sessionId")?.as_str());
        let update = params.and_then(|p| p.get("update"));
        if let (Some(id), Some(update)) = (id, update) {
            self.with(&id, |session| session.hear(update));
        }
    }

    async fn asked(self: Arc<Self>, question: Message) -> Result<String, RpcError> {
        let Some(params) = question.params() else {
            return Err(RpcError::method_not_found(&question.method()));
        };
        match &*question.method() {
            names::PERMISSION => self.permit(params).await,
            names::ELICIT => {
                let id = params.get("sessionId").and_then(Json::as_str);
                elicit(params, self.audience(id.as_deref())).await
            }
            // Files and terminals were not declared, and are not lent.
            method => Err(RpcError::method_not_found(method)),
        }
    }
}

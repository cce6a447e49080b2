//! The sessions of an agent, and the updates that it sends in them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use linkspan_acp::client::{CANCELLED, Editor, Permission, Turn, names};
use linkspan_local::Caller;
use linkspan_wire::{Json, JsonKind, Message, Object, RpcError, quote};
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use crate::elicitation::{AskableClient, decide, elicit};
use crate::options::PermissionPolicy;
use crate::running::kept;

/// Sessions that one agent may have at once.
pub(crate) const MAX_SESSIONS: usize = 64;
/// Permission decisions that the result of one prompt lists.
const MAX_DECISIONS: usize = 64;

pub(crate) struct Sessions {
    all: Mutex<BTreeMap<String, Session>>,
    permission: PermissionPolicy,
    /// Notified when a turn or a session has ended.
    pub(crate) ended: Notify,
}

pub(crate) struct Session {
    pub(crate) cwd: String,
    /// The agent's modes as JSON, and the current one.
    pub(crate) modes: Option<String>,
    pub(crate) mode: Option<String>,
    /// The agent's models and configuration options, as JSON.
    pub(crate) models: Option<String>,
    pub(crate) options: Option<String>,
    active: Option<ActiveTurn>,
}

/// A turn that the agent has not ended.
struct ActiveTurn {
    turn: Turn,
    caller: Caller,
    changed: Arc<Notify>,
    over: watch::Sender<bool>,
    decisions: Vec<String>,
}

/// The updates and permission decisions of a turn.
pub(crate) struct TurnRecord {
    pub(crate) turn: Turn,
    pub(crate) decisions: Vec<String>,
}

/// Why a turn cannot begin.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BeginError {
    Unknown,
    Busy,
    /// The previous turn was cancelled and has not ended.
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
        self.all.lock().len() >= MAX_SESSIONS
    }

    /// Adds a session; `false` if its id is in use.
    pub(crate) fn add(&self, id: &str, cwd: &str) -> bool {
        let session = Session {
            cwd: cwd.to_owned(),
            modes: None,
            mode: None,
            models: None,
            options: None,
            active: None,
        };
        match self.all.lock().entry(id.to_owned()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(session);
                true
            }
        }
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.all.lock().contains_key(id)
    }

    pub(crate) fn remove(&self, id: &str) {
        self.all.lock().remove(id);
        self.ended.notify_waiters();
    }

    /// Reads or changes a session.
    pub(crate) fn with<T>(&self, id: &str, look: impl FnOnce(&mut Session) -> T) -> Option<T> {
        self.all.lock().get_mut(id).map(look)
    }

    /// All sessions, as JSON objects.
    pub(crate) fn list(&self) -> Vec<String> {
        let all = self.all.lock();
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

    /// Begins a turn. `changed` is notified of every update.
    pub(crate) fn begin(
        &self,
        id: &str,
        caller: Caller,
        changed: Arc<Notify>,
    ) -> Result<(), BeginError> {
        let mut all = self.all.lock();
        let session = all.get_mut(id).ok_or(BeginError::Unknown)?;
        match &session.active {
            Some(old) if *old.over.borrow() => return Err(BeginError::Ending),
            Some(_) => return Err(BeginError::Busy),
            None => {}
        }
        session.active = Some(ActiveTurn {
            turn: Turn::default(),
            caller,
            changed,
            over: watch::Sender::new(false),
            decisions: Vec::new(),
        });
        Ok(())
    }

    /// Ends the turn that was begun with `changed`. The id may belong to a newer session by now, with a turn
    /// of its own.
    pub(crate) fn end(&self, id: &str, changed: &Arc<Notify>) -> Option<TurnRecord> {
        let own = |turn: &mut ActiveTurn| Arc::ptr_eq(&turn.changed, changed);
        let active = self.all.lock().get_mut(id)?.active.take_if(own)?;
        self.ended.notify_waiters();
        active.over.send_replace(true);
        Some(TurnRecord {
            turn: active.turn,
            decisions: active.decisions,
        })
    }

    /// Stops forwarding requests to the client in this turn; `false` if there is no turn.
    pub(crate) fn stop_asking(&self, id: &str) -> bool {
        let stopped = self.with(id, |session| {
            let over = session.active.as_ref().map(|turn| &turn.over);
            over.map(|over| over.send_replace(true)).is_some()
        });
        stopped == Some(true)
    }

    /// A summary of the updates since the last call.
    pub(crate) fn news(&self, id: &str) -> Option<String> {
        self.with(id, |session| session.active.as_mut()?.turn.news())?
    }

    /// The client to forward a request of this session to. Without an id: the client of the only turn, if
    /// there is only one.
    fn client(&self, id: Option<&str>) -> Option<AskableClient> {
        let all = self.all.lock();
        let mut turns = all
            .iter()
            .filter(|(key, _)| id.is_none_or(|id| id == *key))
            .filter_map(|(_, session)| session.active.as_ref());
        let (turn, other) = (turns.next()?, turns.next());
        other.is_none().then(|| AskableClient {
            caller: turn.caller.clone(),
            over: turn.over.subscribe(),
        })
    }

    async fn permit(&self, params: Json<'_>) -> Result<String, RpcError> {
        let Some(permission) = Permission::read(params) else {
            return Err(RpcError::invalid_params("`sessionId` must be a string"));
        };
        let client = self.client(Some(&permission.session));
        if client.as_ref().is_some_and(|client| *client.over.borrow()) {
            return Ok(CANCELLED.to_owned());
        }
        let decision = decide(&permission, self.permission, client).await;
        self.with(&permission.session, |session| {
            let turn = session.active.as_mut();
            if let Some(turn) = turn.filter(|t| t.decisions.len() < MAX_DECISIONS) {
                turn.decisions.push(decision.record);
            }
        });
        Ok(decision.outcome)
    }

    /// Forwards the notification that the user has finished a page. It names no session, so every client with
    /// a turn gets it.
    fn elicited(&self, params: Json<'_>) {
        for session in self.all.lock().values() {
            if let Some(turn) = &session.active {
                turn.caller
                    .offer("notifications/elicitation/complete", params.text());
            }
        }
    }
}

impl Session {
    pub(crate) fn is_busy(&self) -> bool {
        self.active.is_some()
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
        if let Some(active) = &mut self.active {
            active.turn.hear(update);
            active.changed.notify_one();
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
                elicit(params, self.client(id.as_deref())).await
            }
            // Our capabilities declare neither files nor terminals.
            method => Err(RpcError::method_not_found(method)),
        }
    }
}

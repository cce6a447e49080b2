//! One connection of a client to a folder.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use linkspan_local::{Call, Caller, Handler, Notifier, Offered, Params};
use linkspan_mcp::{Level, Revision, names};
use linkspan_wire::{Json, Message, RpcError, quote};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Semaphore;

use super::diagnostics;
use super::news;
use super::snapshot::{Collection, Listed};
use super::subscriptions::Subscriptions;
use super::{CallerVariables, Folder};
use crate::mount::{MountContext, Mounts};
use crate::run::observer::Threshold;

/// The error code of requests before `initialize`.
const NOT_READY: i64 = -32000;

pub(crate) struct Connection {
    pub(super) folder: Arc<Folder>,
    pub(super) notifier: OnceLock<Notifier>,
    pub(super) threshold: Threshold,
    pub(super) offered: Offered,
    pub(super) subscriptions: Subscriptions,
    pub(super) mounts: Mounts,
    /// This client's share of the permits.
    pub(super) share: Arc<Semaphore>,
    pub(super) caller: CallerVariables,
    revision: Mutex<Option<Revision>>,
    /// Whether the client has sent `initialized`.
    ready: Arc<AtomicBool>,
}

impl Connection {
    pub(crate) fn new(folder: Arc<Folder>, caller: CallerVariables) -> Self {
        Self {
            notifier: OnceLock::new(),
            threshold: Threshold::new(Level::DEFAULT),
            offered: Offered::default(),
            subscriptions: Subscriptions::default(),
            mounts: Mounts::default(),
            share: folder.runner.share(),
            caller,
            folder,
            revision: Mutex::new(None),
            ready: Arc::default(),
        }
    }

    pub(super) fn revision(&self) -> Revision {
        self.agreed().unwrap_or(Revision::LAST_LEGACY)
    }

    fn agreed(&self) -> MutexGuard<'_, Option<Revision>> {
        self.revision.lock()
    }

    pub(super) fn mount_context(&self, caller: Caller) -> MountContext<'_> {
        MountContext {
            runner: &self.folder.runner,
            events: &self.folder.events,
            threshold: &self.threshold,
            caller,
        }
    }

    async fn list(
        &self,
        collection: Collection,
        params: Params<'_>,
        caller: Caller,
    ) -> Result<String, RpcError> {
        let cursor = match params.get("cursor") {
            None => None,
            Some(cursor) => Some(cursor.as_str().ok_or_else(|| {
                RpcError::invalid_params("`cursor` must be a string from an earlier answer")
            })?),
        };
        let snapshot = self.folder.snapshot();
        let limit = params.get("limit").and_then(Json::as_i64);
        let limit = limit
            .and_then(|limit| usize::try_from(limit).ok())
            .filter(|l| *l > 0);
        let size = limit.unwrap_or(snapshot.catalogue.page_size);
        let page = |listed: &Listed| {
            listed.page(collection, cursor.as_deref(), size, || {
                format!("{:.0}", jiff::Timestamp::now())
            })
        };
        let revision = self.revision();
        let (entries, next) = if collection == Collection::Tools && snapshot.has_mounts() {
            let others = self
                .mounts
                .tools(&snapshot.catalogue, &self.mount_context(caller))
                .await;
            page(&snapshot.tools_with(others, revision))?
        } else {
            snapshot.listed(collection, revision, page)?
        };
        let next = next.map_or_else(String::new, |next| {
            format!(r#","nextCursor":{}"#, quote(&next))
        });
        Ok(format!(r#"{{"{}":{entries}{next}}}"#, collection.member()))
    }

    /// Sends the problems of the folder to a new client.
    fn tell_problems(&self) {
        let Some(notifier) = self.notifier.get().cloned() else {
            return;
        };
        let first = diagnostics::first(&self.folder.snapshot().catalogue);
        let threshold = self.threshold.clone();
        if first.is_empty() {
            return;
        }
        tokio::spawn(async move {
            for diagnostic in first {
                news::diagnosed(&notifier, &threshold, &diagnostic).await;
            }
        });
    }

    fn set_level(&self, params: Params<'_>) -> Result<String, RpcError> {
        let level = params.get("level").and_then(Level::parse);
        let level = level.ok_or_else(|| {
            let names = Level::names().join(", ");
            RpcError::invalid_params(format!("`level` must be one of {names}"))
        })?;
        self.threshold.set(level);
        Ok("{}".to_owned())
    }
}

impl Handler for Connection {
    fn opened(&self, notifier: Notifier) {
        news::pass_on(
            self.folder.changes(),
            notifier.clone(),
            self.subscriptions.clone(),
            self.ready.clone(),
            self.threshold.clone(),
        );
        let _ = self.notifier.set(notifier);
    }

    fn initialize(&self, revision: Revision, _: &str) -> Result<String, RpcError> {
        let mut agreed = self.agreed();
        if agreed.is_some() {
            return Err(RpcError::invalid_request(
                "the server is initialized already",
            ));
        }
        *agreed = Some(revision);
        let snapshot = self.folder.snapshot();
        let server = &snapshot.catalogue.server;
        if self.folder.options.minimal {
            return Ok(format!(
                r#"{{"protocolVersion":"{revision}","capabilities":{{"logging":{{}}}},"serverInfo":{}}}"#,
                server.shown
            ));
        }
        let completions = if revision.has_completions() {
            r#","completions":{}"#
        } else {
            ""
        };
        let instructions = server
            .instructions
            .as_deref()
            .map_or_else(String::new, |text| {
                format!(r#","instructions":{}"#, quote(text))
            });
        Ok(format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{{"logging":{{}},"tools":{{"listChanged":true}},"resources":{{"subscribe":true,"listChanged":true}},"prompts":{{"listChanged":true}}{completions}}},"serverInfo":{}{instructions}}}"#,
            server.shown
        ))
    }

    async fn answer(
        &self,
        method: &str,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        if self.folder.options.shutdown {
            match method {
                "shutdown" => {
                    self.folder.leaving.shutdown();
                    return Ok("{}".to_owned());
                }
                "exit" => return self.folder.leaving.exit().map(|()| "{}".to_owned()),
                _ => {}
            }
            if let Some(error) = self.folder.leaving.refusal() {
                return Err(error);
            }
        }
        if self.agreed().is_none() {
            let why = "the server is not initialized: `initialize` comes first";
            return Err(RpcError::new(NOT_READY, why));
        }
        if self.folder.options.minimal && method != names::SET_LEVEL {
            return Err(RpcError::method_not_found(method));
        }
        match method {
            names::TOOLS_LIST => self.list(Collection::Tools, params, call.caller()).await,
            names::RESOURCES_LIST => {
                self.list(Collection::Resources, params, call.caller())
                    .await
            }
            names::TEMPLATES_LIST => {
                self.list(Collection::Templates, params, call.caller())
                    .await
            }
            names::PROMPTS_LIST => self.list(Collection::Prompts, params, call.caller()).await,
            names::TOOLS_CALL => self.call_tool(params, call).await,
            names::RESOURCES_READ => self.read_resource(params, call).await,
            names::PROMPTS_GET => self.get_prompt(params, call).await,
            "completion/complete" => self.complete(params, call).await,
            names::SUBSCRIBE => self.subscribe(params, call).await,
            names::UNSUBSCRIBE => self.unsubscribe(params),
            names::SET_LEVEL => self.set_level(params),
            _ => Err(RpcError::method_not_found(method)),
        }
    }

    fn on_notification(&self, note: &Message) {
        if note.method() == names::INITIALIZED && !self.ready.swap(true, Ordering::Relaxed) {
            self.tell_problems();
        }
        if note.method() == "exit" && self.folder.options.shutdown {
            // `exit` without `shutdown` is ignored.
            let _ = self.folder.leaving.exit();
        }
        self.offered.on_notification(note);
    }
}

//! Answers the requests of one client of a project, in mcp-bash's wording.

mod completions;
mod resources;
mod roots;
mod subscriptions;
mod tools;

use std::sync::{Arc, OnceLock};

use linkspan_local::{Call, Handler, Notifier, Params};
use linkspan_mcp::{Level, Revision, names};
use linkspan_wire::{Json, Message, RpcError};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::conventions::McpBash;
use super::manual::Kind;
use super::snapshot::ProjectSnapshot;
use super::{env, meta, prompt, quirks};
use linkspan_scripts::host::Threshold;
use linkspan_scripts::{CallerVariables, Folder};
use roots::Roots;
use subscriptions::{Ready, Subscriptions};

/// One client.
pub(crate) struct Connection {
    /// Limits this client's running calls and unread results.
    share: Arc<Semaphore>,
    folder: Arc<Folder>,
    project: McpBash,
    /// Who the client is.
    caller: CallerVariables,
    threshold: Threshold,
    roots: Roots,
    subscriptions: Subscriptions,
    notifier: OnceLock<Notifier>,
    ready: Ready,
}

impl Connection {
    pub(crate) fn new(folder: Arc<Folder>, project: McpBash, caller: CallerVariables) -> Self {
        let connection = Self {
            share: folder.runner().share(),
            folder,
            project,
            caller,
            threshold: Threshold::new(Level::DEFAULT),
            roots: Roots::default(),
            subscriptions: Subscriptions::default(),
            notifier: OnceLock::new(),
            ready: Ready::default(),
        };
        if let Ok(snapshot) = connection.held()
            && let Some(level) = Level::named(&env::level(
                &snapshot.project.vars,
                &snapshot.project.places,
            ))
        {
            connection.threshold.set(level);
        }
        connection
    }

    /// The current snapshot of the project, to be used for one whole request.
    fn held(&self) -> Result<Arc<ProjectSnapshot>, RpcError> {
        self.project.current()
    }

    fn list(&self, kind: Kind, params: Params<'_>) -> Result<String, RpcError> {
        let held = self.held()?;
        let snapshot = held.readable(kind)?;
        let cursor = match params.get("cursor") {
            None => None,
            Some(cursor) => Some(
                cursor
                    .as_str()
                    .ok_or_else(|| RpcError::invalid_params("Invalid cursor"))?,
            ),
        };
        let limit = params.get("limit").map(value);
        snapshot.pages(kind).page(limit.as_ref(), cursor.as_deref())
    }

    fn get_prompt(&self, params: Params<'_>) -> Result<String, RpcError> {
        let held = self.held()?;
        let project = &held.readable(Kind::Prompts)?.project;
        let name = some_text(params, "name")
            .ok_or_else(|| RpcError::invalid_params("Prompt name is required"))?;
        let item = project
            .prompt(&name)
            .ok_or_else(|| RpcError::invalid_params("Prompt not found"))?;
        let arguments = params.get("arguments").map_or_else(|| json!({}), value);
        let file = meta::text(item, "path").map(|path| project.places.prompts.join(path));
        let trusted = self.folder.runner().trusts(file.as_slice());
        trusted.map_err(|why| RpcError::internal(format!("Prompt refused: {why}")))?;
        Ok(prompt::get(item, &arguments, &project.places))
    }

    fn set_level(&self, params: Params<'_>) -> Result<String, RpcError> {
        let level = some_text(params, "level").unwrap_or_default();
        let level = Level::named(&level.to_ascii_lowercase())
            .ok_or_else(|| RpcError::invalid_params("Invalid log level"))?;
        self.threshold.set(level);
        Ok("{}".to_owned())
    }
}

impl Handler for Connection {
    fn opened(&self, notifier: Notifier) {
        subscriptions::pass_on(
            self.folder.changes(),
            notifier.clone(),
            self.subscriptions.clone(),
            self.ready.clone(),
        );
        let _ = self.notifier.set(notifier);
    }

    fn initialize(&self, revision: Revision, _: &str) -> Result<String, RpcError> {
        if !self.ready.agree(revision) {
            return Err(RpcError::invalid_request("Server already initialized"));
        }
        let held = self.held()?;
        let (minimal, server) = (self.folder.options().minimal, &held.project.server);
        // On stdin and stdout the front answers instead (`stdio`).
        Ok(quirks::initialize_result(
            &revision.to_string(),
            &Value::Null,
            minimal,
            server,
        ))
    }

    async fn answer(
        &self,
        method: &str,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        if self.folder.options().minimal && method != names::SET_LEVEL {
            return Err(RpcError::method_not_found(method));
        }
        match method {
            names::TOOLS_LIST => self.list(Kind::Tools, params),
            names::RESOURCES_LIST => self.list(Kind::Resources, params),
            names::TEMPLATES_LIST => self.list(Kind::Templates, params),
            names::PROMPTS_LIST => self.list(Kind::Prompts, params),
            names::TOOLS_CALL => self.call_tool(params, call).await,
            names::RESOURCES_READ => self.read_resource(params, call).await,
            names::PROMPTS_GET => self.get_prompt(params),
            "completion/complete" => self.complete(params, call).await,
            names::SUBSCRIBE => self.subscribe(params, call).await,
            names::UNSUBSCRIBE => self.unsubscribe(params),
            names::SET_LEVEL => self.set_level(params),
            _ => Err(RpcError::method_not_found(method)),
        }
    }

    fn on_notification(&self, note: &Message) {
        let first = note.method() == names::INITIALIZED;
        if first {
            self.ready.set();
        }
        if let (true, Some(notifier), Ok(snapshot)) = (
            first || note.method() == linkspan_local::ROOTS_CHANGED,
            self.notifier.get(),
            self.held(),
        ) {
            self.roots.ask(notifier.clone(), &snapshot.project.vars);
        }
    }
}

/// A JSON text from a client as a value.
fn value(json: Json<'_>) -> Value {
    serde_json::from_str(json.text()).unwrap_or_default()
}

/// A member that is a non-empty string.
fn some_text(params: Params<'_>, name: &str) -> Option<String> {
    let text = params.get(name)?.as_str()?;
    (!text.is_empty()).then(|| text.into_owned())
}

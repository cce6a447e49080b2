//! The MCP server of a connection: its tools are the operations of an editor with an agent.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use linkspan_local::{Call, Caller, Handler, Notifier, Offered, Params, tool_call};
use linkspan_mcp::{Revision, names, tool_text};
use linkspan_wire::{Json, JsonKind, Message, RpcError, quote};
use parking_lot::Mutex;

use crate::error::ToolError;
use crate::features::{Features, KnownFeatures};
use crate::launcher::Launcher;
use crate::options::AgentOptions;
use crate::running::RunningAgent;
use crate::tools;

/// How long a client may take to answer `roots/list`.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(10);

/// One connection.
pub(crate) struct AgentServer {
    pub(crate) launcher: Arc<Launcher>,
    pub(crate) options: Arc<AgentOptions>,
    pub(crate) features: Arc<KnownFeatures>,
    offered: Offered,
    notifier: OnceLock<Notifier>,
    /// The features when the client last listed the tools; the outer `None` before that.
    listed: Mutex<Option<Option<Features>>>,
}

impl AgentServer {
    pub(crate) fn new(
        launcher: Arc<Launcher>,
        options: Arc<AgentOptions>,
        features: Arc<KnownFeatures>,
    ) -> Self {
        Self {
            launcher,
            options,
            features,
            offered: Offered::default(),
            notifier: OnceLock::new(),
            listed: Mutex::default(),
        }
    }

    /// The running agent; it is started if there is none.
    pub(crate) async fn agent(&self, caller: &Caller) -> Result<Arc<RunningAgent>, ToolError> {
        let (running, is_new) = self.launcher.agent(caller).await?;
        if is_new {
            self.features.learn(&running.hello);
            self.tools_may_have_changed().await;
        }
        Ok(running)
    }

    /// Notifies the client if the tools differ from those that it has listed.
    pub(crate) async fn tools_may_have_changed(&self) {
        let now = self.features.get();
        let changed = {
            let mut listed = self.listed.lock();
            let changed = listed.is_some_and(|then| tools::names(then) != tools::names(now));
            if changed {
                *listed = Some(now);
            }
            changed
        };
        if let Some(notifier) = self.notifier.get().filter(|_| changed) {
            notifier
                .notify("notifications/tools/list_changed", None)
                .await;
        }
    }

    /// The folder of a session: the argument, or the option `cwd`, or the client's first root, or the
    /// current folder.
    pub(crate) async fn cwd(
        &self,
        given: Option<&str>,
        caller: &Caller,
    ) -> Result<String, ToolError> {
        let folder = match (given, &self.options.cwd) {
            (Some(given), _) => {
                let path = Path::new(given);
                if !path.is_absolute() || !path.is_dir() {
                    return Err(ToolError::Cwd(given.to_owned()));
                }
                path.to_owned()
            }
            (None, Some(cwd)) => cwd.clone(),
            (None, None) => {
                let offered = self.offered.get(caller, ROOTS_TIMEOUT).await;
                let first = offered.into_iter().find(|folder| folder.is_dir());
                let current = || self.options.current_dir.clone();
                first.or_else(current).ok_or(ToolError::NoCurrentFolder)?
            }
        };
        let text = folder.to_str().map(str::to_owned);
        text.ok_or(ToolError::CwdNotUtf8(folder))
    }
}

impl Handler for AgentServer {
    fn opened(&self, notifier: Notifier) {
        let _ = self.notifier.set(notifier);
    }

    fn initialize(&self, revision: Revision, _: &str) -> Result<String, RpcError> {
        Ok(format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{"listChanged":true}}}},"serverInfo":{{"name":"linkspan-agent","version":{}}},"instructions":{}}}"#,
            quote(env!("CARGO_PKG_VERSION")),
            quote(&tools::instructions(&self.launcher.command()))
        ))
    }

    async fn answer(
        &self,
        method: &str,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        match method {
            names::TOOLS_LIST => {
                params.refuse_cursor()?;
                let features = self.features.get();
                *self.listed.lock() = Some(features);
                Ok(tools::list(features, &self.options.servers))
            }
            names::TOOLS_CALL => {
                let (tool, arguments) = tool_call(params)?;
                if !tools::exists(&tool) {
                    return Err(RpcError::invalid_params(format!("unknown tool: {tool}")));
                }
                let token = params
                    .get("_meta")
                    .and_then(|meta| meta.get("progressToken"))
                    .filter(|t| matches!(t.kind(), JsonKind::String | JsonKind::Number))
                    .map(|token| Json::text(token).to_owned());
                let result = self.call(&tool, arguments, token, call.caller()).await;
                Ok(result.unwrap_or_else(|error| tool_text(&error.to_string(), true)))
            }
            _ => Err(RpcError::method_not_found(method)),
        }
    }

    fn on_notification(&self, note: &Message) {
        self.offered.on_notification(note);
    }
}

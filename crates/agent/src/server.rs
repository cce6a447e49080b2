//! The desk: an MCP server whose tools are what an editor does with an agent.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use linkspan_desk::{Call, Caller, Desk, Offered, Params, Teller, tool_call};
use linkspan_mcp::{Revision, names, tool_text};
use linkspan_wire::{Json, JsonKind, Message, RpcError, quote};

use crate::known::{Known, Seen};
use crate::options::AgentOptions;
use crate::running::{Running, Starter, Trouble};
use crate::tools;

/// How long a client may think about which folders it has. It is a program that knows.
const ASKING: Duration = Duration::from_secs(10);

/// One connection.
pub(crate) struct AgentDesk {
    pub(crate) starter: Arc<Starter>,
    pub(crate) terms: Arc<AgentOptions>,
    pub(crate) known: Arc<Known>,
    offered: Offered,
    teller: OnceLock<Teller>,
    /// What was known when the client was told the tools.
    listed: Mutex<Option<Option<Seen>>>,
}

impl AgentDesk {
    pub(crate) fn new(starter: Arc<Starter>, terms: Arc<AgentOptions>, known: Arc<Known>) -> Self {
        Self {
            starter,
            terms,
            known,
            offered: Offered::default(),
            teller: OnceLock::new(),
            listed: Mutex::default(),
        }
    }

    /// The agent; started if there is none.
    pub(crate) async fn agent(&self, caller: &Caller) -> Result<Arc<Running>, Trouble> {
        let (running, is_new) = self.starter.agent(caller).await?;
        if is_new {
            self.known.learn(&running.hello);
            self.tools_may_have_changed().await;
        }
        Ok(running)
    }

    /// Tells the client if it was told other tools than there are.
    pub(crate) async fn tools_may_have_changed(&self) {
        let now = self.known.get();
        let changed = {
            let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
            let changed = listed.is_some_and(|then| tools::names(then) != tools::names(now));
            if changed {
                *listed = Some(now);
            }
            changed
        };
        if let Some(teller) = self.teller.get().filter(|_| changed) {
            teller.tell("notifications/tools/list_changed", None).await;
        }
    }

    /// Where a session works: where the caller says, or where the user said, or where the client is.
    pub(crate) async fn cwd(
        &self,
        given: Option<&str>,
        caller: &Caller,
    ) -> Result<String, Trouble> {
        let folder = match (given, &self.terms.cwd) {
            (Some(given), _) => {
                let path = Path::new(given);
                if !path.is_absolute() || !path.is_dir() {
                    return Err(format!(
                        "`cwd` must be the absolute path of a folder that exists, and `{given}` is not"
                    ));
                }
                path.to_owned()
            }
            (None, Some(cwd)) => cwd.clone(),
            (None, None) => {
                let offered = self.offered.get(caller, ASKING).await;
                let first = offered.into_iter().find(|folder| folder.is_dir());
                match first {
                    Some(folder) => folder,
                    None => std::env::current_dir()
                        .map_err(|e| format!("there is no current folder ({e}): give `cwd`"))?,
                }
            }
        };
        let text = folder.to_str().map(str::to_owned);
        text.ok_or_else(|| format!("{} is no UTF-8 and cannot be sent", folder.display()))
    }
}

impl Desk for AgentDesk {
    fn opened(&self, teller: Teller) {
        let _ = self.teller.set(teller);
    }

    fn welcome(&self, revision: Revision, _: &str) -> Result<String, RpcError> {
        Ok(format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{{"tools":{{"listChanged":true}}}},"serverInfo":{{"name":"linkspan-agent","version":{}}},"instructions":{}}}"#,
            quote(env!("CARGO_PKG_VERSION")),
            quote(&tools::instructions(&self.starter.command()))
        ))
    }

    async fn answer(
        &self,
        method: &str,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        match method {
            names::TOOLS_LIST if params.get("cursor").is_some() => Err(RpcError::invalid_params(
                "there is no such page: the list of tools is not cut into pages",
            )),
            names::TOOLS_LIST => {
                let seen = self.known.get();
                *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
                Ok(tools::list(seen, &self.terms.servers))
            }
            names::TOOLS_CALL => {
                let (tool, arguments) = tool_call(params)?;
                if !tools::is_one(&tool) {
                    return Err(RpcError::invalid_params(format!("unknown tool: {tool}")));
                }
                let token = params
                    .get("_meta")
                    .and_then(|meta| meta.get("progressToken"))
                    .filter(|t| matches!(t.kind(), JsonKind::String | JsonKind::Number))
                    .map(|token| Json::text(token).to_owned());
                let done = self.call(&tool, arguments, token, call.caller()).await;
                Ok(done.unwrap_or_else(|trouble| tool_text(&trouble, true)))
            }
            _ => Err(RpcError::method_not_found(method)),
        }
    }

    fn heard(&self, note: &Message) {
        self.offered.heard(note);
    }
}

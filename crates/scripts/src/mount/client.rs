//! The client side of a mounted server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use linkspan_local::Caller;
use linkspan_mcp::{Revision, names};
use linkspan_wire::{Json, Kind, Message, RpcError};
use serde_json::Value;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::timeout;

use super::MountContext;
use super::server::{Order, Request, Server};
use crate::folder::{RunSettings, Tool};
use crate::run::clock::Clock;
use crate::worker::spawn;

/// Requests that may wait for the server.
const QUEUE: usize = 16;
/// Limit of pages of a list, against endless cursors.
const MOST_PAGES: usize = 100;

pub(super) struct Client {
    orders: mpsc::Sender<Order>,
    tools: Mutex<Option<Arc<Vec<Value>>>>,
    /// Set when the server sends `tools/list_changed`.
    stale: Arc<AtomicBool>,
    /// The time limit of the handshake, and of each page of tools.
    patience: Duration,
}

impl Client {
    /// Starts the server and shakes hands.
    pub(super) async fn start(
        entry: &Arc<Tool>,
        context: &MountContext<'_>,
    ) -> Result<Self, RpcError> {
        let failed =
            |why: String| RpcError::internal(format!("`{}` did not start: {why}", entry.name));
        let (guard, pipes) = spawn(context.runner, entry)
            .await
            .map_err(|e| failed(e.to_string()))?;
        let (orders, wanted) = mpsc::channel(QUEUE);
        let stale = Arc::new(AtomicBool::new(false));
        let server = Server::new(entry, context, wanted, stale.clone());
        tokio::spawn(server.run(guard, pipes));
        let client = Self {
            orders,
            tools: Mutex::new(None),
            stale,
            patience: entry.run.timeout,
        };
        let capabilities = capabilities(&context.caller);
        let params = format!(
            r#"{{"protocolVersion":"{}","capabilities":{capabilities},"clientInfo":{{"name":"linkspan","version":"{}"}}}}"#,
            Revision::LAST_LEGACY,
            env!("CARGO_PKG_VERSION"),
        );
        let asking = client.ask(names::INITIALIZE, &params, context.caller.clone(), None);
        let answer = timeout(client.patience, asking).await;
        answer.map_err(|_| failed("it does not answer `initialize`".to_owned()))??;
        let note = Message::notification(names::INITIALIZED, None);
        let _ = client.orders.send(Order::Tell(note)).await;
        Ok(client)
    }

    pub(super) fn is_alive(&self) -> bool {
        !self.orders.is_closed()
    }

    /// All tools of the server.
    pub(super) async fn tools(&self, caller: Caller) -> Result<Arc<Vec<Value>>, RpcError> {
        let mut known = self.tools.lock().await;
        if self.stale.swap(false, Ordering::Relaxed) {
            *known = None;
        }
        if let Some(tools) = &*known {
            return Ok(tools.clone());
        }
        let mut tools = Vec::new();
        let mut params = "{}".to_owned();
        let mut seen = std::collections::HashSet::new();
        for _ in 0..MOST_PAGES {
            let asking = self.ask(names::TOOLS_LIST, &params, caller.clone(), None);
            let answer = timeout(self.patience, asking).await;
            let page = answer.map_err(|_| RpcError::internal("it does not list its tools"))??;
            let page: Value = serde_json::from_str(&page)
                .map_err(|e| RpcError::internal(format!("its list of tools is odd: {e}")))?;
            tools.extend(page["tools"].as_array().cloned().unwrap_or_default());
            match page["nextCursor"].as_str() {
                // An empty or repeated cursor ends the list.
                Some(cursor) if !cursor.is_empty() && seen.insert(cursor.to_owned()) => {
                    params = serde_json::json!({ "cursor": cursor }).to_string();
                }
                Some(_) => {
                    tracing::warn!(
                        "a mounted server repeats a page of its tools; they may not be complete"
                    );
                    break;
                }
                None => break,
            }
        }
        let tools = Arc::new(tools);
        *known = Some(tools.clone());
        Ok(tools)
    }

    pub(super) async fn call(
        &self,
        params: &str,
        caller: Caller,
        run: &RunSettings,
    ) -> Result<String, RpcError> {
        let clock = Clock::new(run, None);
        self.ask(names::TOOLS_CALL, params, caller, Some(clock))
            .await
    }

    async fn ask(
        &self,
        method: &str,
        params: &str,
        caller: Caller,
        clock: Option<Clock>,
    ) -> Result<String, RpcError> {
        let (reply, told) = oneshot::channel();
        let token = Json::parse(params)
            .ok()
            .and_then(|p| p.path(&["_meta", "progressToken"]));
        let request = Request {
            method: method.to_owned(),
            params: params.to_owned(),
            caller,
            token: token.map(|token| token.text().to_owned()),
            clock,
            reply,
        };
        let gone = || RpcError::internal("the server has gone; call again");
        let sent = self.orders.send(Order::Ask(Box::new(request))).await;
        sent.map_err(|_| gone())?;
        // The server task notices when this receiver is dropped.
        let answer = told.await.map_err(|_| gone())??;
        let body = answer.body().map_or("{}", Json::text);
        match answer.kind() {
            Kind::Result => Ok(body.to_owned()),
            _ => Err(error(body)),
        }
    }
}

/// The capabilities of the client that servers may use.
fn capabilities(caller: &Caller) -> String {
    let mut can = serde_json::Map::new();
    for name in ["elicitation", "sampling", "roots"] {
        if caller.client_can(&[name]) {
            can.insert(name.to_owned(), serde_json::json!({}));
        }
    }
    Value::Object(can).to_string()
}

fn error(body: &str) -> RpcError {
    let json = Json::parse(body).ok();
    let code = json.and_then(|json| json.get("code")?.as_i64());
    let message = json.and_then(|json| Some(json.get("message")?.as_str()?.into_owned()));
    let error = RpcError::new(code.unwrap_or(-32603), message.unwrap_or_default());
    match json.and_then(|json| json.get("data")) {
        Some(data) => error.with_data(data.text().to_owned()),
        None => error,
    }
}

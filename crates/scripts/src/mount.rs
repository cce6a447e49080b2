//! Mounted servers: `mode: mcp`.
//!
//! The executable is an MCP server on stdin and stdout. Every connection has its own process, so its questions
//! go to the right client. Its tools are listed among those of the folder.

mod client;
mod server;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use linkspan_local::Caller;
use linkspan_wire::RpcError;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::folder::{Catalogue, Mode, MountSettings, Tool};
use crate::run::Runner;
use crate::run::observer::{ChangeEvents, News, Threshold};
use crate::serve::Diagnostic;
use client::Client;

/// How long a server that failed to start is omitted from lists before the next attempt.
const LEFT_OUT: Duration = Duration::from_secs(30);

/// The servers of one connection. Waiting for one of them does not delay calls of another.
#[derive(Default)]
pub(crate) struct Mounts(parking_lot::Mutex<HashMap<String, Arc<Mutex<Slot>>>>);

/// The server of one entry.
#[derive(Default)]
struct Slot {
    client: Option<Arc<Client>>,
    /// The time and error of the last failed start.
    failed: Option<(Instant, RpcError)>,
}

/// The context in which a mounted server runs.
pub(crate) struct MountContext<'a> {
    pub(crate) runner: &'a Arc<Runner>,
    pub(crate) events: &'a ChangeEvents,
    pub(crate) threshold: &'a Threshold,
    pub(crate) caller: Caller,
}

impl Mounts {
    /// The tools of every server in the catalogue, under the names that clients use. A server that does not
    /// start has none.
    pub(crate) async fn tools(
        &self,
        catalogue: &Catalogue,
        context: &MountContext<'_>,
    ) -> Vec<Value> {
        let asking = mounted(catalogue).map(|(entry, settings)| async move {
            let listed = match self.client(entry, context, LEFT_OUT).await {
                Ok(client) => client.tools(context.caller.clone()).await,
                Err(e) => Err(e),
            };
            (entry, settings, listed)
        });
        let mut all = Vec::new();
        for (entry, settings, listed) in join_all(asking).await {
            match listed {
                Ok(tools) => all.extend(
                    tools
                        .iter()
                        .filter_map(|tool| renamed(tool, entry, settings)),
                ),
                Err(e) => {
                    let text = format!("`{}` is left out: {}", entry.name, e.message());
                    tracing::warn!("{text}");
                    let diagnostic = Diagnostic::warning(&text);
                    let _ = context.events.send(News::Diagnostic(diagnostic));
                }
            }
        }
        all
    }

    /// Calls the tool of a mounted server; `None` if no server has it.
    pub(crate) async fn call(
        &self,
        catalogue: &Catalogue,
        name: &str,
        params: &str,
        context: &MountContext<'_>,
    ) -> Option<Result<String, RpcError>> {
        for (entry, settings) in mounted(catalogue) {
            let prefix = prefix(entry, settings);
            let Some(inner) = name.strip_prefix(&prefix).filter(|inner| !inner.is_empty()) else {
                continue;
            };
            let client = match self.client(entry, context, Duration::ZERO).await {
                Ok(client) => client,
                Err(e) => return Some(Err(e)),
            };
            let tools = match client.tools(context.caller.clone()).await {
                Ok(tools) => tools,
                Err(e) => return Some(Err(e)),
            };
            if !tools.iter().any(|tool| tool["name"] == inner) {
                continue;
            }
            let params = with_name(params, inner);
            return Some(
                client
                    .call(&params, context.caller.clone(), &entry.run)
                    .await,
            );
        }
        None
    }

    /// The server of an entry; started if it does not run. A start that failed while this call waited, or at
    /// most `left_out` before it, is not repeated.
    async fn client(
        &self,
        entry: &Arc<Tool>,
        context: &MountContext<'_>,
        left_out: Duration,
    ) -> Result<Arc<Client>, RpcError> {
        let asked = Instant::now();
        let slot = self.slot(&entry.name);
        let mut slot = slot.lock().await;
        if let Some(client) = slot.client.as_ref().filter(|client| client.is_alive()) {
            return Ok(client.clone());
        }
        if let Some((when, why)) = &slot.failed
            && *when + left_out >= asked
        {
            return Err(why.clone());
        }
        let started = Client::start(entry, context).await;
        slot.failed = started.as_ref().err().map(|e| (Instant::now(), e.clone()));
        let client = Arc::new(started?);
        slot.client = Some(client.clone());
        Ok(client)
    }

    fn slot(&self, name: &str) -> Arc<Mutex<Slot>> {
        let mut slots = self.0.lock();
        slots.entry(name.to_owned()).or_default().clone()
    }
}

fn mounted(catalogue: &Catalogue) -> impl Iterator<Item = (&Arc<Tool>, &MountSettings)> {
    catalogue.tools.iter().filter_map(|tool| match &tool.mode {
        Mode::Mcp(settings) => Some((tool, settings)),
        Mode::Once | Mode::Worker(_) => None,
    })
}

fn prefix(entry: &Tool, settings: &MountSettings) -> String {
    let usual = || format!("{}_", entry.name);
    settings.prefix.clone().unwrap_or_else(usual)
}

fn renamed(tool: &Value, entry: &Tool, settings: &MountSettings) -> Option<Value> {
    let name = format!("{}{}", prefix(entry, settings), tool.get("name")?.as_str()?);
    let mut tool = tool.as_object()?.clone();
    tool.insert("name".to_owned(), name.into());
    Some(Value::Object(tool))
}

/// The parameters with another tool name.
fn with_name(params: &str, name: &str) -> String {
    let json = linkspan_wire::Json::parse(params).ok();
    let mut out = format!(r#"{{"name":{}"#, linkspan_wire::quote(name));
    for (key, value) in json.into_iter().flat_map(|json| json.members()) {
        if key != "name" {
            out.push_str(&format!(",{}:{}", linkspan_wire::quote(&key), value.text()));
        }
    }
    out.push('}');
    crate::run::on_one_line(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_is_replaced() {
        assert_eq!(
            with_name(
                "{\"name\":\"x_echo\",\"arguments\":{\"n\":1.0},\n\"_meta\":{}}",
                "echo"
            ),
            r#"{"name":"echo","arguments":{"n":1.0},"_meta":{}}"#
        );
    }
}

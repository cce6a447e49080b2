//! The BCP server: three tools for the files of certain folders.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use linkspan_local::{Call, Handler, Offered, Params, StopFlag, Workers, tool_call};
use linkspan_mcp::{Revision, initialize_result, names, tool_text, tool_texts, tools_list};
use linkspan_wire::{Json, Message, RpcError};
use tokio::time::timeout;

use crate::engine::{Engine, MOST_TEXT, ToolOutput};
use crate::error::{BcpError, Result};
use crate::files::{PartialFiles, Roots};
use crate::perform::{Done, perform};
use crate::request::Request;
use crate::settings::Settings;
use crate::tools::TOOLS;

const NAME: &str = "bcp-mcp-server";
/// How long a client may take to list its folders.
const ASKING: Duration = Duration::from_secs(10);
/// How long a job may run after its time limit to stop, clean up and report its result.
const GRACE: Duration = Duration::from_millis(250);

/// State shared by all connections of a server.
pub struct BcpServerOptions<E> {
    /// The implementation of the tools.
    pub engine: E,
    /// The folders that may be used.
    pub roots: Roots,
    /// The settings.
    pub settings: Settings,
    /// Whether a client may offer further folders.
    pub client_roots: bool,
    /// The threads that run calls.
    pub workers: Workers,
    /// The files that are being written.
    pub partial: PartialFiles,
}

/// One connection.
pub struct BcpServer<E> {
    options: Arc<BcpServerOptions<E>>,
    offered: Offered,
}

impl<E: Engine> BcpServer<E> {
    /// A new connection.
    pub fn new(options: Arc<BcpServerOptions<E>>) -> Self {
        Self {
            options,
            offered: Offered::default(),
        }
    }

    async fn attempts(
        &self,
        request: Arc<Request>,
        call: &mut Call,
        until: Option<Instant>,
        done: &Done,
    ) -> Result<ToolOutput> {
        match self.attempt(&request, Vec::new(), call, until, done).await {
            Err(error) if error.is_outside() => {
                let offered = self.offered(call, until).await;
                if offered.is_empty() {
                    return Err(error);
                }
                self.attempt(&request, offered, call, until, done).await
            }
            done => done,
        }
    }

    /// Performs a call with the folders of the server and those that the client offers.
    async fn attempt(
        &self,
        request: &Arc<Request>,
        offered: Vec<PathBuf>,
        call: &mut Call,
        until: Option<Instant>,
        done: &Done,
    ) -> Result<ToolOutput> {
        let (options, request, done) = (self.options.clone(), request.clone(), done.clone());
        let job = move |stop: &StopFlag| {
            let mut roots = options.roots.clone();
            for folder in &offered {
                if let Err(e) = roots.add(folder) {
                    tracing::debug!("the client's root {} is left out: {e}", folder.display());
                }
            }
            let BcpServerOptions {
                engine, partial, ..
            } = &*options;
            perform(engine, &request, &roots, partial, &done, &|| stop.is_due())
        };
        let done = call.work(&self.options.workers, until, job).await;
        done.unwrap_or(Err(BcpError::Panicked))
    }

    /// The folders that the client offers.
    async fn offered(&self, call: &mut Call, until: Option<Instant>) -> Vec<PathBuf> {
        if !self.options.client_roots {
            return Vec::new();
        }
        // Half of the remaining time, so that the rest is enough for the error.
        let left = until.map(|until| until.saturating_duration_since(Instant::now()) / 2);
        let patience = left.map_or(ASKING, |left| left.min(ASKING));
        call.release_slot();
        self.offered.get(call, patience).await
    }
}

impl<E: Engine> Handler for BcpServer<E> {
    fn initialize(&self, revision: Revision, _: &str) -> Result<String, RpcError> {
        let version = env!("CARGO_PKG_VERSION");
        Ok(initialize_result(revision, NAME, version))
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
                Ok(listed())
            }
            names::TOOLS_CALL => {
                let (tool, arguments) = tool_call(params)?;
                self.call(&tool, arguments, call).await
            }
            _ => Err(RpcError::method_not_found(method)),
        }
    }

    fn on_notification(&self, note: &Message) {
        self.offered.on_notification(note);
    }
}

/// The result of `tools/list`.
fn listed() -> String {
    Json::parse(TOOLS).map_or_else(|_| r#"{"tools":[]}"#.to_owned(), tools_list)
}

impl<E: Engine> BcpServer<E> {
    async fn call(
        &self,
        tool: &str,
        arguments: Json<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        let settings = &self.options.settings;
        let request = match Request::parse(tool, arguments, settings.mode) {
            Ok(request) => Arc::new(request),
            Err(error @ BcpError::UnknownTool(_)) => {
                return Err(RpcError::invalid_params(error.to_string()));
            }
            // A model can correct its arguments, so this is a result of the tool.
            Err(error) => return Ok(tool_text(&error.to_string(), true)),
        };
        let until = settings.limit.and_then(|l| Instant::now().checked_add(l));
        let done = Done::default();
        let answering = self.attempts(request, call, until, &done);
        let answer = match settings.limit {
            None => answering.await,
            Some(limit) => match timeout(limit.saturating_add(GRACE), answering).await {
                Ok(Err(_)) if until.is_some_and(|until| Instant::now() >= until) => {
                    Err(BcpError::Late(limit))
                }
                Ok(answer) => answer,
                Err(_) => Err(BcpError::Late(limit)),
            },
        };
        let answer = done.or(answer).and_then(bounded);
        Ok(tool_result(answer))
    }
}

/// Refuses a text that is too long for a message.
pub(crate) fn bounded(output: ToolOutput) -> Result<ToolOutput> {
    let bytes = output.text.len();
    if bytes > MOST_TEXT {
        return Err(BcpError::TextTooLong(bytes));
    }
    Ok(output)
}

/// The result of a tool call.
pub fn tool_result(answer: Result<ToolOutput>) -> String {
    match answer {
        Ok(ToolOutput { text, note: None }) => tool_text(&text, false),
        Ok(ToolOutput {
            text,
            note: Some(note),
        }) => tool_texts(&[&text, &note], false),
        Err(error) => tool_text(&error.to_string(), true),
    }
}

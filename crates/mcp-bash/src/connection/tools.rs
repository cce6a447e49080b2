//! `tools/call`

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use linkspan_local::{Call, Caller, Params};
use linkspan_wire::{Json, JsonKind, Kind as Answer, RpcError};
use serde_json::Value;
use tokio::task::spawn_blocking;

use super::super::env::{ToolCall, of_tool};
use super::super::files::{CallFiles, DECLINED, Question};
use super::super::manual::Kind;
use super::super::policy::{self, Asker, Leave};
use super::super::project::Item;
use super::super::result::{self, Late, Reason};
use super::super::roots::Root;
use super::super::snapshot::ProjectSnapshot;
use super::super::{ci, limits, meta, quirks, stdio, ui};
use super::{Connection, some_text, value};
use crate::os::{self, OwnedFd, pipe};
use linkspan_scripts::folder::RunSettings;
use linkspan_scripts::host::{
    CallObserver, Ended, Env, Job, MessageLimits, Outcome, Printed, Stdin, asked_timeout,
    bare_token, describe_caller, meta as meta_of, on_one_line, progress_token, put,
    put_capabilities, run,
};

/// Poll interval for the question file of a tool.
const LOOK: Duration = Duration::from_millis(20);
/// The exit code of a timed-out tool, as `timeout` returns it.
const LATE: i32 = 124;

impl Connection {
    pub(super) async fn call_tool(
        &self,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        let held = self.held()?;
        let snapshot = held.readable(Kind::Tools)?;
        let name = some_text(params, "name")
            .ok_or_else(|| RpcError::invalid_params("Tool name is required"))?;
        let item = snapshot
            .project
            .tool(&name)
            .ok_or_else(|| RpcError::invalid_params(format!("Tool '{name}' not found")))?;
        let arguments = match params.get("arguments") {
            None => "{}".to_owned(),
            Some(json) if json.kind() == JsonKind::Object => on_one_line(json.text()).into_owned(),
            Some(_) => return Err(RpcError::invalid_params("Invalid arguments JSON")),
        };
        let leave = leave(&held, item).await?;
        let settings = limits::of_tool(item, &leave.vars);
        let permit = self
            .folder
            .runner()
            .permit_of(&self.share, &name, None)
            .await;
        let (ours, _permit) =
            permit.map_err(|_| RpcError::server("Too many requests: try again later"))?;
        call.hold(ours);
        let asked = limits::asked(params.get("timeoutSecs").map(value).as_ref());
        let run = Run {
            snapshot,
            item,
            leave,
            settings,
            asked: asked.or_else(|| {
                asked_timeout(
                    meta_of(params),
                    &limits::of_tool(item, &snapshot.project.vars),
                )
            }),
            arguments,
            meta: meta_of(params),
            roots: self
                .roots
                .get(&snapshot.project, &snapshot.project.vars)
                .await,
        };
        run.go(&name, self, call.caller()).await
    }
}

/// Checks whether the tool may be called.
async fn leave(snapshot: &Arc<ProjectSnapshot>, item: &Item) -> Result<Leave, RpcError> {
    let (snapshot, item) = (snapshot.clone(), item.clone());
    let asked = spawn_blocking(move || {
        let project = &snapshot.project;
        policy::check(
            &item,
            Asker::Client,
            &project.vars,
            &project.places,
            &snapshot.tooling,
        )
    });
    asked
        .await
        .unwrap_or_else(|_| Err(RpcError::internal("Tool policy could not be asked")))
}

/// One call.
struct Run<'a> {
    snapshot: &'a ProjectSnapshot,
    item: &'a Item,
    leave: Leave,
    settings: RunSettings,
    /// The time limit that the client requests.
    asked: Option<Duration>,
    arguments: String,
    meta: Option<Json<'a>>,
    roots: Vec<Root>,
}

impl Run<'_> {
    async fn go(
        &self,
        name: &str,
        connection: &Connection,
        caller: Caller,
    ) -> Result<String, RpcError> {
        let runner = connection.folder.runner();
        let no_place = |e| RpcError::internal(format!("Tool files could not be made: {e}"));
        let files = CallFiles::create(runner.folder()).map_err(no_place)?;
        let files = Arc::new(files);
        let vars = &self.leave.vars;
        let trace = ci::trace(name, &self.leave.path, vars, &self.snapshot.tooling);
        let elicits = quirks::elicits(|way| caller.client_can(way));
        let marker = runner.marker();
        let mut env = self
            .env(name, connection, &caller, &files, &marker)
            .map_err(no_place)?;
        let words = match &trace {
            Some(file) => {
                for (name, value) in ci::trace_env(file, vars) {
                    put(&mut env, name, value);
                }
                ci::traced(&self.leave.path)
            }
            None => meta::argv(&self.leave.path).unwrap_or_default(),
        };
        let (streams, holds, still) = pipes(&files);
        let job = Job {
            words,
            executed: vec![self.leave.path.clone()],
            env,
            cwd: self.snapshot.project.places.root.clone(),
            stdin: Stdin::Null,
            // mcp-bash tools use files instead of a control channel, and their stdout has another format.
            control: false,
            run: &self.settings,
            timeout: self.asked,
            roots: Vec::new(),
            marker,
            cancel: files.cancel_file(),
            files: Vec::new(),
            kept: Some(Box::new((files.clone(), still))),
            streams,
            holds,
        };
        let mut observer = self.observer(name, connection, caller.clone());
        let outcome = tokio::select! {
            outcome = run(runner, job, Some(&mut observer)) => outcome,
            never = attend(&files, &caller, elicits) => match never {},
        };
        let outcome = outcome.map_err(|e| {
            tracing::warn!("`{name}` did not start: {e}");
            RpcError::internal("Tool could not be started")
                .with_data(linkspan_wire::quote(&e.to_string()))
        })?;
        let trace = trace.as_deref().and_then(ci::last_line);
        self.mapped(name, outcome, &files, trace.as_deref())
    }

    /// The environment of the tool.
    fn env(
        &self,
        name: &str,
        connection: &Connection,
        caller: &Caller,
        files: &CallFiles,
        marker: &str,
    ) -> io::Result<Env> {
        let vars = &self.leave.vars;
        let meta = stdio::without_token(self.meta.map(Json::text), vars);
        let about = Value::Object(self.item.clone()).to_string();
        let token = bare_token(self.meta);
        let told = ToolCall {
            name,
            path: &self.leave.path,
            arguments: &self.arguments,
            metadata: &about,
            meta: &meta,
            token: &token,
            roots: &self.roots,
            elicits: quirks::elicits(|way| caller.client_can(way)) != (false, false),
            ui: caller.client_can(&["extensions", ui::EXTENSION]),
        };
        let project = &self.snapshot.project;
        let mut env = of_tool(&told, files, vars, &project.places, &self.snapshot.tooling)?;
        put(&mut env, "LINKSPAN_CALL", marker);
        put(&mut env, "MCP_LOG_LEVEL", connection.threshold.name());
        if vars.get("MCPBASH_SERVER_NAME").is_none() {
            put(&mut env, "MCPBASH_SERVER_NAME", project.server_name());
        }
        put_capabilities(&mut env, caller);
        describe_caller(&mut env, &connection.caller);
        Ok(env)
    }

    fn observer(&self, name: &str, connection: &Connection, caller: Caller) -> CallObserver {
        let (progress, logs) = limits::rates(&self.leave.vars);
        let most =
            |n: Option<u64>| n.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        let message_limits = MessageLimits {
            progress: most(progress),
            logs: most(logs),
            standing_still: true,
            last_word: false,
        };
        connection.folder.observer(
            caller,
            progress_token(self.meta),
            connection.threshold.clone(),
            name,
            message_limits,
        )
    }

    fn mapped(
        &self,
        name: &str,
        mut ran: Outcome,
        files: &CallFiles,
        trace: Option<&str>,
    ) -> Result<String, RpcError> {
        let vars = &self.leave.vars;
        let most = self.settings.max_output;
        let stderr = tail(&ran.stderr, limits::stderr_tail(vars));
        let (code, late) = match ran.ended {
            Ended::Code(code) => (code, None),
            Ended::Flooded => (0, None),
            Ended::TimedOut(took) => (LATE, Some(self.late(took))),
        };
        let stdout = match &ran.stdout {
            Printed::Whole(bytes) => Some(bytes.as_slice()),
            Printed::Large(_) => None,
        };
        let stderr_most = limits::stderr(vars);
        let said = files.said_error();
        let places = &self.snapshot.project.places;
        let resources = files.said_resources();
        let outcome = result::Outcome {
            tool: name,
            schema: self.item.get("outputSchema").filter(|s| s.is_object()),
            code,
            stdout: stdout.unwrap_or_default(),
            stdout_over: stdout.is_none().then_some(most),
            stderr,
            stderr_over: (ran.stderr_size > stderr_most as u64).then_some(stderr_most),
            late,
            error: said.as_deref(),
            resources: resources.map_or_else(Vec::new, |said| {
                result::embedded(&said, &self.roots, places)
            }),
            trace,
            verbose: vars.is_on("MCPBASH_DEBUG_ERRORS"),
        };
        // An error sent on the control channel counts like one in the error file.
        let mapped = match ran.error.take() {
            Some(error) => Err(error),
            None => result::map(&outcome),
        };
        let message = match &mapped {
            Err(error) => Some(error.message().to_owned()),
            Ok(result) => failure(result),
        };
        if let Some(message) = message {
            let failure = ci::Failure {
                tool: name,
                code,
                late: late.is_some(),
                arguments: &self.arguments,
                message: &message,
                stderr,
                trace,
                roots: self.roots.len(),
            };
            ci::failed(&failure, vars);
        }
        mapped
    }

    fn late(&self, took: Duration) -> Late<'_> {
        let run = &self.settings;
        let timeout = self.asked.unwrap_or(run.timeout);
        let longest = run.max_timeout.max(timeout);
        Late {
            reason: if !run.progress_extends {
                Reason::Fixed
            } else if took >= longest {
                Reason::Max
            } else {
                Reason::Idle
            },
            timeout,
            longest: run.progress_extends.then_some(longest),
            hint: run.timeout_hint.as_deref(),
        }
    }
}

/// The error message of a result with `isError`.
fn failure(result: &str) -> Option<String> {
    let json = Json::parse(result).ok()?;
    if json.get("isError").and_then(Json::as_bool) != Some(true) {
        return None;
    }
    let first = json.get("content")?.elements().next()?;
    Some(first.get("text")?.as_str()?.into_owned())
}

/// The last bytes of a text, from a character boundary on.
fn tail(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// The read ends of a call's pipes, writers that keep them open between two writes of the tool, and readers
/// that keep a late write from blocking.
fn pipes(files: &CallFiles) -> (Vec<pipe::Receiver>, Vec<OwnedFd>, Vec<OwnedFd>) {
    let (mut streams, mut holds, mut still) = (Vec::new(), Vec::new(), Vec::new());
    for path in [files.progress(), files.log()] {
        match os::named_pipe(&path) {
            Ok((stream, again, hold)) => {
                streams.push(stream);
                still.push(again);
                holds.push(hold);
            }
            Err(e) => tracing::debug!("{}: {e}", path.display()),
        }
    }
    (streams, holds, still)
}

/// Forwards the tool's questions to the client while the tool runs.
async fn attend(files: &CallFiles, caller: &Caller, (form, url): (bool, bool)) -> Infallible {
    if !form && !url {
        return std::future::pending().await;
    }
    loop {
        tokio::time::sleep(LOOK).await;
        let Some(question) = files.asked() else {
            continue;
        };
        let can = match question {
            Question::Form { .. } => form,
            Question::Url { .. } => url,
        };
        let answer = if can {
            ask(caller, &question).await
        } else {
            DECLINED.to_owned()
        };
        if let Err(e) = files.answer(&answer) {
            tracing::warn!("cannot pass an answer to the tool: {e}");
        }
    }
}

async fn ask(caller: &Caller, question: &Question) -> String {
    const FAILED: &str = r#"{"action":"error","content":null}"#;
    let answer = caller
        .ask("elicitation/create", Some(&question.params()))
        .await;
    let result = answer
        .as_ref()
        .filter(|answer| answer.kind() == Answer::Result)
        .and_then(|answer| answer.body());
    result.map_or_else(
        || FAILED.to_owned(),
        |result| on_one_line(result.text()).into_owned(),
    )
}

//! `tools/call`

use std::convert::Infallible;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use linkspan_local::{Call, Caller, Params};
use linkspan_wire::{Json, JsonKind, Kind as Answer, RpcError};
use serde_json::Value;
use tokio::net::unix::pipe;
use tokio::task::spawn_blocking;

use super::super::env::{ToolCall, of_tool};
use super::super::files::{CallFiles, DECLINED, Question};
use super::super::manual::Kind;
use super::super::policy::{self, Asker, Leave};
use super::super::project::Item;
use super::super::result::{self, Late, Reason};
use super::super::roots::Root;
use super::super::shelf::Shelf;
use super::super::{ci, door, limits, meta, quirks, ui};
use super::{Connection, Held, some_text, value};
use crate::folder::RunSettings;
use crate::run::call_observer::{CallObserver, Talk};
use crate::run::capture::Printed;
use crate::run::env::put;
use crate::run::{Ended, Job, Outcome, Stdin, on_one_line, run};
use crate::serve::jobs::{
    asked_timeout, bare_token, meta as meta_of, progress_token, put_capabilities,
};

/// How often we look whether a tool asks something.
const LOOK: Duration = Duration::from_millis(20);
/// Its exit code if its time was over, as `timeout` has it.
const LATE: i32 = 124;

impl Connection {
    pub(super) async fn call_tool(
        &self,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        let held = self.held()?;
        let shelf = held.readable(Kind::Tools)?;
        let name = some_text(params, "name")
            .ok_or_else(|| RpcError::invalid_params("Tool name is required"))?;
        let item = shelf
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
        let place = self.folder.runner.place_of(&self.share, &name, None).await;
        let (ours, _place) =
            place.map_err(|_| RpcError::server("Too many requests: try again later"))?;
        call.hold(ours);
        let asked = limits::asked(params.get("timeoutSecs").map(value).as_ref());
        let run = Run {
            shelf,
            item,
            leave,
            settings,
            asked: asked.or_else(|| {
                asked_timeout(meta_of(params), &limits::of_tool(item, &shelf.project.vars))
            }),
            arguments,
            meta: meta_of(params),
            roots: self.roots.get(&shelf.project, &shelf.project.vars).await,
        };
        run.go(&name, self, call.caller()).await
    }
}

/// Whether it may be called.
async fn leave(held: &Held, item: &Item) -> Result<Leave, RpcError> {
    let (held, item) = (held.clone(), item.clone());
    let asked = spawn_blocking(move || {
        let shelf = held.shelf()?;
        let project = &shelf.project;
        policy::check(
            &item,
            Asker::Client,
            &project.vars,
            &project.places,
            &shelf.tooling,
        )
    });
    asked
        .await
        .unwrap_or_else(|_| Err(RpcError::internal("Tool policy could not be asked")))
}

/// One call.
struct Run<'a> {
    shelf: &'a Shelf,
    item: &'a Item,
    leave: Leave,
    settings: RunSettings,
    /// The time that the client asks for.
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
        let runner = &connection.folder.runner;
        let no_place = |e| RpcError::internal(format!("Tool files could not be made: {e}"));
        let files = CallFiles::create(runner.folder()).map_err(no_place)?;
        let files = Arc::new(files);
        let vars = &self.leave.vars;
        let trace = ci::trace(name, &self.leave.path, vars, &self.shelf.tooling);
        let elicits = quirks::elicits(|way| caller.client_can(way));
        let marker = runner.marker();
        let meta = door::without(self.meta.map(Json::text), vars);
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
            elicits: elicits != (false, false),
            ui: caller.client_can(&["extensions", ui::EXTENSION]),
        };
        let places = &self.shelf.project.places;
        let mut env =
            of_tool(&told, &files, vars, places, &self.shelf.tooling).map_err(no_place)?;
        put(&mut env, "LINKSPAN_CALL", &marker);
        put(&mut env, "MCP_LOG_LEVEL", connection.threshold.name());
        if vars.get("MCPBASH_SERVER_NAME").is_none() {
            put(
                &mut env,
                "MCPBASH_SERVER_NAME",
                self.shelf.project.server_name(),
            );
        }
        put_capabilities(&mut env, &caller);
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
            cwd: places.root.clone(),
            stdin: Stdin::Null,
            // Its tools speak through files, and mean something else by what they print.
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
        let mut ears = self.ears(name, connection, caller.clone());
        let outcome = tokio::select! {
            outcome = run(runner, job, Some(&mut ears)) => outcome,
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

    fn ears(&self, name: &str, connection: &Connection, caller: Caller) -> CallObserver {
        let (progress, logs) = limits::rates(&self.leave.vars);
        let most =
            |n: Option<u64>| n.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        let talk = Talk {
            progress: most(progress),
            logs: most(logs),
            standing_still: true,
            last_word: false,
        };
        CallObserver::new(
            caller,
            progress_token(self.meta),
            connection.threshold.clone(),
            connection.folder.herald.clone(),
            name,
            talk,
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
        let places = &self.shelf.project.places;
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
        // What was said on the control channel counts like what is in the file.
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
            reason: match run.progress_extends {
                false => Reason::Fixed,
                true if took >= longest => Reason::Max,
                true => Reason::Idle,
            },
            timeout,
            longest: run.progress_extends.then_some(longest),
            hint: run.timeout_hint.as_deref(),
        }
    }
}

/// Why a result is none, if it says so.
fn failure(result: &str) -> Option<String> {
    let json = Json::parse(result).ok()?;
    if json.get("isError").and_then(Json::as_bool) != Some(true) {
        return None;
    }
    let first = json.get("content")?.elements().next()?;
    Some(first.get("text")?.as_str()?.into_owned())
}

/// The last bytes of a text, from the beginning of a character on.
fn tail(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// Our ends of a call's pipes, what keeps them open between two who write, and what keeps those from
/// waiting who write when nobody listens any more.
fn pipes(files: &CallFiles) -> (Vec<pipe::Receiver>, Vec<OwnedFd>, Vec<OwnedFd>) {
    let (mut streams, mut holds, mut still) = (Vec::new(), Vec::new(), Vec::new());
    for path in [files.progress(), files.log()] {
        let open = || {
            let stream = pipe::OpenOptions::new().open_receiver(&path)?;
            let again = stream.as_fd().try_clone_to_owned()?;
            let hold = std::fs::OpenOptions::new().write(true).open(&path)?;
            Ok::<_, std::io::Error>((stream, again, hold))
        };
        match open() {
            Ok((stream, again, hold)) => {
                streams.push(stream);
                still.push(again);
                holds.push(hold.into());
            }
            Err(e) => tracing::debug!("{}: {e}", path.display()),
        }
    }
    (streams, holds, still)
}

/// Asks the client what the tool wants to know, as long as it runs.
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
        let answer = match can {
            false => DECLINED.to_owned(),
            true => ask(caller, &question).await,
        };
        if let Err(e) = files.answer(&answer) {
            tracing::warn!("an answer does not reach the tool: {e}");
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

//! Runs the program of a call in the environment of that call.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_local::{Call, Caller, Params};
use linkspan_mcp::Level;
use linkspan_wire::{Json, JsonKind, RpcError};
use serde_json::{Map, Value};

use super::connection::Connection;
use super::{CallerVariables, Folder};
use crate::folder::{Program, RunSettings};
use crate::run::capture::Printed;
use crate::run::env::{Common, Env, LARGEST, put, roots, scalars};
use crate::run::observer::{CallObserver, Talk};
use crate::run::{Ended, Job, Outcome, Stdin, argv, run};

/// How long a client may take to say which folders it offers. It is a program that knows.
const ASKING: Duration = Duration::from_secs(10);

/// Something to run for a request.
pub(super) struct RunRequest<'a> {
    /// For messages and logs.
    pub(super) name: &'a str,
    pub(super) program: &'a Program,
    pub(super) run: &'a RunSettings,
    /// The arguments as the client spelled them; on stdin, and in the environment.
    pub(super) spelled: &'a str,
    /// Words after those of the program.
    pub(super) further: Vec<String>,
    /// Variables besides those that every program gets.
    pub(super) env: Vec<(&'static str, String)>,
    pub(super) meta: Option<Json<'a>>,
}

impl Connection {
    /// Waits for a place, then runs it.
    pub(super) async fn perform(
        &self,
        request: RunRequest<'_>,
        call: &mut Call,
    ) -> Result<Outcome, RpcError> {
        let runner = &self.folder.runner;
        let own = request.run.concurrency;
        let permit = runner.permit_of(&self.share, request.name, own).await;
        let (ours, _permit) =
            permit.map_err(|_| RpcError::server("too many calls wait already: try again later"))?;
        call.hold(ours);
        let caller = call.caller();
        let mut offered = Vec::new();
        if request.run.sandbox.roots {
            offered = self.offered.get(&caller, ASKING).await;
        }
        let mut job = job(
            &self.folder,
            &request,
            self.threshold.name(),
            Some(&caller),
            offered,
        )?;
        describe_caller(&mut job.env, &self.caller);
        let mut observer = self.observer(&request, caller);
        let name = request.name;
        let outcome = run(runner, job, Some(&mut observer)).await;
        let mut outcome = outcome.unwrap_or_else(|e| did_not_start(&self.folder, name, &e));
        match outcome.error.take() {
            Some(error) => Err(error),
            None => Ok(outcome),
        }
    }
}

impl Connection {
    /// The receiver of what the program reports while it runs.
    pub(super) fn observer(&self, request: &RunRequest<'_>, caller: Caller) -> CallObserver {
        self.folder.observer(
            caller,
            progress_token(request.meta),
            self.threshold.clone(),
            request.name,
            Talk {
                progress: request.run.progress_per_minute,
                logs: request.run.logs_per_minute,
                ..Talk::default()
            },
        )
    }
}

/// Runs it without a client that could be asked or notified.
pub(super) async fn perform_without_client(
    folder: &Arc<Folder>,
    request: RunRequest<'_>,
) -> Result<Outcome, RpcError> {
    let runner = &folder.runner;
    let permit = runner.permit(request.name, request.run.concurrency).await;
    let _permit = permit.map_err(|_| RpcError::server("too many calls wait already"))?;
    let job = job(folder, &request, Level::DEFAULT.name(), None, Vec::new())?;
    let outcome = run(runner, job, None).await;
    Ok(outcome.unwrap_or_else(|e| did_not_start(folder, request.name, &e)))
}

/// What a shell would say and end with.
fn did_not_start(folder: &Folder, name: &str, why: &std::io::Error) -> Outcome {
    folder.diagnose(Level::WARNING, &format!("`{name}` did not start: {why}"));
    let code = match why.kind() {
        std::io::ErrorKind::NotFound => 127,
        _ => 126,
    };
    Outcome {
        ended: Ended::Code(code),
        stdout: Printed::Whole(Vec::new()),
        stderr: format!("it did not start: {why}"),
        stderr_size: 0,
        error: None,
    }
}

/// What is run for it, in which environment.
fn job<'a>(
    folder: &Folder,
    request: &RunRequest<'a>,
    log_level: &str,
    caller: Option<&Caller>,
    offered: Vec<PathBuf>,
) -> Result<Job<'a>, RpcError> {
    let runner = &folder.runner;
    let arguments = Json::parse(request.spelled)
        .map_err(|_| RpcError::internal("the arguments are no JSON"))?;
    let mut words = argv::words(request.program, arguments)
        .map_err(|e| RpcError::invalid_params(e.to_string()))?;
    words.extend(request.further.iter().map(Into::into));
    let marker = runner.marker();
    let cancel = runner.folder().join(format!("{marker}.cancelled"));
    let mut env: Env = runner.base_env(&request.run.env);
    Common {
        root: runner.root(),
        sdk: &runner.files.installed.sdk,
        jq: &runner.files.installed.jq,
        marker: &marker,
        cancel: &cancel,
        log_level,
    }
    .put(&mut env);
    put(&mut env, "MCP_TOOL_NAME", request.name);
    let mut files = Vec::new();
    match request.spelled.len() <= LARGEST {
        true => put(&mut env, "MCP_TOOL_ARGS_JSON", request.spelled),
        false => {
            let path = runner.folder().join(format!("{marker}.arguments"));
            write_private(&path, request.spelled)
                .map_err(|e| RpcError::internal(format!("large arguments found no place: {e}")))?;
            put(&mut env, "MCP_TOOL_ARGS_JSON", "");
            put(&mut env, "MCP_TOOL_ARGS_FILE", &path);
            files.push(path);
        }
    }
    scalars(&mut env, arguments);
    let meta = request.meta.map_or("{}", Json::text);
    put(
        &mut env,
        "MCP_TOOL_META_JSON",
        if meta.len() <= LARGEST { meta } else { "{}" },
    );
    put(&mut env, "MCP_PROGRESS_TOKEN", bare_token(request.meta));
    if let Some(caller) = caller {
        put_capabilities(&mut env, caller);
    }
    if request.run.sandbox.roots {
        roots(&mut env, &offered);
    }
    for (name, value) in &request.env {
        put(&mut env, name, value);
    }
    let cwd = request.run.cwd.clone();
    let cwd = cwd.unwrap_or_else(|| runner.root().to_owned());
    Ok(Job {
        words,
        executed: request.program.files(&cwd, runner.root()),
        env,
        cwd,
        stdin: Stdin::Text(request.spelled.to_owned().into()),
        control: true,
        run: request.run,
        timeout: asked_timeout(request.meta, request.run),
        roots: offered,
        marker,
        cancel,
        files,
        kept: None,
        streams: Vec::new(),
        holds: Vec::new(),
    })
}

/// Tells a program who the client is. Last, so that no setting of the folder says something else.
pub fn describe_caller(env: &mut Env, caller: &CallerVariables) {
    for (name, value) in caller {
        match value {
            Some(value) => put(env, name, value),
            None => env.retain(|(known, _)| known != name),
        }
    }
}

/// Tells a program in its environment what the client can do.
pub fn put_capabilities(env: &mut Env, caller: &Caller) {
    let known: [(&str, &[&str]); 4] = [
        ("elicitation", &["elicitation"]),
        ("elicitation.url", &["elicitation", "url"]),
        ("sampling", &["sampling"]),
        ("roots", &["roots"]),
    ];
    let has = known.iter().filter(|(_, way)| caller.client_can(way));
    let names: Vec<&str> = has.map(|(name, _)| *name).collect();
    let elicits = if names.contains(&"elicitation") {
        "1"
    } else {
        "0"
    };
    put(env, "MCP_CAPABILITIES", names.join(" "));
    put(env, "MCP_ELICIT_SUPPORTED", elicits);
}

/// `_meta` of a request.
pub fn meta<'a>(params: Params<'a>) -> Option<Json<'a>> {
    params
        .get("_meta")
        .filter(|meta| meta.kind() == JsonKind::Object)
}

/// The token under which the client wants to be told of progress: a string or a number.
pub fn progress_token(meta: Option<Json<'_>>) -> Option<String> {
    let token = meta?.get("progressToken")?;
    let fits = matches!(token.kind(), JsonKind::String | JsonKind::Number);
    fits.then(|| token.text().to_owned())
}

/// The same without quotes, for shells.
pub fn bare_token(meta: Option<Json<'_>>) -> String {
    let Some(token) = meta.and_then(|meta| meta.get("progressToken")) else {
        return String::new();
    };
    match token.kind() {
        JsonKind::String => token.as_str().unwrap_or_default().into_owned(),
        JsonKind::Number => token.text().to_owned(),
        _ => String::new(),
    }
}

/// The time limit that the client asks for, as far as the settings allow it.
pub fn asked_timeout(meta: Option<Json<'_>>, run: &RunSettings) -> Option<Duration> {
    let asked = meta?
        .get("linkspan/timeoutSecs")?
        .text()
        .parse::<f64>()
        .ok()?;
    let asked = Duration::try_from_secs_f64(asked)
        .ok()
        .filter(|asked| !asked.is_zero())?;
    Some(asked.min(run.max_timeout.max(run.timeout)))
}

/// Writes a file that only our user may read.
pub(crate) fn write_private(path: &std::path::Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path)?.write_all(text.as_bytes());
    if written.is_err() {
        let _ = std::fs::remove_file(path);
    }
    written
}

/// An object from what a client sent.
pub(super) fn object(json: Json<'_>) -> Result<Map<String, Value>, RpcError> {
    serde_json::from_str(json.text())
        .map_err(|e| RpcError::invalid_params(format!("the arguments cannot be read: {e}")))
}

/// Whether a thing of this name is there.
pub(super) fn find<T>(all: &[Arc<T>], is: impl Fn(&T) -> bool) -> Option<&Arc<T>> {
    all.iter().find(|one| is(one))
}

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
use crate::run::observer::{CallObserver, MessageLimits};
use crate::run::{Ended, Job, Outcome, Stdin, argv, run};

/// Time limit for the client's answer to `roots/list`. No user is involved.
const ASKING: Duration = Duration::from_secs(10);

/// The description of a program run for a request.
pub(super) struct RunRequest<'a> {
    /// The name in messages and logs.
    pub(super) name: &'a str,
    pub(super) program: &'a Program,
    pub(super) run: &'a RunSettings,
    /// The arguments in the client's spelling; on stdin, and in the environment.
    pub(super) spelled: &'a str,
    /// Words after those of the program.
    pub(super) further: Vec<String>,
    /// Variables besides those of every program.
    pub(super) env: Vec<(&'static str, String)>,
    pub(super) meta: Option<Json<'a>>,
}

impl Connection {
    /// Waits for a permit, then runs the program.
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
    /// An observer for the messages of the program.
    pub(super) fn observer(&self, request: &RunRequest<'_>, caller: Caller) -> CallObserver {
        self.folder.observer(
            caller,
            progress_token(request.meta),
            self.threshold.clone(),
            request.name,
            MessageLimits {
                progress: request.run.progress_per_minute,
                logs: request.run.logs_per_minute,
                ..MessageLimits::default()
            },
        )
    }
}

/// Runs the program without a client for questions and notifications.
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

/// The outcome that a shell would report.
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

/// The job of a request: command line and environment.
fn job<'a>(
    folder: &Folder,
    request: &RunRequest<'a>,
    log_level: &str,
    caller: Option<&Caller>,
    offered: Vec<PathBuf>,
) -> Result<Job<'a>, RpcError> {
    let runner = &folder.runner;
    let arguments = Json::parse(request.spelled)
        .map_err(|_| RpcError::internal("the arguments are not JSON"))?;
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
    if request.spelled.len() <= LARGEST {
        put(&mut env, "MCP_TOOL_ARGS_JSON", request.spelled)
    } else {
        let path = runner.folder().join(format!("{marker}.arguments"));
        write_private(&path, request.spelled)
            .map_err(|e| RpcError::internal(format!("large arguments found no place: {e}")))?;
        put(&mut env, "MCP_TOOL_ARGS_JSON", "");
        put(&mut env, "MCP_TOOL_ARGS_FILE", &path);
        files.push(path);
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

/// Sets the variables about the client. Last, so that no setting of the folder overrides them.
pub fn describe_caller(env: &mut Env, caller: &CallerVariables) {
    for (name, value) in caller {
        match value {
            Some(value) => put(env, name, value),
            None => env.retain(|(known, _)| known != name),
        }
    }
}

/// Sets variables with the client's capabilities.
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

/// The `_meta` of a request.
pub fn meta<'a>(params: Params<'a>) -> Option<Json<'a>> {
    params
        .get("_meta")
        .filter(|meta| meta.kind() == JsonKind::Object)
}

/// The client's progress token: a string or a number.
pub fn progress_token(meta: Option<Json<'_>>) -> Option<String> {
    let token = meta?.get("progressToken")?;
    let fits = matches!(token.kind(), JsonKind::String | JsonKind::Number);
    fits.then(|| token.text().to_owned())
}

/// The token without quotes, for shells.
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

/// The time limit that the client requests, as far as the settings allow it.
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

/// Writes a file that only this user may read.
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

/// The arguments as an object.
pub(super) fn object(json: Json<'_>) -> Result<Map<String, Value>, RpcError> {
    serde_json::from_str(json.text())
        .map_err(|e| RpcError::invalid_params(format!("the arguments cannot be read: {e}")))
}

/// The entry for which `is` holds.
pub(super) fn find<T>(all: &[Arc<T>], is: impl Fn(&T) -> bool) -> Option<&Arc<T>> {
    all.iter().find(|one| is(one))
}

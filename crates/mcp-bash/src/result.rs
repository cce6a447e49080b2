//! Maps a tool's output and exit status to a result.

mod embedded;
mod schema;

use std::time::Duration;

use linkspan_wire::{Id, Json, JsonKind, RpcError, quote};
use serde_json::{Map, Value, json};

pub use embedded::embedded;

/// The outcome of a tool run.
#[derive(Debug, Clone, Default)]
pub struct Outcome<'a> {
    /// The tool.
    pub tool: &'a str,
    /// The output schema of the tool.
    pub schema: Option<&'a Value>,
    /// The exit code; for a signal, 128 plus its number.
    pub code: i32,
    /// Its stdout.
    pub stdout: &'a [u8],
    /// The stdout limit, if it was exceeded.
    pub stdout_over: Option<usize>,
    /// The end of its stderr.
    pub stderr: &'a str,
    /// The stderr limit, if it was exceeded.
    pub stderr_over: Option<usize>,
    /// Set if the tool timed out.
    pub late: Option<Late<'a>>,
    /// What it wrote into its error file.
    pub error: Option<&'a str>,
    /// Embedded resources: see [`embedded`].
    pub resources: Vec<Value>,
    /// The last line of its trace, if it was traced.
    pub trace: Option<&'a str>,
    /// Whether errors about its output have more detail.
    pub verbose: bool,
}

/// A timed-out tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Late<'a> {
    /// Why.
    pub reason: Reason,
    /// The idle limit.
    pub timeout: Duration,
    /// The total limit, if progress extends the time.
    pub longest: Option<Duration>,
    /// The author's hint for timeouts.
    pub hint: Option<&'a str>,
}

/// Why a tool timed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It exceeded its fixed limit.
    Fixed,
    /// It reported no progress within the idle limit.
    Idle,
    /// It reported progress, but exceeded its total limit.
    Max,
}

/// The result of `tools/call`, or an error.
pub fn map(outcome: &Outcome<'_>) -> Result<String, RpcError> {
    if let Some(said) = outcome.error.filter(|said| !said.trim().is_empty()) {
        return Err(authored(said).unwrap_or_else(|| failed(said)));
    }
    if let Some(most) = outcome.stdout_over {
        return Err(RpcError::internal(format!(
            "Tool output exceeded {most} bytes"
        )));
    }
    if let Some(most) = outcome.stderr_over {
        return Err(RpcError::internal(format!(
            "Tool stderr exceeded {most} bytes"
        )));
    }
    if let Some(late) = &outcome.late {
        return Ok(timed_out(late, outcome));
    }
    let text = String::from_utf8_lossy(outcome.stdout);
    let json = Json::parse(&text).ok();
    if let Some(whole) = json.filter(|json| is_whole(*json)) {
        if !is_true(whole.get("isError")) {
            schema::check(whole.get("structuredContent"), outcome)?;
        }
        return Ok(passed_on(whole, outcome));
    }
    if outcome.code != 0 {
        return Err(unsuccessful(&text, outcome));
    }
    schema::check_text(&text, json, outcome)?;
    let mut result = format!(r#"{{"content":[{{"type":"text","text":{}}}"#, quote(&text));
    for more in &outcome.resources {
        result.push(',');
        result.push_str(&more.to_string());
    }
    result.push_str(r#"],"isError":false"#);
    // Only objects: clients refuse the whole result if `structuredContent` is anything else.
    if let Some(object) = json.filter(|json| json.kind() == JsonKind::Object) {
        result.push_str(r#","structuredContent":"#);
        result.push_str(&on_one_line(object));
    }
    result.push_str(&format!(r#","_meta":{}}}"#, meta_of(Map::new(), outcome)));
    Ok(result)
}

/// The result as `run-tool` prints it, and the exit code.
pub fn on_terminal(mapped: &Result<String, RpcError>) -> (String, i32) {
    match mapped {
        Ok(result) => (result.clone(), 0),
        Err(error) => {
            let answer = error.answer(&Id::number(0));
            let data = answer
                .body()
                .and_then(|error| error.get("data"))
                .map_or("null", Json::text);
            let message = quote(error.message());
            let code = error.code();
            let line = format!(
                r#"{{"_mcpToolError":true,"code":{code},"message":{message},"data":{data}}}"#
            );
            (line, 1)
        }
    }
}

/// Whether the tool printed a complete result.
fn is_whole(json: Json<'_>) -> bool {
    json.get("content")
        .is_some_and(|c| c.kind() == JsonKind::Array)
        && json.get("isError").is_some()
}

fn is_true(json: Option<Json<'_>>) -> bool {
    json.and_then(Json::as_bool) == Some(true)
}

/// A complete result of the tool, with metadata of the call.
fn passed_on(whole: Json<'_>, outcome: &Outcome<'_>) -> String {
    let mut result = "{".to_owned();
    let mut own = Map::new();
    for (name, value) in whole.members() {
        match &*name {
            "_meta" => {
                if let Ok(Value::Object(meta)) = serde_json::from_str(value.text()) {
                    own = meta;
                }
            }
            "content" if !outcome.resources.is_empty() => {
                let content = on_one_line(value);
                let content = content.trim_end_matches(']').trim_end();
                let more: Vec<_> = outcome.resources.iter().map(Value::to_string).collect();
                let comma = if content.ends_with('[') { "" } else { "," };
                result.push_str(&format!(
                    r#""content":{content}{comma}{}],"#,
                    more.join(",")
                ));
            }
            "isError" if outcome.code != 0 => result.push_str(r#""isError":true,"#),
            name => result.push_str(&format!("{}:{},", quote(name), on_one_line(value))),
        }
    }
    result.push_str(&format!(r#""_meta":{}}}"#, meta_of(own, outcome)));
    result
}

fn meta_of(mut meta: Map<String, Value>, outcome: &Outcome<'_>) -> Value {
    // An older spelling of `ui.resourceUri`.
    if let Some(uri) = meta.remove("ui/resourceUri") {
        let ui = meta.entry("ui").or_insert_with(|| json!({}));
        if let Some(ui) = ui.as_object_mut() {
            ui.insert("resourceUri".to_owned(), uri);
        }
    }
    meta.insert("exitCode".to_owned(), json!(outcome.code));
    let stderr = tail(outcome);
    if !stderr.is_empty() {
        meta.insert("stderr".to_owned(), json!(stderr));
    }
    Value::Object(meta)
}

fn tail<'a>(outcome: &Outcome<'a>) -> &'a str {
    outcome.stderr.trim_end_matches('\n')
}

/// An error that the tool printed: code, message and optional data.
fn authored(text: &str) -> Option<RpcError> {
    let json = Json::parse(text).ok()?;
    let message = json.get("message")?;
    let given = json
        .get("code")
        .filter(|code| !matches!(code.text(), "null" | "false" | "\"\""))?;
    let number = given.as_i64().or_else(|| given.as_str()?.parse().ok());
    let number = number.or_else(|| {
        let float: f64 = given.text().parse().ok()?;
        (float.fract() == 0.0).then_some(float as i64)
    });
    let message = message
        .as_str()
        .map_or_else(|| message.text().to_owned(), |text| text.into_owned());
    if message.is_empty() || message == "null" {
        return None;
    }
    let error = RpcError::new(number.filter(|&n| n != 0).unwrap_or(-32603), message);
    Some(
        match json
            .get("data")
            .filter(|data| data.kind() != JsonKind::Null)
        {
            Some(data) => error.with_data(on_one_line(data)),
            None => error,
        },
    )
}

fn failed(said: &str) -> RpcError {
    RpcError::internal("Tool failed").with_data(quote(said.trim_end_matches('\n')))
}

/// The error of a tool with an exit code other than 0.
fn unsuccessful(stdout: &str, outcome: &Outcome<'_>) -> RpcError {
    if !stdout.trim().is_empty() {
        return authored(stdout).unwrap_or_else(|| failed(stdout));
    }
    let stderr = tail(outcome);
    let first = stderr.lines().next().map(str::trim_end).unwrap_or_default();
    let message = if first.is_empty() {
        "Tool failed"
    } else {
        first
    };
    let mut data = json!({
        "exitCode": outcome.code,
        "_meta": meta_of(Map::new(), outcome),
    });
    if !stderr.is_empty() {
        data["stderrTail"] = json!(stderr);
    }
    if let Some(line) = outcome.trace {
        data["traceLine"] = json!(line);
    }
    RpcError::internal(message.to_owned()).with_data(data.to_string())
}

/// The result of a timed-out tool, for the model to read.
fn timed_out(late: &Late<'_>, outcome: &Outcome<'_>) -> String {
    let seconds = late.timeout.as_secs();
    let (reason, mut message) = match (late.reason, late.longest) {
        (Reason::Fixed, _) | (Reason::Max, None) => {
            ("fixed", format!("Tool timed out after {seconds}s"))
        }
        (Reason::Idle, _) => (
            "idle",
            format!("Tool timed out after {seconds}s (no progress reported)"),
        ),
        (Reason::Max, Some(longest)) => (
            "max_exceeded",
            format!("Tool exceeded maximum runtime of {}s", longest.as_secs()),
        ),
    };
    if let Some(hint) = late.hint {
        message.push_str(&format!("\n\nSuggestion: {hint}"));
    }
    let mut error = json!({
        "type": "timeout",
        "message": message,
        "timeoutSecs": seconds,
        "reason": reason,
        "exitCode": outcome.code,
    });
    if let Some(longest) = late.longest {
        error["progressExtendsTimeout"] = json!(true);
        error["maxTimeoutSecs"] = json!(longest.as_secs());
    }
    if let Some(hint) = late.hint {
        error["hint"] = json!(hint);
    }
    json!({
        "content": [{"type": "text", "text": message}],
        "isError": true,
        "structuredContent": {"success": false, "error": error},
        "_meta": meta_of(Map::new(), outcome),
    })
    .to_string()
}

/// JSON without line breaks, which are only white space there.
fn on_one_line(json: Json<'_>) -> String {
    json.text().replace(['\r', '\n'], "")
}

#[cfg(test)]
mod tests;

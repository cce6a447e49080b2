//! Calls one tool of a folder without a client.

use std::time::Duration;

use linkspan_wire::{Json, quote};

use crate::folder::{Catalogue, Mode, Tool};

/// The folder has no tool of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no tool `{name}`")]
pub struct UnknownTool {
    name: String,
    known: Vec<String>,
}

impl UnknownTool {
    /// The names of the existing tools.
    pub fn hint(&self) -> String {
        if self.known.is_empty() {
            return "there are no tools; linkspan validate says why".to_owned();
        }
        format!("there are: {}", self.known.join(", "))
    }
}

impl Catalogue {
    /// The tool of this name.
    pub fn tool(&self, name: &str) -> Result<&Tool, UnknownTool> {
        let tool = self.tools.iter().find(|tool| tool.name == name);
        tool.map(|tool| &**tool).ok_or_else(|| UnknownTool {
            name: name.to_owned(),
            known: self.tools.iter().map(|tool| tool.name.clone()).collect(),
        })
    }

    /// Whether the folder mounts servers. Their tools are known only when they run.
    pub fn takes_servers_in(&self) -> bool {
        let is_server = |tool: &Tool| matches!(tool.mode, Mode::Mcp(_));
        self.tools.iter().any(|tool| is_server(tool))
    }
}

impl Tool {
    /// Whether an argument is a string.
    pub fn takes_text(&self, argument: &str) -> bool {
        self.shown["inputSchema"]["properties"][argument]["type"] == "string"
    }
}

/// The parameters of `tools/call`; `arguments` are a JSON object.
pub fn call_params(tool: &str, arguments: &str, timeout: Option<Duration>) -> String {
    let name = quote(tool);
    let timeout = match timeout {
        Some(limit) => format!(r#","linkspan/timeoutSecs":{}"#, limit.as_secs_f64()),
        None => String::new(),
    };
    format!(r#"{{"name":{name},"arguments":{arguments},"_meta":{{"progressToken":1{timeout}}}}}"#)
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// The tool succeeded.
    Worked,
    /// It failed.
    Failed,
    /// The tool exceeded its time limit.
    TimedOut,
}

impl CallOutcome {
    /// The outcome in a result.
    pub fn of(result: Json<'_>) -> Self {
        let is_true = |value: Option<Json<'_>>| value.and_then(Json::as_bool) == Some(true);
        if !is_true(result.get("isError")) {
            Self::Worked
        } else if is_true(result.path(&["_meta", "timedOut"])) {
            Self::TimedOut
        } else {
            Self::Failed
        }
    }
}

/// The stderr of a tool, if it has more than one line: the first line is in the error text already.
pub fn stderr_of(result: Json<'_>) -> Option<String> {
    let stderr = result.path(&["_meta", "stderr"]).and_then(Json::as_str)?;
    let is_more = stderr.trim().contains('\n');
    is_more.then(|| stderr.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_is_read_from_the_result() {
        let outcome = |text| CallOutcome::of(Json::parse(text).unwrap());
        assert_eq!(outcome(r#"{"content":[]}"#), CallOutcome::Worked);
        assert_eq!(outcome(r#"{"isError":true}"#), CallOutcome::Failed);
        let late = r#"{"isError":true,"_meta":{"timedOut":true}}"#;
        assert_eq!(outcome(late), CallOutcome::TimedOut);
    }

    #[test]
    fn one_line_of_stderr_is_not_repeated() {
        let stderr = |text| stderr_of(Json::parse(text).unwrap());
        assert_eq!(stderr(r#"{"_meta":{"stderr":"why\n"}}"#), None);
        let two = stderr(r#"{"_meta":{"stderr":"why\nmore\n"}}"#);
        assert_eq!(two.as_deref(), Some("why\nmore"));
    }

    #[test]
    fn the_time_limit_is_in_the_parameters() {
        assert_eq!(
            call_params("t", "{}", Some(Duration::from_millis(1500))),
            r#"{"name":"t","arguments":{},"_meta":{"progressToken":1,"linkspan/timeoutSecs":1.5}}"#
        );
    }
}

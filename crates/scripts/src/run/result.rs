//! Builds the result of `tools/call` from the output and the exit status of a tool.

use std::borrow::Cow;

use linkspan_mcp::{Revision, base64};
use linkspan_schema::Schema;
use linkspan_wire::{Json, JsonKind, RpcError, quote};
use serde_json::Value;

use super::capture::{Large, Printed};
use super::process::{Ended, Outcome};
use super::{kinds, on_one_line};
use crate::folder::Tool;
use crate::worker::Answer;

/// The result, as JSON text.
pub(crate) fn tool_result(tool: &Tool, outcome: &Outcome, revision: Revision) -> String {
    let writer = Writer { tool, revision };
    match (outcome.ended, &outcome.stdout) {
        (_, Printed::Large(large)) => writer.large(large, outcome),
        (Ended::Code(0), Printed::Whole(bytes)) => writer.success(bytes),
        (Ended::Code(code), Printed::Whole(bytes)) => {
            let why = reason(&outcome.stderr).unwrap_or_else(|| ended_with(code));
            writer.failure(&format!("Tool failed: {why}"), bytes, code, &outcome.stderr)
        }
        (Ended::TimedOut(limit), Printed::Whole(bytes)) => {
            let mut why = format!("Tool timed out after {}", seconds(limit.as_secs_f64()));
            if let Some(hint) = &tool.run.timeout_hint {
                why.push_str(": ");
                why.push_str(hint);
            }
            writer.late(&why, limit.as_secs_f64(), bytes, &outcome.stderr)
        }
        // Only an output above the limit is stored.
        (Ended::Flooded, Printed::Whole(bytes)) => writer.failure(
            "Tool failed: it printed without end",
            bytes,
            1,
            &outcome.stderr,
        ),
    }
}

/// The result for the answer of a worker.
pub(crate) fn worker_result(
    tool: &Tool,
    answer: &Answer,
    revision: Revision,
) -> Result<String, RpcError> {
    let writer = Writer { tool, revision };
    let failed = |why: &str, code| Ok(writer.failure(why, b"", code, ""));
    match answer {
        Answer::Result(json) => Ok(writer.answered(json)),
        Answer::Fail(error) => Err(error.clone()),
        Answer::Error(error) => {
            let json = Json::parse(error).ok();
            let text = json.and_then(|json| json.get("message").unwrap_or(json).as_str());
            let text = text.as_deref().unwrap_or(error);
            failed(&format!("Tool failed: {text}"), 1)
        }
        Answer::TimedOut(limit) => {
            let late = Outcome {
                ended: Ended::TimedOut(*limit),
                stdout: Printed::Whole(Vec::new()),
                stderr: String::new(),
                stderr_size: 0,
                error: None,
            };
            Ok(tool_result(tool, &late, revision))
        }
        Answer::Died(why) => failed(&format!("Tool failed: {why}"), 1),
        Answer::NotBegun => failed("Tool failed: its process ended before it saw the call", 1),
    }
}

/// The exit code of `timeout`.
const TIMED_OUT: i32 = 124;
/// The member of `_meta` for a timeout.
const LATE: &str = r#""timedOut":true,"#;

/// An error result without a run.
pub(crate) fn refusal(text: &str) -> String {
    linkspan_mcp::tool_text(text, true)
}

struct Writer<'a> {
    tool: &'a Tool,
    revision: Revision,
}

impl Writer<'_> {
    fn success(&self, bytes: &[u8]) -> String {
        if let Some(content) = kinds::media(bytes) {
            return format!(r#"{{"content":[{content}],"isError":false}}"#);
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => plain(text),
            Err(e) => return refusal(&no_text(e.valid_up_to())),
        };
        let text = without_newline(&text);
        match Json::parse(text) {
            Ok(json) if is_result(json) => self.whole(json),
            Ok(json) if self.is_structured(json) => self.structured(json, text),
            Ok(_) | Err(_) if self.tool.output.is_some() => refusal(
                "the tool promises structured output (outputSchema) and printed no JSON object",
            ),
            _ => linkspan_mcp::tool_text(text, false),
        }
    }

    /// A result from JSON; a string becomes a text block.
    fn answered(&self, text: &str) -> String {
        match Json::parse(text) {
            Ok(json) if is_result(json) => self.whole(json),
            Ok(json) if self.is_structured(json) => self.structured(json, text),
            Ok(json) => {
                let said = json.as_str();
                linkspan_mcp::tool_text(said.as_deref().unwrap_or(text), false)
            }
            Err(_) => linkspan_mcp::tool_text(text, false),
        }
    }

    /// An object is always structured content; other values only if the tool has an output schema.
    fn is_structured(&self, json: Json<'_>) -> bool {
        json.kind() == JsonKind::Object || self.tool.output.is_some()
    }

    /// A complete result that the tool wrote itself.
    fn whole(&self, json: Json<'_>) -> String {
        let failed = json.get("isError").and_then(Json::as_bool) == Some(true);
        if failed {
            return on_one_line(json.text()).into_owned();
        }
        if let Some(schema) = &self.tool.output {
            let Some(structured) = json.get("structuredContent") else {
                return refusal("the tool promises structuredContent (outputSchema) and gave none");
            };
            if let Some(wrong) = mismatch(schema, structured.text()) {
                return refusal(&wrong);
            }
        }
        on_one_line(json.text()).into_owned()
    }

    fn structured(&self, json: Json<'_>, text: &str) -> String {
        if let Some(schema) = &self.tool.output
            && let Some(wrong) = mismatch(schema, json.text())
        {
            return refusal(&wrong);
        }
        let content = format!(r#"{{"content":[{{"type":"text","text":{}}}]"#, quote(text));
        if self.revision.has_structured_content() {
            let json = on_one_line(json.text());
            format!(r#"{content},"structuredContent":{json},"isError":false}}"#)
        } else {
            format!(r#"{content},"isError":false}}"#)
        }
    }

    fn failure(&self, why: &str, stdout: &[u8], code: i32, stderr: &str) -> String {
        self.failed(why, stdout, code, stderr, "")
    }

    /// An error result. `late` is the `_meta` member of a timeout: a tool may also exit with code 124 by
    /// itself.
    fn failed(&self, why: &str, stdout: &[u8], code: i32, stderr: &str, late: &str) -> String {
        let meta = format!(r#"{{"exitCode":{code},{late}"stderr":{}}}"#, quote(stderr));
        let text = String::from_utf8_lossy(stdout);
        let text = plain(&text);
        let text = without_newline(&text);
        if let Ok(json) = Json::parse(text)
            && is_result(json)
        {
            // The tool printed its own error result.
            return failed_result(json, &meta);
        }
        let mut content = format!(r#"{{"type":"text","text":{}}}"#, quote(why));
        if !text.is_empty() {
            content.push_str(&format!(r#",{{"type":"text","text":{}}}"#, quote(text)));
        }
        format!(r#"{{"content":[{content}],"isError":true,"_meta":{meta}}}"#)
    }

    /// A timeout, which clients recognise without parsing the text.
    fn late(&self, why: &str, secs: f64, stdout: &[u8], stderr: &str) -> String {
        let result = self.failed(why, stdout, TIMED_OUT, stderr, LATE);
        if self.tool.output.is_some() || !self.revision.has_structured_content() {
            return result;
        }
        let hint = self
            .tool
            .run
            .timeout_hint
            .as_ref()
            .map_or_else(String::new, |hint| format!(r#","hint":{}"#, quote(hint)));
        let error = format!(
            r#"{{"type":"timeout","message":{},"timeoutSecs":{secs},"exitCode":{TIMED_OUT}{hint}}}"#,
            quote(why)
        );
        let open = result.strip_suffix('}').unwrap_or(&result);
        if open.contains(r#""structuredContent""#) {
            result
        } else {
            format!(r#"{open},"structuredContent":{{"error":{error}}}}}"#)
        }
    }

    fn large(&self, large: &Large, outcome: &Outcome) -> String {
        let most = self.tool.run.max_output;
        let size = large.size;
        let mut text = if large.ended {
            format!(
                "Tool failed: it printed {size} bytes and was ended there (an answer may hold {most})."
            )
        } else {
            format!("Tool failed: it printed {size} bytes; an answer may hold {most}.")
        };
        match &large.kept {
            Ok(uri) => text.push_str(&format!(
                " Read all of it for the next 15 minutes at {uri}, or a part: {uri}?from=0&to=65536"
            )),
            Err(why) => text.push_str(&format!(" It could not be stored: {why}.")),
        }
        text.push_str(" Its beginning:\n");
        text.push_str(&String::from_utf8_lossy(&large.head));
        text.push_str("\n[…]\nIts end:\n");
        text.push_str(&String::from_utf8_lossy(&large.tail));
        let mut content = format!(r#"{{"type":"text","text":{}}}"#, quote(&text));
        if let (Ok(uri), true) = (&large.kept, self.revision.has_structured_content()) {
            content.push_str(&format!(
                r#",{{"type":"resource_link","uri":{},"name":{},"description":"The whole output","size":{size}}}"#,
                quote(uri),
                quote(&format!("output of {}", self.tool.name)),
            ));
        }
        let code = match outcome.ended {
            Ended::Code(code) => code,
            Ended::TimedOut(_) => TIMED_OUT,
            Ended::Flooded => 137,
        };
        let late = match outcome.ended {
            Ended::TimedOut(_) => LATE,
            _ => "",
        };
        let stderr = quote(&outcome.stderr);
        format!(
            r#"{{"content":[{content}],"isError":true,"_meta":{{"exitCode":{code},{late}"stderr":{stderr},"outputBytes":{size}}}}}"#
        )
    }
}

/// Whether the value is an object with valid content.
fn is_result(json: Json<'_>) -> bool {
    let Some(content) = json.get("content") else {
        return false;
    };
    let kinds = ["text", "image", "audio", "resource", "resource_link"];
    json.kind() == JsonKind::Object
        && content.kind() == JsonKind::Array
        && content.elements().all(|item| {
            let kind = item.get("type").and_then(Json::as_str);
            kind.is_some_and(|kind| kinds.contains(&&*kind))
        })
}

/// The result marked as failed, with metadata of the run.
fn failed_result(json: Json<'_>, meta: &str) -> String {
    let mut out = String::from("{");
    for (key, value) in json.members() {
        let key = key.into_owned();
        if key != "isError" && key != "_meta" {
            out.push_str(&format!("{}:{},", quote(&key), on_one_line(value.text())));
        }
    }
    out.push_str(&format!(r#""isError":true,"_meta":{meta}}}"#));
    out
}

fn mismatch(schema: &Schema, json: &str) -> Option<String> {
    let value: Value = match serde_json::from_str(json) {
        Ok(value) => value,
        Err(e) => return Some(format!("the tool's output is no JSON: {e}")),
    };
    let wrong = schema.check(&value);
    (!wrong.is_empty()).then(|| {
        format!(
            "the tool's output does not fit its outputSchema:\n{}",
            wrong.join("\n")
        )
    })
}

/// The first line of stderr that explains the failure.
pub(crate) fn reason(stderr: &str) -> Option<String> {
    let line = stderr
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())?;
    Some(line.chars().take(500).collect())
}

pub(crate) fn ended_with(code: i32) -> String {
    match code {
        129.. => format!("ended by signal {}", code - 128),
        126 => "exit code 126: it could not be executed".to_owned(),
        127 => "exit code 127: a command in it was not found".to_owned(),
        _ => format!("exit code {code}"),
    }
}

pub(crate) fn no_text(at: usize) -> String {
    format!(
        "Tool failed: its output is no text (invalid UTF-8 at byte {at}); \
         print text, an image, or a result with base64 in it"
    )
}

pub(crate) fn seconds(secs: f64) -> String {
    match secs {
        s if s < 10.0 && s.fract() != 0.0 => format!("{s:.1} s"),
        s => format!("{s:.0} s"),
    }
}

/// Without the newline that `echo` adds.
pub(crate) fn without_newline(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

/// Text for clients: without byte order mark and carriage returns, as programs for other systems write them.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\r') {
        Cow::Owned(text.replace('\r', ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Bytes in base64.
pub(crate) fn encoded(bytes: &[u8]) -> String {
    base64(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carriage_returns_and_a_byte_order_mark_are_no_part_of_a_text() {
        assert_eq!(plain("\u{feff}a\r\nb\rc\r\n"), "a\nbc\n");
        assert!(matches!(plain("a\nb"), Cow::Borrowed("a\nb")));
        assert_eq!(plain("a\u{feff}"), "a\u{feff}");
    }
}

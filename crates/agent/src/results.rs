//! The results of tool calls.

use linkspan_shrink::marks;
use linkspan_wire::{Json, JsonKind, Message, Object, quote};

use crate::error::ToolError;
use crate::prompt::PromptOutcome;
use crate::running::{RunningAgent, member};

/// Characters of an unfinished answer that an error repeats.
const MAX_PARTIAL_ANSWER: usize = 2_000;

/// The result of a prompt.
pub(crate) fn finished(
    running: &RunningAgent,
    id: &str,
    is_new: bool,
    outcome: PromptOutcome,
) -> Result<String, ToolError> {
    let PromptOutcome { answer, record } = outcome;
    let answer = running.result(answer).map_err(|error| {
        let said = record.as_ref().map_or("", |record| record.turn.text());
        let said: String = said.chars().take(MAX_PARTIAL_ANSWER).collect();
        if said.is_empty() {
            return error;
        }
        ToolError::PromptFailed {
            source: Box::new(error),
            said,
        }
    })?;
    let record = record.ok_or_else(|| ToolError::SessionClosed(id.to_owned()))?;
    let stop = answer.body().and_then(|r| r.get("stopReason")?.as_str());
    let stop = stop.as_deref().unwrap_or("end_turn");
    let mut notes = record.turn.notes();
    if stop != "end_turn" {
        notes.push(format!("the agent stopped early: {stop}"));
    }
    if record
        .decisions
        .iter()
        .any(|d| d.contains(r#""by":"nobody""#))
    {
        notes.push(
            "the agent asked for permission, but the client cannot ask the user, so it was refused: use a client with elicitation, or let a person start linkspan with --permission allow"
                .to_owned(),
        );
    }
    if is_new {
        notes.push(format!(
            "session {id} was started for this prompt: pass its sessionId to continue, and close it when you are done"
        ));
    }
    let text = record.turn.text();
    let mut texts = vec![if text.is_empty() {
        "(The answer is empty.)".to_owned()
    } else {
        // A note of linkspan follows; escaping keeps the agent from forging one.
        marks::escape(text).into_owned()
    }];
    let mut structured = Object::empty()
        .with("sessionId", &quote(id))
        .with("stopReason", &quote(stop))
        .with("answer", &quote(text));
    let rest = record.turn.rest().text();
    for (key, value) in Json::parse(&rest).into_iter().flat_map(Json::members) {
        structured.push(&key, value.text());
    }
    if !record.decisions.is_empty() {
        structured.push("permissions", &format!("[{}]", record.decisions.join(",")));
    }
    if let Some(usage) = member(&answer, "usage", JsonKind::Object) {
        structured.push("usage", &usage);
    }
    if !notes.is_empty() {
        let quoted: Vec<String> = notes.iter().map(|note| quote(note)).collect();
        structured.push("notes", &format!("[{}]", quoted.join(",")));
        texts.push(format!("[linkspan: {}]", notes.join("; ")));
    }
    Ok(result(&texts, record.turn.blocks(), &structured.text()))
}

/// The result of a tool call: texts, other content blocks, and the structured content.
pub(crate) fn result(texts: &[String], blocks: &[String], structured: &str) -> String {
    let texts = texts
        .iter()
        .map(|text| format!(r#"{{"type":"text","text":{}}}"#, quote(text)));
    let content: Vec<String> = texts.chain(blocks.iter().cloned()).collect();
    format!(
        r#"{{"content":[{}],"structuredContent":{structured},"isError":false}}"#,
        content.join(",")
    )
}

/// The id of the session in an answer to `session/new`.
pub(crate) fn session_id(answer: &Message) -> Option<String> {
    let id = answer.body().and_then(|r| r.get("sessionId")?.as_str());
    id.map(|id| id.into_owned())
}

/// The ids of the agent's modes.
pub(crate) fn mode_names(modes: &str) -> Vec<String> {
    let modes = Json::parse(modes).ok();
    let all = modes.and_then(|modes| modes.get("availableModes"));
    let all = all.filter(|all| all.kind() == JsonKind::Array);
    all.into_iter()
        .flat_map(Json::elements)
        .filter_map(|mode| Some(mode.get("id")?.as_str()?.into_owned()))
        .collect()
}

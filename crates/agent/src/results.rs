//! What the results of tools look like.

use linkspan_shrink::marks;
use linkspan_wire::{Json, JsonKind, Message, Object, quote};

use crate::prompt::Done;
use crate::running::{Running, Trouble, member};

/// How much of an answer that was not finished is told.
const MOST_OF_THE_REST: usize = 2_000;

/// The result of a prompt.
pub(crate) fn finished(
    running: &Running,
    id: &str,
    is_new: bool,
    done: Done,
) -> Result<String, Trouble> {
    let Done { answer, said } = done;
    let answer = running.result(answer).map_err(|trouble| {
        let rest = said.as_ref().map_or("", |said| said.turn.text());
        let rest: String = rest.chars().take(MOST_OF_THE_REST).collect();
        match rest.is_empty() {
            true => trouble,
            false => format!("{trouble}\nBefore that it said: {rest}"),
        }
    })?;
    let said = said.ok_or_else(|| format!("session `{id}` was closed meanwhile"))?;
    let stop = answer.body().and_then(|r| r.get("stopReason")?.as_str());
    let stop = stop.as_deref().unwrap_or("end_turn");
    let mut notes = said.turn.notes();
    if stop != "end_turn" {
        notes.push(format!("the agent stopped before its end: {stop}"));
    }
    if said
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
            "session {id} was started for this: give its sessionId to go on, and close it when you are done"
        ));
    }
    let text = said.turn.text();
    let mut texts = vec![match text.is_empty() {
        true => "(The agent said nothing.)".to_owned(),
        // A note of ours follows it; the agent must not be able to write one.
        false => marks::escape(text).into_owned(),
    }];
    let mut structured = Object::empty()
        .with("sessionId", &quote(id))
        .with("stopReason", &quote(stop))
        .with("answer", &quote(text));
    let rest = said.turn.rest().text();
    for (key, value) in Json::parse(&rest).into_iter().flat_map(Json::members) {
        structured.push(&key, value.text());
    }
    if !said.decisions.is_empty() {
        structured.push("permissions", &format!("[{}]", said.decisions.join(",")));
    }
    if let Some(usage) = member(&answer, "usage", JsonKind::Object) {
        structured.push("usage", &usage);
    }
    if !notes.is_empty() {
        let quoted: Vec<String> = notes.iter().map(|note| quote(note)).collect();
        structured.push("notes", &format!("[{}]", quoted.join(",")));
        texts.push(format!("[linkspan: {}]", notes.join("; ")));
    }
    Ok(result(&texts, said.turn.blocks(), &structured.text()))
}

/// The result of a tool: texts, other blocks, and the same for programs.
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

/// The session that an agent has begun.
pub(crate) fn session_id(answer: &Message) -> Option<String> {
    let id = answer.body().and_then(|r| r.get("sessionId")?.as_str());
    id.map(|id| id.into_owned())
}

/// The ids of the modes that an agent has listed.
pub(crate) fn mode_names(modes: &str) -> Vec<String> {
    let modes = Json::parse(modes).ok();
    let all = modes.and_then(|modes| modes.get("availableModes"));
    let all = all.filter(|all| all.kind() == JsonKind::Array);
    all.into_iter()
        .flat_map(Json::elements)
        .filter_map(|mode| Some(mode.get("id")?.as_str()?.into_owned()))
        .collect()
}

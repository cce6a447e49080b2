//! A turn: the agent's updates between a prompt and its answer.

use linkspan_wire::{Json, JsonKind, Object, quote};

use super::cut;

/// Limits on the stored answer and thoughts.
const MOST_TEXT: usize = 4 << 20;
const MOST_THOUGHTS: usize = 256 << 10;
/// Limits on images and other content without text.
const MOST_BLOCKS: usize = 64;
const MOST_BLOCK_BYTES: usize = 16 << 20;
/// Limits on tool calls, on each of their members, and on the plan.
const MOST_CALLS: usize = 256;
const MOST_OF_CALL: usize = 4 << 10;
const MOST_PLAN: usize = 64 << 10;
/// Bytes of progress that may wait to be reported.
const MOST_NEWS: usize = 4 << 10;

/// The members of a tool call that are stored; its input and output may be of any size.
const OF_CALL: [&str; 5] = ["toolCallId", "title", "kind", "status", "locations"];

/// The audience of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The user.
    Agent,
    /// The agent itself.
    Thought,
}

/// The updates of a turn so far.
#[derive(Debug, Default)]
pub struct Turn {
    text: Text,
    thoughts: Text,
    blocks: Vec<String>,
    block_bytes: usize,
    lost_blocks: usize,
    calls: Vec<(String, String)>,
    lost_calls: usize,
    plan: Option<String>,
    news: String,
    /// Whether `news` ends with text of the agent, which the next chunk continues.
    mid_sentence: bool,
}

/// Text up to a limit.
#[derive(Debug, Default)]
struct Text {
    kept: String,
    lost: usize,
}

impl Text {
    fn push(&mut self, more: &str, most: usize) {
        let room = match self.lost {
            0 => most.saturating_sub(self.kept.len()),
            // After a gap nothing more is appended: it would seem to follow the text before the gap.
            _ => 0,
        };
        let fits = cut(more, room);
        self.kept.push_str(fits);
        self.lost += more.len() - fits.len();
    }
}

impl Turn {
    /// Adds the `update` of a `session/update`.
    pub fn hear(&mut self, update: Json<'_>) {
        let kind = update.get("sessionUpdate").and_then(Json::as_str);
        match kind.as_deref() {
            Some("agent_message_chunk") => self.chunk(update, Role::Agent),
            Some("agent_thought_chunk") => self.chunk(update, Role::Thought),
            Some("tool_call" | "tool_call_update") => self.call(update),
            Some("plan") => {
                let entries = update.get("entries");
                let entries = entries.filter(|e| e.kind() == JsonKind::Array);
                if let Some(entries) = entries.filter(|e| e.text().len() <= MOST_PLAN) {
                    self.plan = Some(entries.text().to_owned());
                }
            }
            _ => {}
        }
    }

    fn chunk(&mut self, update: Json<'_>, role: Role) {
        let Some(content) = update.get("content") else {
            return;
        };
        let text = content.get("text").and_then(Json::as_str);
        let is_text = content.get("type").and_then(Json::as_str).as_deref() == Some("text");
        match (text.filter(|_| is_text), role) {
            (Some(text), Role::Agent) => {
                self.text.push(&text, MOST_TEXT);
                self.tell(&text, true);
            }
            (Some(text), Role::Thought) => self.thoughts.push(&text, MOST_THOUGHTS),
            (None, Role::Agent) => self.block(content),
            (None, Role::Thought) => {}
        }
    }

    /// Adds a content block other than text. Both protocols spell their common types alike.
    fn block(&mut self, content: Json<'_>) {
        let kind = content.get("type").and_then(Json::as_str);
        let known = matches!(
            kind.as_deref(),
            Some("image" | "audio" | "resource" | "resource_link")
        );
        let bytes = self.block_bytes + content.text().len();
        if known && self.blocks.len() < MOST_BLOCKS && bytes <= MOST_BLOCK_BYTES {
            self.block_bytes = bytes;
            self.blocks.push(content.text().to_owned());
        } else {
            self.lost_blocks += 1;
        }
    }

    fn call(&mut self, update: Json<'_>) {
        let Some(id) = update.get("toolCallId").and_then(Json::as_str) else {
            return;
        };
        let at = self.calls.iter().position(|(known, _)| *known == id);
        if at.is_none() && self.calls.len() >= MOST_CALLS {
            self.lost_calls += 1;
            return;
        }
        let old = at.map(|at| self.calls[at].1.clone());
        let mut call = Object::of(old.as_deref().and_then(|old| Json::parse(old).ok()));
        for key in OF_CALL {
            let value = update.get(key).filter(|v| v.kind() != JsonKind::Null);
            if let Some(value) = value.filter(|v| v.text().len() <= MOST_OF_CALL) {
                call = call.with(key, value.text());
            }
        }
        let call = call.text();
        if let Some(line) = line(&call, at.is_none()) {
            self.tell(&line, false);
        }
        match at {
            Some(at) => self.calls[at].1 = call,
            None => self.calls.push((id.into_owned(), call)),
        }
    }

    fn tell(&mut self, what: &str, is_speech: bool) {
        let goes_on = is_speech && self.mid_sentence;
        if !goes_on && !self.news.is_empty() {
            self.news.push('\n');
        }
        self.mid_sentence = is_speech;
        let room = MOST_NEWS.saturating_sub(self.news.len());
        self.news.push_str(cut(what, room));
    }

    /// The progress that has not been reported yet, if any.
    pub fn news(&mut self) -> Option<String> {
        self.mid_sentence = false;
        (!self.news.is_empty()).then(|| std::mem::take(&mut self.news))
    }

    /// The agent's answer.
    pub fn text(&self) -> &str {
        &self.text.kept
    }

    /// Notes on parts that are left out.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.text.lost > 0 {
            notes.push(format!(
                "the answer was longer than {MOST_TEXT} bytes; {} bytes at its end are left out",
                self.text.lost
            ));
        }
        if self.lost_blocks > 0 {
            notes.push(format!(
                "{} parts of the answer are left out: too many, too large, or of a kind that MCP does not have",
                self.lost_blocks
            ));
        }
        if self.lost_calls > 0 {
            notes.push(format!(
                "{} more tool calls are not listed",
                self.lost_calls
            ));
        }
        notes
    }

    /// Content other than text, as JSON.
    pub fn blocks(&self) -> &[String] {
        &self.blocks
    }

    /// The thoughts, the plan and the tool calls, as members of an object.
    pub fn rest(&self) -> Object<'static> {
        let calls: Vec<&str> = self.calls.iter().map(|(_, call)| &**call).collect();
        let calls = format!("[{}]", calls.join(","));
        let thoughts = &self.thoughts.kept;
        let thoughts = (!thoughts.is_empty()).then(|| quote(thoughts));
        Object::empty()
            .with_some("thoughts", thoughts.as_deref())
            .with_some("plan", self.plan.as_deref())
            .with_some(
                "toolCalls",
                (!self.calls.is_empty()).then_some(calls.as_str()),
            )
    }
}

/// A tool call as a progress message: its title, and whether it failed.
fn line(call: &str, is_new: bool) -> Option<String> {
    let call = Json::parse(call).ok()?;
    let title = call.get("title").and_then(Json::as_str);
    let title = title.as_deref().map_or("a tool", |title| cut(title, 200));
    match call.get("status").and_then(Json::as_str).as_deref() {
        Some("failed") => Some(format!("[failed: {title}]")),
        _ if is_new => Some(format!("[{title}]")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(updates: &[&str]) -> Turn {
        let mut turn = Turn::default();
        for update in updates {
            turn.hear(Json::parse(update).unwrap());
        }
        turn
    }

    fn said(text: &str) -> String {
        format!(
            r#"{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":{}}}}}"#,
            quote(text)
        )
    }

    #[test]
    fn chunks_make_an_answer() {
        let turn = heard(&[&said("Hel"), &said("lo\n"), &said("you")]);
        assert_eq!(turn.text(), "Hello\nyou");
        assert!(turn.notes().is_empty() && turn.rest().is_empty());
    }

    #[test]
    fn thoughts_plans_and_tools_are_kept_apart() {
        let turn = heard(&[
            r#"{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}"#,
            r#"{"sessionUpdate":"plan","entries":[{"content":"x","status":"pending"}]}"#,
            r#"{"sessionUpdate":"tool_call","toolCallId":"1","title":"Read","kind":"read","status":"pending","rawInput":{"big":1}}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed","title":null}"#,
            r#"{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"me"}}"#,
            r#"{"sessionUpdate":"of_tomorrow"}"#,
            "{}",
        ]);
        assert_eq!(
            turn.rest().text(),
            r#"{"thoughts":"hm","plan":[{"content":"x","status":"pending"}],"toolCalls":[{"toolCallId":"1","title":"Read","kind":"read","status":"completed"}]}"#
        );
        assert_eq!(turn.text(), "");
    }

    #[test]
    fn content_other_than_text_is_kept_unchanged() {
        let image = r#"{"type":"image","data":"AA==","mimeType":"image/png"}"#;
        let chunk = format!(r#"{{"sessionUpdate":"agent_message_chunk","content":{image}}}"#);
        let odd = r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"hologram"}}"#;
        let turn = heard(&[&chunk, odd]);
        assert_eq!(turn.blocks(), [image]);
        assert_eq!(turn.notes().len(), 1);
    }

    #[test]
    fn an_answer_over_the_limit_is_cut_with_a_note() {
        let part = said(&"é".repeat(100_000));
        let mut turn = Turn::default();
        for _ in 0..50 {
            turn.hear(Json::parse(&part).unwrap());
        }
        assert!(turn.text().len() <= MOST_TEXT);
        assert!(turn.notes()[0].contains("left out"));
        assert!(turn.news().unwrap().len() <= MOST_NEWS);
    }

    #[test]
    fn tool_calls_are_bounded() {
        let mut turn = Turn::default();
        for i in 0..1000 {
            let call = format!(r#"{{"sessionUpdate":"tool_call","toolCallId":"{i}","title":"t"}}"#);
            turn.hear(Json::parse(&call).unwrap());
        }
        assert_eq!(turn.calls.len(), MOST_CALLS);
        assert_eq!(turn.lost_calls, 1000 - MOST_CALLS);
    }

    #[test]
    fn progress_is_reported_once_and_in_order() {
        let mut turn = heard(&[&said("a"), &said("b")]);
        assert_eq!(turn.news().as_deref(), Some("ab"));
        assert_eq!(turn.news(), None);
        turn.hear(
            Json::parse(r#"{"sessionUpdate":"tool_call","toolCallId":"1","title":"Read x"}"#)
                .unwrap(),
        );
        turn.hear(Json::parse(&said("c")).unwrap());
        turn.hear(
            Json::parse(
                r#"{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"failed"}"#,
            )
            .unwrap(),
        );
        assert_eq!(
            turn.news().as_deref(),
            Some("[Read x]\nc\n[failed: Read x]")
        );
    }
}

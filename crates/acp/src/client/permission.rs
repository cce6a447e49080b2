//! `session/request_permission`: what the agent wants to do, and what one can say to it.

use linkspan_wire::{Json, JsonKind, Kind, Message, is_hidden, quote};

use super::cut;

/// The outcome of a question that is not answered.
pub const CANCELLED: &str = r#"{"outcome":{"outcome":"cancelled"}}"#;

/// What a person reads before they decide.
const MOST_DETAIL: usize = 2_000;
const MOST_TITLE: usize = 500;
const MOST_CHOICES: usize = 32;
/// The member of the form.
const DECISION: &str = "decision";

/// Something that the agent wants to be allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permission {
    /// The session.
    pub session: String,
    /// What it wants to do, in its own words.
    pub title: String,
    /// With what: the input of the tool, and the files that it touches.
    pub detail: Option<String>,
    /// What one can say.
    pub choices: Vec<Choice>,
}

/// Something that one can say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Names it.
    pub id: String,
    /// For people.
    pub name: String,
    /// `allow_once`, `allow_always`, `reject_once`, `reject_always`, or something newer.
    pub kind: String,
}

/// The outcome of a question that was answered.
pub fn selected(choice: &str) -> String {
    format!(
        r#"{{"outcome":{{"outcome":"selected","optionId":{}}}}}"#,
        quote(choice)
    )
}

impl Permission {
    /// From the parameters of the request.
    pub fn read(params: Json<'_>) -> Option<Self> {
        let session = params.get("sessionId")?.as_str()?.into_owned();
        let call = params.get("toolCall");
        let title = call.and_then(|call| Some(plain(&call.get("title")?.as_str()?, MOST_TITLE)));
        let options = params
            .get("options")
            .filter(|options| options.kind() == JsonKind::Array);
        let choices = options.into_iter().flat_map(Json::elements);
        Some(Self {
            session,
            title: title
                .filter(|title| !title.is_empty())
                .unwrap_or_else(|| "something that it does not name".to_owned()),
            detail: call.and_then(detail),
            choices: choices
                .filter_map(Choice::read)
                .take(MOST_CHOICES)
                .collect(),
        })
    }

    /// The parameters of an MCP `elicitation/create` that asks the person.
    pub fn form(&self) -> String {
        let mut message = format!("The agent asks for permission: {}", self.title);
        if let Some(detail) = &self.detail {
            message.push('\n');
            message.push_str(detail);
        }
        let list = |of: fn(&Choice) -> &str| {
            let texts: Vec<String> = self.choices.iter().map(|c| quote(of(c))).collect();
            texts.join(",")
        };
        // This is how every revision with forms can spell a choice with names.
        format!(
            r#"{{"message":{},"requestedSchema":{{"type":"object","properties":{{"{DECISION}":{{"type":"string","title":"Decision","enum":[{}],"enumNames":[{}]}}}},"required":["{DECISION}"]}}}}"#,
            quote(&message),
            list(|choice| &choice.id),
            list(|choice| &choice.name),
        )
    }

    /// What the person has chosen; `None` if it was nothing that can be chosen.
    pub fn chosen(&self, answer: &Message) -> Option<&Choice> {
        let result = answer.body().filter(|_| answer.kind() == Kind::Result)?;
        if result.get("action")?.as_str()? != "accept" {
            return None;
        }
        let id = result.path(&["content", DECISION])?.as_str()?;
        self.choices.iter().find(|choice| choice.id == id)
    }

    /// What lets it happen; this once, if that can be said.
    pub fn allow(&self) -> Option<&Choice> {
        self.of_kind("allow_once")
            .or_else(|| self.of_kind("allow_always"))
    }

    /// The option that rejects once: a permanent rejection is the user's decision.
    pub fn deny(&self) -> Option<&Choice> {
        self.of_kind("reject_once")
    }

    fn of_kind(&self, kind: &str) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.kind == kind)
    }
}

impl Choice {
    fn read(option: Json<'_>) -> Option<Self> {
        let text = |key| Some(option.get(key)?.as_str()?.into_owned());
        let id = text("optionId")?;
        Some(Self {
            name: text("name").map_or_else(|| id.clone(), |name| plain(&name, MOST_TITLE)),
            kind: text("kind").unwrap_or_default(),
            id,
        })
    }

    /// Whether it lets something happen.
    pub fn allows(&self) -> bool {
        self.kind.starts_with("allow")
    }
}

fn detail(call: Json<'_>) -> Option<String> {
    let input = call
        .get("rawInput")
        .filter(|input| !matches!(input.text(), "null" | "{}"));
    let files = call
        .get("locations")
        .filter(|files| files.kind() == JsonKind::Array);
    let files = files
        .into_iter()
        .flat_map(Json::elements)
        .filter_map(|file| Some(file.get("path")?.as_str()?.into_owned()));
    let files: Vec<String> = files.take(20).collect();
    let mut lines = Vec::new();
    lines.extend(input.map(|input| plain(input.text(), MOST_DETAIL)));
    if !files.is_empty() {
        lines.push(plain(&files.join(", "), MOST_DETAIL));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Without characters that could hide a part of it, and not too long.
fn plain(text: &str, most: usize) -> String {
    let shown: String = cut(text, most)
        .chars()
        .map(|c| if is_hidden(c) { ' ' } else { c })
        .collect();
    if shown.len() < text.len() && text.len() > most {
        format!("{shown}…")
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::Id;

    const ASKED: &str = r#"{"sessionId":"s","toolCall":{"toolCallId":"c","title":"rm -rf x","rawInput":{"command":"rm -rf x"},"locations":[{"path":"/x"}]},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"a","name":"Always","kind":"allow_always"},{"optionId":"n","name":"No","kind":"reject_once"}]}"#;

    fn read(text: &str) -> Permission {
        Permission::read(Json::parse(text).unwrap()).unwrap()
    }

    fn answer(result: &str) -> Message {
        Message::result(&Id::number(1), result)
    }

    #[test]
    fn a_person_sees_what_is_asked_and_with_what() {
        let form = read(ASKED).form();
        let form = Json::parse(&form).unwrap();
        let message = form.get("message").unwrap().as_str().unwrap();
        assert_eq!(
            message,
            "The agent asks for permission: rm -rf x\n{\"command\":\"rm -rf x\"}\n/x"
        );
        let way = ["requestedSchema", "properties", "decision", "enum"];
        assert_eq!(form.path(&way).unwrap().text(), r#"["y","a","n"]"#);
    }

    #[test]
    fn only_what_was_offered_can_be_chosen() {
        let asked = read(ASKED);
        let chosen = |result: &str| asked.chosen(&answer(result)).map(|c| c.id.clone());
        let yes = r#"{"action":"accept","content":{"decision":"a"}}"#;
        assert_eq!(chosen(yes).as_deref(), Some("a"));
        for no in [
            r#"{"action":"accept","content":{"decision":"z"}}"#,
            r#"{"action":"accept"}"#,
            r#"{"action":"decline","content":{"decision":"a"}}"#,
            r#"{"action":"cancel"}"#,
            "[]",
        ] {
            assert_eq!(chosen(no), None, "{no}");
        }
    }

    #[test]
    fn without_a_person_once_is_enough() {
        let asked = read(ASKED);
        assert_eq!(asked.allow().unwrap().id, "y");
        assert_eq!(asked.deny().unwrap().id, "n");
        let forever = read(
            r#"{"sessionId":"s","options":[{"optionId":"n","kind":"reject_always"},{"optionId":"x","kind":"new"},{"no":1}]}"#,
        );
        assert_eq!(forever.deny(), None);
        assert_eq!(forever.allow(), None);
        assert_eq!(forever.choices.len(), 2);
    }

    #[test]
    fn the_title_of_a_permission_has_no_control_characters() {
        let asked =
            read(r#"{"sessionId":"s","toolCall":{"title":"ls\u001b[2K\u202e\nrm"},"options":[]}"#);
        assert_eq!(asked.title, "ls [2K  rm");
        let long = format!(
            r#"{{"sessionId":"s","toolCall":{{"title":"{}"}}}}"#,
            "é".repeat(1000)
        );
        assert!(read(&long).title.ends_with('…'));
    }
}

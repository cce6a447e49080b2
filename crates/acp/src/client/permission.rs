//! `session/request_permission`: the action that the agent requests, and the possible decisions.

use linkspan_wire::{Json, JsonKind, Kind, Message, is_hidden, quote};

use super::cut;

/// The outcome of a request that the user has not decided.
pub const CANCELLED: &str = r#"{"outcome":{"outcome":"cancelled"}}"#;

/// Limits on the texts and options of a request.
const MOST_DETAIL: usize = 2_000;
const MOST_TITLE: usize = 500;
const MOST_CHOICES: usize = 32;
/// The member of the form with the decision.
const DECISION: &str = "decision";

/// A request for permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permission {
    /// The session id.
    pub session: String,
    /// The action, in the agent's words.
    pub title: String,
    /// The input of the tool, and the files that it accesses.
    pub detail: Option<String>,
    /// The possible decisions.
    pub choices: Vec<Choice>,
}

/// A possible decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The option's id.
    pub id: String,
    /// The name to show.
    pub name: String,
    /// `allow_once`, `allow_always`, `reject_once`, `reject_always`, or a newer kind.
    pub kind: String,
}

/// The outcome of a decided request.
pub fn selected(choice: &str) -> String {
    format!(
        r#"{{"outcome":{{"outcome":"selected","optionId":{}}}}}"#,
        quote(choice)
    )
}

impl Permission {
    /// Reads the parameters of the request.
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
                .unwrap_or_else(|| "an action without a title".to_owned()),
            detail: call.and_then(detail),
            choices: choices
                .filter_map(Choice::read)
                .take(MOST_CHOICES)
                .collect(),
        })
    }

    /// The parameters of an MCP `elicitation/create` that shows the request to the user.
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
        // Every revision with forms can spell named options like this.
        format!(
            r#"{{"message":{},"requestedSchema":{{"type":"object","properties":{{"{DECISION}":{{"type":"string","title":"Decision","enum":[{}],"enumNames":[{}]}}}},"required":["{DECISION}"]}}}}"#,
            quote(&message),
            list(|choice| &choice.id),
            list(|choice| &choice.name),
        )
    }

    /// The user's decision; `None` if it is not one of the options.
    pub fn chosen(&self, answer: &Message) -> Option<&Choice> {
        let result = answer.body().filter(|_| answer.kind() == Kind::Result)?;
        if result.get("action")?.as_str()? != "accept" {
            return None;
        }
        let id = result.path(&["content", DECISION])?.as_str()?;
        self.choices.iter().find(|choice| choice.id == id)
    }

    /// The option that allows the action: once, if possible, otherwise always.
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

    /// Whether the option allows the action.
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

/// The text without characters that could hide parts of it, cut to `most` bytes.
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
    fn the_form_shows_the_action_and_its_input() {
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
    fn only_an_offered_option_can_be_chosen() {
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
    fn without_a_user_the_one_time_options_are_preferred() {
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

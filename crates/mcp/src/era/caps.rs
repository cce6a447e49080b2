//! The requests that a client accepts.

use linkspan_wire::{Json, JsonKind, Message};

use linkspan_wire::Object;

/// The capabilities that decide which questions a client may get.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Caps {
    sampling: bool,
    sampling_tools: bool,
    form: bool,
    url: bool,
    roots: bool,
}

impl Caps {
    /// Of a `capabilities` object.
    pub fn of(capabilities: Json<'_>) -> Self {
        let has = |path: &[&str]| {
            let found = capabilities.path(path);
            found.is_some_and(|value| value.kind() == JsonKind::Object)
        };
        let url = has(&["elicitation", "url"]);
        Self {
            sampling: has(&["sampling"]),
            sampling_tools: has(&["sampling", "tools"]),
            // An empty object means forms, which were the only kind at first.
            form: has(&["elicitation"]) && (!url || has(&["elicitation", "form"])),
            url,
            roots: has(&["roots"]),
        }
    }

    /// Whether the client accepts any request.
    pub fn any(self) -> bool {
        self.sampling || self.form || self.url || self.roots
    }

    /// Whether the client shows forms to its user.
    pub fn shows_forms(self) -> bool {
        self.form
    }

    /// Whether the client has roots.
    pub(crate) fn has_roots(self) -> bool {
        self.roots
    }

    /// The capability that the client lacks for a question, as an object; `None` if it lacks none.
    pub(crate) fn lacks(self, question: &Message) -> Option<&'static str> {
        let params = question.params();
        let has = |key: &str| params.is_some_and(|p| p.get(key).is_some());
        match &*question.method() {
            "sampling/createMessage" if !self.sampling => Some(r#"{"sampling":{}}"#),
            "sampling/createMessage" if has("tools") && !self.sampling_tools => {
                Some(r#"{"sampling":{"tools":{}}}"#)
            }
            "elicitation/create" => {
                let mode = params.and_then(|p| p.get("mode")?.as_str());
                match mode.as_deref() {
                    Some("url") if !self.url => Some(r#"{"elicitation":{"url":{}}}"#),
                    Some("url") => None,
                    _ if !self.form => Some(r#"{"elicitation":{}}"#),
                    _ => None,
                }
            }
            "roots/list" if !self.roots => Some(r#"{"roots":{}}"#),
            _ => None,
        }
    }
}

/// The capabilities as a key: two clients with the same text can share a legacy server.
pub(crate) fn key(capabilities: Json<'_>) -> String {
    canonical(capabilities)
}

/// Sorts members and removes white space.
fn canonical(json: Json<'_>) -> String {
    match json.kind() {
        JsonKind::Object => {
            let mut members: Vec<_> = json.members().collect();
            // Of equal keys the last one counts, as for most readers.
            members.reverse();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            members.dedup_by(|a, b| a.0 == b.0);
            let mut object = Object::empty();
            for (key, value) in members {
                object.push(&key, &canonical(value));
            }
            object.text()
        }
        JsonKind::Array => {
            let items: Vec<_> = json.elements().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        _ => json.text().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caps(text: &str) -> Caps {
        Caps::of(Json::parse(text).unwrap())
    }

    fn question(method: &str, params: &str) -> Message {
        Message::request(&linkspan_wire::Id::number(1), method, Some(params))
    }

    #[test]
    fn an_empty_elicitation_means_forms_only() {
        let caps = caps(r#"{"elicitation":{}}"#);
        assert_eq!(caps.lacks(&question("elicitation/create", "{}")), None);
        let url = question("elicitation/create", r#"{"mode":"url"}"#);
        assert_eq!(caps.lacks(&url), Some(r#"{"elicitation":{"url":{}}}"#));
    }

    #[test]
    fn undeclared_questions_are_refused() {
        let caps = caps(r#"{"sampling":{}}"#);
        assert_eq!(caps.lacks(&question("sampling/createMessage", "{}")), None);
        let tools = question("sampling/createMessage", r#"{"tools":[]}"#);
        assert!(caps.lacks(&tools).is_some());
        assert!(caps.lacks(&question("roots/list", "{}")).is_some());
    }

    #[test]
    fn the_key_does_not_depend_on_order_or_space() {
        let a = Json::parse(r#"{"roots":{"listChanged":true},"sampling":{}}"#).unwrap();
        let b = Json::parse(r#"{ "sampling" : { } , "roots":{"listChanged":true}}"#).unwrap();
        assert_eq!(key(a), key(b));
    }
}

//! One JSON-RPC message, with the text of each member as the sender wrote it.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

pub struct Message {
    members: BTreeMap<String, Box<RawValue>>,
    text: String,
}

impl Message {
    pub fn parse(text: &str) -> Self {
        let members = serde_json::from_str(text)
            .unwrap_or_else(|error| panic!("not a JSON-RPC message: {error}: {text}"));
        Self {
            members,
            text: text.to_owned(),
        }
    }

    /// The bytes of one member.
    pub fn raw(&self, name: &str) -> Option<&str> {
        self.members.get(name).map(|value| value.get())
    }

    /// The method of a request or notification.
    pub fn method(&self) -> Option<String> {
        self.raw("method")
            .map(|raw| serde_json::from_str(raw).expect("a method is a string"))
    }

    pub fn is_answer_to(&self, id: &str) -> bool {
        self.raw("method").is_none() && self.raw("id") == Some(id)
    }

    /// The bytes of `result` or `error`.
    pub fn outcome(&self) -> &str {
        let outcome = self.raw("result").or_else(|| self.raw("error"));
        outcome.unwrap_or_else(|| panic!("no answer: {}", self.text))
    }

    /// The bytes of `result`; an error fails the test.
    pub fn result(&self) -> &str {
        self.raw("result")
            .unwrap_or_else(|| panic!("no result in {}", self.text))
    }
}

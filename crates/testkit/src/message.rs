//! A JSON-RPC message as its sender spelled it.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// One JSON-RPC message, its members kept as the text that was sent.
#[derive(Clone, Debug)]
pub struct Message {
    /// The whole message.
    pub text: String,
    /// The `id` as written (`7`, `"7"`, `null`), if there is one.
    pub id: Option<String>,
    /// The method, if there is one.
    pub method: Option<String>,
    /// The params as written.
    pub params: Option<String>,
    /// The result as written.
    pub result: Option<String>,
    /// The error as written.
    pub error: Option<String>,
}

impl Message {
    /// Parses an object with `"jsonrpc":"2.0"`; `None` for other texts.
    pub fn parse(text: &str) -> Option<Self> {
        let members = members(text)?;
        let raw = |name: &str| members.get(name).map(|v| v.get().to_owned());
        if raw("jsonrpc").as_deref() != Some("\"2.0\"") {
            return None;
        }
        let method = raw("method").and_then(|m| serde_json::from_str(&m).ok());
        let message = Self {
            text: text.to_owned(),
            id: raw("id"),
            method,
            params: raw("params"),
            result: raw("result"),
            error: raw("error"),
        };
        (message.method.is_some() || message.is_response()).then_some(message)
    }

    /// Whether this requires an answer.
    pub fn is_request(&self) -> bool {
        self.method.is_some() && self.id.is_some()
    }

    /// Whether this is a result or an error.
    pub fn is_response(&self) -> bool {
        self.method.is_none() && (self.result.is_some() || self.error.is_some())
    }

    /// A member at the end of a path, as written: `["params", "_meta", "progressToken"]`.
    pub fn at(&self, path: &[&str]) -> Option<String> {
        let mut text = self.text.clone();
        for name in path {
            text = members(&text)?.get(*name)?.get().to_owned();
        }
        Some(text)
    }

    /// The string at the end of a path.
    pub fn string_at(&self, path: &[&str]) -> Option<String> {
        serde_json::from_str(&self.at(path)?).ok()
    }

    /// The tool that a `tools/call` names.
    pub fn tool(&self) -> Option<String> {
        (self.method.as_deref() == Some("tools/call"))
            .then(|| self.string_at(&["params", "name"]))?
    }

    /// One tool argument; `Null` if it is absent or a [`Value`] cannot hold it.
    pub fn argument(&self, name: &str) -> Value {
        let raw = self.at(&["params", "arguments", name]);
        raw.and_then(|raw| serde_json::from_str(&raw).ok())
            .unwrap_or(Value::Null)
    }

    /// The whole message as a [`Value`].
    ///
    /// # Panics
    /// When a number does not fit (`1e400`): compare texts then.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).expect("numbers fit; the message was parsed once already")
    }

    /// `error.code`, if this is an error.
    pub fn code(&self) -> Option<i64> {
        self.at(&["error", "code"])?.parse().ok()
    }

    /// `error.data.kind`, the name that linkspan gives its own errors.
    pub fn kind(&self) -> Option<String> {
        self.string_at(&["error", "data", "kind"])
    }

    /// `error.data.hint`.
    pub fn hint(&self) -> Option<String> {
        self.string_at(&["error", "data", "hint"])
    }
}

fn members(text: &str) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_spelling() {
        let text = r#"{"jsonrpc":"2.0","id": "\u0041" ,"result":{"n":0.10,"big":1e400}}"#;
        let message = Message::parse(text).unwrap();
        assert_eq!(message.id.as_deref(), Some(r#""\u0041""#));
        assert_eq!(message.at(&["result", "n"]).as_deref(), Some("0.10"));
        assert_eq!(message.at(&["result", "big"]).as_deref(), Some("1e400"));
        assert!(message.is_response());
    }

    #[test]
    fn a_text_that_is_not_json_rpc_is_not_a_message() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"jsonrpc":"2.0"}"#,
            r#"{"id":1,"method":"x"}"#,
            "hello",
        ] {
            assert!(Message::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_null_id_is_an_id() {
        let text = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m","data":{"kind":"k"}}}"#;
        let message = Message::parse(text).unwrap();
        assert_eq!(message.id.as_deref(), Some("null"));
        assert_eq!(
            (message.code(), message.kind().as_deref()),
            (Some(-32700), Some("k"))
        );
    }
}

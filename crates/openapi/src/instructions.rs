//! What a server of the document says about itself.

use serde_json::{Map, Value};

use crate::clipped::clipped;

/// The most characters of the description.
const LONGEST: usize = 2000;

/// The title and the version of a document.
pub(crate) fn title(root: &Map<String, Value>) -> (String, String) {
    let text = |key: &str| match root.get("info").and_then(|info| info.get(key)) {
        Some(Value::String(text)) => clipped(text.trim(), 100).into_owned(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    (text("title"), text("version"))
}

/// Title and description, for the model.
pub(crate) fn of(root: &Map<String, Value>) -> String {
    let (title, _) = title(root);
    let description = root.get("info").and_then(|info| info.get("description"));
    let description = description.and_then(Value::as_str).unwrap_or_default();
    match (title.as_str(), clipped(description.trim(), LONGEST)) {
        (title, text) if text.is_empty() => title.to_owned(),
        ("", text) => text.into_owned(),
        (title, text) => format!("{title}\n\n{text}"),
    }
}

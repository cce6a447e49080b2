//! Edits messages as text, so that all other parts stay as they are.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// A member of an object as it is written; the result is a part of `text`.
pub fn member<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    members.get(name).map(|value| value.get())
}

/// The text with a part of it replaced.
pub fn replaced(text: &str, part: &str, by: &str) -> String {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    let end = start + part.len();
    format!("{}{by}{}", &text[..start], &text[end..])
}

/// A string member, read.
pub fn string(text: &str, name: &str) -> Option<String> {
    serde_json::from_str(member(text, name)?).ok()
}

/// A request (with an id) or notification around a method and parameters as they are written.
pub fn message(id: Option<&str>, method: &str, params: Option<&str>) -> String {
    let id = id.map_or_else(String::new, |id| format!(r#""id":{id},"#));
    let params = params.map_or_else(String::new, |text| format!(r#","params":{text}"#));
    format!(r#"{{"jsonrpc":"2.0",{id}"method":{method}{params}}}"#)
}

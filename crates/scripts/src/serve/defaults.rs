//! Inserts defaults of the schema for missing arguments.

use linkspan_wire::quote;
use serde_json::{Map, Value};

use crate::folder::Tool;

/// The arguments with defaults inserted, or `None` if none was missing. The client's spelling of its arguments
/// is kept.
pub(super) fn fill(
    tool: &Tool,
    arguments: &mut Map<String, Value>,
    spelled: &str,
) -> Option<String> {
    let properties = tool.shown["inputSchema"]["properties"].as_object()?;
    let usual = |schema: &Value| schema.get("default").filter(|it| !it.is_null()).cloned();
    let missing: Vec<(&String, Value)> = properties
        .iter()
        .filter(|(name, _)| !arguments.contains_key(*name))
        .filter_map(|(name, schema)| Some((name, usual(schema)?)))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let mut text = spelled.trim_end().strip_suffix('}')?.to_owned();
    for (name, value) in missing {
        if !arguments.is_empty() {
            text.push(',');
        }
        text.push_str(&format!("{}:{value}", quote(name)));
        arguments.insert(name.clone(), value);
    }
    text.push('}');
    Some(text)
}

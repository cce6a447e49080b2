//! Checks an output against the schema of its tool.
//!
//! As lenient as mcp-bash: required members must exist, and members that are not null must have the right type.
//! Projects omit optional members or set them to null.

use linkspan_wire::{Json, RpcError};
use serde_json::{Value, json};

use super::{Outcome, tail};

/// Checks structured content; missing content counts as an empty object.
pub fn check(content: Option<Json<'_>>, outcome: &Outcome<'_>) -> Result<(), RpcError> {
    let Some(schema) = outcome.schema else {
        return Ok(());
    };
    let data = content.map_or("{}", Json::text);
    let data: Value = serde_json::from_str(data).unwrap_or_default();
    if fits(schema, &data) {
        Ok(())
    } else {
        Err(error("Tool output does not satisfy outputSchema", outcome))
    }
}

/// Checks an output that should be JSON.
pub fn check_text(
    text: &str,
    json: Option<Json<'_>>,
    outcome: &Outcome<'_>,
) -> Result<(), RpcError> {
    if outcome.schema.is_none() {
        return Ok(());
    }
    match json {
        Some(json) => check(Some(json), outcome),
        None if text.trim().is_empty() => Err(error(
            "Tool output is empty for declared outputSchema",
            outcome,
        )),
        None => Err(error(
            "Tool output is not valid JSON for declared outputSchema",
            outcome,
        )),
    }
}

fn error(message: &'static str, outcome: &Outcome<'_>) -> RpcError {
    let error = RpcError::internal(message);
    if !outcome.verbose {
        return error;
    }
    let mut data = json!({
        "tool": outcome.tool,
        "exitCode": outcome.code,
        "traceAvailable": outcome.trace.is_some(),
    });
    let stderr = tail(outcome);
    if !stderr.is_empty() {
        data["stderrTail"] = json!(stderr);
    }
    if let Some(line) = outcome.trace {
        data["traceLine"] = json!(line);
    }
    error.with_data(data.to_string())
}

fn fits(schema: &Value, data: &Value) -> bool {
    if schema
        .get("type")
        .and_then(Value::as_str)
        .is_some_and(|kind| kind != "object")
    {
        return true;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object);
    let here = required.into_iter().flatten().filter_map(Value::as_str);
    if !here.into_iter().all(|name| data.get(name).is_some()) {
        return false;
    }
    properties.into_iter().flatten().all(|(name, about)| {
        let kind = about.get("type").and_then(Value::as_str);
        match (data.get(name), kind) {
            (None | Some(Value::Null), _) | (_, None) => true,
            (Some(value), Some(kind)) => is_of(value, kind),
        }
    })
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

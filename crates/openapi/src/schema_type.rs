//! `type` and `enum` of schemas, where OpenAPI 3.0 has `nullable`.

use std::borrow::Cow;

use linkspan_wire::quote;
use serde_json::Value;

use crate::keyword::is_type;
use crate::view::View;

/// The value of `type` as JSON, with `null` if the schema is nullable.
pub(crate) fn type_of(view: &View<'_>) -> Option<Cow<'static, str>> {
    let known = |kind: &Value| kind.as_str().filter(|kind| is_type(kind)).map(quote);
    let mut kinds: Vec<String> = match view.get("type")? {
        Value::Array(kinds) => kinds.iter().take(8).filter_map(known).collect(),
        Value::String(kind) if kind == "file" => vec![quote("string")],
        kind => known(kind).into_iter().collect(),
    };
    if view.is("nullable") && !kinds.is_empty() {
        kinds.push(quote("null"));
    }
    let mut unique: Vec<String> = Vec::new();
    for kind in kinds {
        if !unique.contains(&kind) {
            unique.push(kind);
        }
    }
    match unique.as_slice() {
        [] => None,
        [one] => Some(one.clone().into()),
        all => Some(format!("[{}]", all.join(",")).into()),
    }
}

/// The value of a keyword, where the `enum` of a nullable schema lacks `null`.
pub(crate) fn with_null<'v>(view: &View<'_>, name: &str, value: &'v Value) -> Cow<'v, Value> {
    match value {
        Value::Array(choices)
            if name == "enum" && view.is("nullable") && !choices.contains(&Value::Null) =>
        {
            let mut choices = choices.clone();
            choices.push(Value::Null);
            Cow::Owned(Value::Array(choices))
        }
        other => Cow::Borrowed(other),
    }
}

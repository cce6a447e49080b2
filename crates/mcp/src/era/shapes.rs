//! Structured content: any JSON value in the modern era, an object before.

use linkspan_wire::{Json, JsonKind};

use linkspan_wire::Object;

/// Puts structured content that is no object into one, under `result`.
pub(crate) fn structured(object: Object<'_>) -> Object<'_> {
    match object.get("structuredContent") {
        Some(content) if content.kind() != JsonKind::Object => {
            let wrapped = format!(r#"{{"result":{}}}"#, content.text());
            object.with("structuredContent", &wrapped)
        }
        _ => object,
    }
}

/// Whether a result has structured content that is not an object.
pub(crate) fn is_foreign_content(result: &Object<'_>) -> bool {
    let content = result.get("structuredContent");
    content.is_some_and(|content| content.kind() != JsonKind::Object)
}

/// Whether a list of tools has output schemas that may describe anything but an object.
pub(crate) fn has_foreign_schemas(result: &Object<'_>) -> bool {
    let tools = result.get("tools");
    tools.is_some_and(|tools| tools.elements().any(is_foreign))
}

/// Removes output schemas that may describe anything but an object: a legacy client would refuse the tool or its
/// results.
pub(crate) fn schemas(object: Object<'_>) -> Object<'_> {
    let Some(tools) = object.get("tools") else {
        return object;
    };
    if !tools.elements().any(is_foreign) {
        return object;
    }
    let tools: Vec<String> = tools
        .elements()
        .map(|tool| {
            if is_foreign(tool) {
                Object::of(Some(tool)).without(&["outputSchema"]).text()
            } else {
                tool.text().to_owned()
            }
        })
        .collect();
    object.with("tools", &format!("[{}]", tools.join(",")))
}

fn is_foreign(tool: Json<'_>) -> bool {
    let schema = tool.get("outputSchema");
    schema.is_some_and(|schema| {
        let kind = schema.get("type").and_then(Json::as_str);
        kind.as_deref() != Some("object")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_results_that_a_legacy_client_cannot_read_are_changed() {
        let list = Json::parse(r#"{"structuredContent":[1, 2]}"#).unwrap();
        assert_eq!(
            structured(Object::of(Some(list))).text(),
            r#"{"structuredContent":{"result":[1, 2]}}"#
        );
        let object = Json::parse(r#"{"structuredContent":{"a" : 1}}"#).unwrap();
        assert_eq!(structured(Object::of(Some(object))).text(), object.text());
    }

    #[test]
    fn an_output_schema_without_an_object_is_removed() {
        let result = Json::parse(
            r#"{"tools":[{"name":"a","outputSchema":{"type":"array"}},{"name":"b","outputSchema":{"type":"object"}}]}"#,
        )
        .unwrap();
        assert_eq!(
            schemas(Object::of(Some(result))).text(),
            r#"{"tools":[{"name":"a"},{"name":"b","outputSchema":{"type":"object"}}]}"#
        );
    }
}

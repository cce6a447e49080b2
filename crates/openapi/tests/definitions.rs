//! Definitions of tools.

use linkspan_openapi::{Api, OpenApiError, ReadOptions};
use serde_json::{Value, json};

use crate::setup::{definition, document, input, operation, read, refused};

/// The schema of the argument `a`.
fn argument(schema: Value) -> Value {
    let parameters = json!([{"name": "a", "in": "query", "schema": schema}]);
    input(&operation("get", "/", json!({ "parameters": parameters })))["properties"]["a"].clone()
}

/// The schema of the body, with these components.
fn body(schema: Value, components: Value) -> Value {
    let content = json!({"application/json": {"schema": schema}});
    let operation = json!({"operationId": "x", "requestBody": {"content": content}});
    let api =
        read(json!({"components": {"schemas": components}, "paths": {"/": {"post": operation}}}));
    input(&api)["properties"].clone()
}

#[test]
fn annotations_follow_the_method() {
    let methods = ["get", "head", "post", "put", "patch", "delete"];
    let hints = methods.map(|method| {
        let tool = definition(&operation(method, "/", json!({})), "x");
        let hint = |name: &str| tool["annotations"][name].as_bool();
        assert_eq!(hint("openWorldHint"), Some(true));
        (
            hint("readOnlyHint"),
            hint("destructiveHint"),
            hint("idempotentHint"),
        )
    });
    let change = (Some(false), None, None);
    assert_eq!(
        hints,
        [
            (Some(true), None, None),
            (Some(true), None, None),
            change,
            (Some(false), None, Some(true)),
            change,
            (Some(false), Some(true), Some(true)),
        ]
    );
}

#[test]
fn a_tool_says_what_it_does_and_whether_it_is_deprecated() {
    let text =
        |operation_| definition(&operation("get", "/pets", operation_), "x")["description"].clone();
    assert_eq!(text(json!({})), "GET /pets");
    assert_eq!(text(json!({"summary": "Lists pets"})), "Lists pets");
    assert_eq!(
        text(json!({"summary": "Lists", "description": "Lists all."})),
        "Lists all."
    );
    assert_eq!(
        text(json!({"summary": "A", "description": "B\nC"})),
        "A\n\nB\nC"
    );
    assert_eq!(
        text(json!({"summary": "A", "deprecated": true})),
        "Deprecated. A"
    );
    let long = text(json!({"summary": "é".repeat(5000)}));
    assert_eq!(long.as_str().unwrap().chars().count(), 4001);
}

#[test]
fn references_are_written_out() {
    let components = json!({"Pet": {"type": "object", "required": ["tag", "gone"], "properties":
        {"tag": {"$ref": "#/components/schemas/Tag", "description": "its tag"}}}, "Tag": {"type": "string", "x-y": 1}});
    let found = body(
        json!({"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}),
        components,
    );
    assert_eq!(
        found["body"],
        json!({"type": "array", "items": {"type": "object", "required": ["tag"],
            "properties": {"tag": {"type": "string", "description": "its tag"}}}})
    );
}

#[test]
fn a_schema_that_contains_itself_ends_there() {
    let node = json!({"type": "object", "description": "a node", "properties":
        {"value": {"type": "integer"}, "next": {"$ref": "#/components/schemas/Node"}}});
    let found = body(
        json!({"$ref": "#/components/schemas/Node"}),
        json!({ "Node": node }),
    );
    let next = &found["next"];
    assert_eq!(
        next["properties"]["next"],
        json!({"type": "object", "description": "a node"})
    );
    assert_eq!(next["properties"]["value"], json!({"type": "integer"}));
    let circle = json!({"A": {"$ref": "#/components/schemas/B"}, "B": {"allOf": [{"$ref": "#/components/schemas/A"}]}});
    let found = body(json!({"$ref": "#/components/schemas/A"}), circle);
    assert_eq!(found["body"], json!({}));
}

#[test]
fn read_only_properties_are_not_asked_for() {
    let schema = json!({"type": "object", "required": ["id", "name"], "properties":
        {"id": {"type": "integer", "readOnly": true}, "name": {"type": "string"}}});
    let found = body(json!({"type": "array", "items": schema}), json!({}));
    assert_eq!(
        found["body"]["items"],
        json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})
    );
    assert_eq!(body(schema, json!({})), json!({"name": {"type": "string"}}));
}

#[test]
fn all_of_plain_objects_is_one_object() {
    let animal =
        json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let dog = json!({"allOf": [{"$ref": "#/components/schemas/Animal"},
        {"type": "object", "properties": {"bark": {"type": "boolean"}}}], "description": "a dog"});
    let components = json!({"Animal": animal, "Dog": dog});
    let found = body(
        json!({"type": "array", "items": {"$ref": "#/components/schemas/Dog"}}),
        components.clone(),
    );
    assert_eq!(
        found["body"]["items"],
        json!({"type": "object", "description": "a dog", "required": ["name"],
            "properties": {"name": {"type": "string"}, "bark": {"type": "boolean"}}})
    );
    let found = body(json!({"$ref": "#/components/schemas/Dog"}), components);
    assert_eq!(
        found,
        json!({"name": {"type": "string"}, "bark": {"type": "boolean"}})
    );
}

#[test]
fn an_extension_of_one_schema_keeps_its_properties() {
    let animal = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let dog = json!({"allOf": [{"$ref": "#/components/schemas/Animal"}], "properties": {"bark": {"type": "boolean"}}});
    let found = body(dog, json!({ "Animal": animal }));
    assert_eq!(
        found,
        json!({"name": {"type": "string"}, "bark": {"type": "boolean"}})
    );
}

#[test]
fn keywords_of_openapi_3_0_become_those_of_json_schema() {
    assert_eq!(
        argument(json!({"type": "string", "nullable": true, "enum": ["a"], "example": "a"})),
        json!({"type": ["string", "null"], "enum": ["a", null]})
    );
    assert_eq!(
        argument(
            json!({"type": "integer", "minimum": 1, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false})
        ),
        json!({"type": "integer", "exclusiveMinimum": 1, "maximum": 9})
    );
    assert_eq!(
        argument(json!({"type": ["integer", "null"], "exclusiveMinimum": 1})),
        json!({"type": ["integer", "null"], "exclusiveMinimum": 1})
    );
    let wrapped = json!({"allOf": [{"type": "string"}], "nullable": true, "description": "d"});
    assert_eq!(
        argument(wrapped),
        json!({"type": ["string", "null"], "description": "d"})
    );
}

#[test]
fn what_is_no_valid_json_schema_is_dropped() {
    let odd = json!({"type": "any", "minLength": -1, "pattern": "(?<x>", "enum": [], "required": true,
        "items": [], "multipleOf": 0, "additionalProperties": "no", "properties": {"a": 7, "b": true}});
    assert_eq!(
        argument(odd),
        json!({"type": "object", "properties": {"b": true}})
    );
}

#[test]
fn a_large_schema_is_written_with_fewer_levels() {
    let mut schema = json!({"type": "string", "description": "leaf"});
    for _ in 0..6 {
        let properties: serde_json::Map<_, _> = (0..6)
            .map(|n| (format!("property{n}"), schema.clone()))
            .collect();
        schema = json!({"type": "object", "properties": properties});
    }
    let text = argument(schema).to_string();
    assert!((2_000..40_000).contains(&text.len()), "{}", text.len());
    assert!(text.contains(r#"{"type":"object"}"#));
}

#[test]
fn output_schemas_are_those_of_all_successful_responses() {
    let tool = |responses: Value| {
        let text = document(
            json!({"paths": {"/": {"get": {"operationId": "x", "responses": responses}}}}),
        );
        let options = ReadOptions {
            output_schemas: true,
            ..ReadOptions::default()
        };
        definition(&Api::read(&text, &options).unwrap(), "x")
            .get("outputSchema")
            .cloned()
    };
    let json = |schema: Value| json!({"content": {"application/json": {"schema": schema}}});
    let pet = json!({"type": "object", "properties": {"id": {"readOnly": true}, "pw": {"writeOnly": true}}});
    assert_eq!(
        tool(json!({"200": json(pet.clone()), "404": json(json!({}))})),
        Some(json!({"type": "object", "properties": {"id": {}}}))
    );
    assert_eq!(
        tool(json!({"200": json(json!({"type": "array"}))})),
        Some(
            json!({"type": "object", "properties": {"result": {"type": "array"}}, "required": ["result"]})
        )
    );
    assert_eq!(tool(json!({"200": json(pet.clone()), "204": {}})), None);
    assert_eq!(
        tool(json!({"200": json(pet), "201": json(json!({"type": "object"}))})),
        None
    );
}

#[test]
fn parameters_of_an_operation_replace_those_of_its_path() {
    let api = read(
        json!({"components": {"parameters": {"p": {"name": "a", "in": "query", "description": "shared"}}},
        "paths": {"/{id}": {
            "parameters": [{"$ref": "#/components/parameters/p"}, {"name": "id", "in": "path"},
                {"name": "b", "in": "query"}],
            "get": {"operationId": "x", "parameters": [{"name": "b", "in": "query", "required": true}]}}}}),
    );
    let schema = input(&api);
    assert_eq!(schema["required"], json!(["id", "b"]));
    assert_eq!(schema["properties"]["a"]["description"], "shared");
}

#[test]
fn references_to_other_documents_are_refused() {
    let schema = json!({"$ref": "common.yaml#/Pet"});
    let parameters = json!([{"name": "a", "in": "query", "schema": schema}]);
    let error = refused(json!({"paths": {"/": {"get": {"parameters": parameters}}}}));
    assert_eq!(
        error,
        OpenApiError::RemoteReference("common.yaml#/Pet".to_owned())
    );
    assert!(error.hint().contains("bundle"));
}

//! Documents that are made to do harm.

use std::collections::HashSet;

use linkspan_openapi::{Api, OpenApiError, ReadOptions};
use linkspan_wire::Json;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::setup::{document, read, refused};

/// Many operations with the same schema as their body.
fn many(operations: usize, schemas: Value) -> Value {
    let content = json!({"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}});
    let operation = json!({"post": {"requestBody": {"content": content}}});
    let paths: Map<_, _> = (0..operations)
        .map(|n| (format!("/p{n}"), operation.clone()))
        .collect();
    json!({"paths": paths, "components": {"schemas": schemas}})
}

/// Schemas that refer to the next one this often.
fn growing(levels: usize, schema: impl Fn(Value) -> Value) -> Value {
    let next = |n: usize| json!({"$ref": format!("#/components/schemas/S{}", n + 1)});
    let all: Map<_, _> = (0..levels)
        .map(|n| (format!("S{n}"), schema(next(n))))
        .collect();
    Value::Object(all)
}

#[test]
fn schemas_that_grow_with_every_level_end() {
    let tree = growing(30, |next| {
        let properties: Map<_, _> = (0..10).map(|n| (format!("a{n}"), next.clone())).collect();
        json!({"type": "object", "properties": properties})
    });
    let api = read(many(3, tree));
    assert!(
        api.operations()
            .iter()
            .all(|one| one.definition().len() < 50_000)
    );
}

#[test]
fn compositions_that_grow_with_every_level_are_refused() {
    let all_of = growing(30, |next| json!({ "allOf": vec![next; 50] }));
    assert_eq!(refused(many(5000, all_of)), OpenApiError::TooMuchWork);
}

#[test]
fn too_many_operations_are_refused_with_a_way_out() {
    let too_many = many(10_001, json!({}));
    let error = refused(too_many.clone());
    assert!(
        matches!(error, OpenApiError::TooManyOperations { found: 10_001, .. }),
        "{error}"
    );
    assert!(error.hint().contains("--include"));
    let some = ReadOptions {
        include: vec!["/p1*".to_owned()],
        ..ReadOptions::default()
    };
    assert!(Api::read(&document(too_many), &some).is_ok());
}

#[test]
fn an_operation_that_cannot_be_described_within_the_limit_is_left_out() {
    let parameters: Vec<_> = (0..900)
        .map(|n| json!({"name": format!("{n}{}", "x".repeat(60)), "in": "query"}))
        .collect();
    let api =
        read(json!({"paths": {"/a": {"get": {"parameters": parameters}}, "/b": {"get": {}}}}));
    assert_eq!((api.operations().len(), api.too_large()), (1, 1));
}

/// Values with the words of a document at every place.
fn values() -> impl Strategy<Value = Value> {
    let words = || {
        prop::sample::select(vec![
            "$ref",
            "type",
            "properties",
            "required",
            "items",
            "allOf",
            "anyOf",
            "enum",
            "nullable",
            "readOnly",
            "description",
            "schema",
            "content",
            "application/json",
            "multipart/form-data",
            "name",
            "in",
            "parameters",
            "requestBody",
            "responses",
            "200",
            "default",
            "pattern",
            "minimum",
            "additionalProperties",
            "format",
            "style",
            "explode",
            "security",
            "tags",
            "servers",
            "url",
            "operationId",
            "encoding",
            "a",
            "",
        ])
    };
    let leaf = prop_oneof![
        words().prop_map(Value::from),
        prop::sample::select(vec![
            "object",
            "string",
            "array",
            "query",
            "path",
            "body",
            "binary",
            "deepObject",
            "(",
            "#/components/schemas/a",
            "#/paths/~1/get",
            "#",
            "../x",
            "https://example.com/v1",
            "é\r\n\""
        ])
        .prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        any::<i16>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec((words(), inner.clone()), 0..6).prop_map(|all| Value::Object(
                all.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
            )),
            prop::collection::vec(inner, 0..4).prop_map(Value::Array),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn any_document_is_valid_tools_or_an_error(
        get in values(), post in values(), item in values(), schema in values(), swagger in any::<bool>(),
    ) {
        let (post, mut item) = (post, item);
        if let Value::Object(item) = &mut item {
            item.insert("get".to_owned(), get);
            item.insert("post".to_owned(), json!({"requestBody": {"content": {"application/json": {"schema": post}}}}));
        }
        let components = json!({"schemas": {"a": schema}});
        let mut all = json!({"servers": [{"url": "https://example.com/v1"}], "host": "example.com",
            "components": components, "paths": {"/{a}": item, "/": {"put": {}}}});
        let (key, version) = if swagger { ("swagger", "2.0") } else { ("openapi", "3.0.1") };
        all[key] = json!(version);
        let options = ReadOptions { output_schemas: true, ..ReadOptions::default() };
        let Ok(api) = Api::read(&all.to_string(), &options) else { return Ok(()) };
        let names: HashSet<_> = api.operations().iter().map(|one| one.name()).collect();
        prop_assert_eq!(names.len(), api.operations().len());
        let tools: Value = serde_json::from_str(&api.tools()).unwrap();
        for tool in tools.as_array().unwrap() {
            prop_assert!((1..=64).contains(&tool["name"].as_str().unwrap().len()));
            for key in ["inputSchema", "outputSchema"] {
                let valid = tool.get(key).map(linkspan_schema::Schema::new).transpose();
                prop_assert!(valid.is_ok(), "{valid:?} {}", tool[key]);
            }
        }
        for operation in api.operations() {
            let arguments = Json::parse(r#"{"a":"x","body":{"a":[1]},"name":{}}"#).unwrap();
            if let Ok(request) = api.request(operation, arguments) {
                prop_assert_eq!(request.url.origin(), api.base_url().origin());
            }
        }
    }

    #[test]
    fn any_text_is_a_document_or_an_error(text in "\\PC{0,60}|(openapi: 3.0.0\n)?([a-z&*!{}\\[\\]:, -]{0,12}\n){0,6}") {
        let _ = Api::read(&text, &ReadOptions::default());
    }
}

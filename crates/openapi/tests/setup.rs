//! Documents of tests, and calls of their operations.

use linkspan_openapi::{Api, OpenApiError, ReadOptions, Request, RequestError};
use linkspan_wire::Json;
use serde_json::{Value, json};

/// A server of OpenAPI 3.1 with these members.
pub fn document(members: Value) -> String {
    let mut all = json!({"openapi": "3.1.0", "servers": [{"url": "https://example.com/v1"}]});
    let all = all.as_object_mut().unwrap();
    all.extend(members.as_object().unwrap().clone());
    Value::Object(all.clone()).to_string()
}

/// One operation `x`.
pub fn operation(method: &str, path: &str, operation: Value) -> Api {
    let mut operation = operation;
    operation["operationId"] = json!("x");
    read(json!({"paths": {path: {method: operation}}}))
}

/// A document with these members.
pub fn read(members: Value) -> Api {
    Api::read(&document(members), &ReadOptions::default()).unwrap()
}

/// Why a document is not read.
pub fn refused(members: Value) -> OpenApiError {
    let read = Api::read(&document(members), &ReadOptions::default());
    read.err().expect("it is refused")
}

/// The request of a call of `x`.
pub fn call(api: &Api, arguments: &str) -> Result<Request, RequestError> {
    let operation = api.operation("x").unwrap();
    api.request(operation, Json::parse(arguments).unwrap())
}

/// The URL of a call of `x`, after the host.
pub fn url(api: &Api, arguments: &str) -> String {
    let url = call(api, arguments).unwrap().url;
    assert_eq!(url.origin().ascii_serialization(), "https://example.com");
    url[url::Position::BeforePath..].to_owned()
}

/// The body of a call of `x`.
pub fn body(api: &Api, arguments: &str) -> String {
    let body = call(api, arguments).unwrap().body;
    String::from_utf8(body.to_vec()).unwrap()
}

/// The definition of an operation.
pub fn definition(api: &Api, name: &str) -> Value {
    serde_json::from_str(api.operation(name).unwrap().definition()).unwrap()
}

/// The input schema of `x`.
pub fn input(api: &Api) -> Value {
    definition(api, "x")["inputSchema"].clone()
}

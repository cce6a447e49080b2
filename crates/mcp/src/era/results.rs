//! Answers of one era as those of the other.

use linkspan_wire::{Json, JsonKind, Message, quote};

use super::shapes;
use crate::check::MISSING_CAPABILITY;
use crate::meta::SERVER_INFO;
use crate::method::names;
use linkspan_wire::Object;

/// Results that a modern server has to say how long to keep for.
const CACHEABLE: [&str; 6] = [
    names::DISCOVER,
    names::TOOLS_LIST,
    names::PROMPTS_LIST,
    names::RESOURCES_LIST,
    names::TEMPLATES_LIST,
    names::RESOURCES_READ,
];

/// Members that only a modern result has.
const MODERN_ONLY: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];

/// -32002: what legacy servers say of a resource that is not there.
const NOT_FOUND: i64 = -32002;

/// A legacy result as a modern one. Nothing may be kept: a legacy server does not say for how long.
pub(crate) fn stamp(answer: &Message, method: &str, server_info: Option<&str>) -> Message {
    let Some(result) = answer.body().filter(|r| r.kind() == JsonKind::Object) else {
        return answer.clone();
    };
    let object = Object::of(Some(result));
    let meta = object.get("_meta");
    let mut object = object.with("resultType", r#""complete""#);
    if CACHEABLE.contains(&method) {
        object = object.with("ttlMs", "0").with("cacheScope", r#""private""#);
    }
    if let Some(info) = server_info {
        let meta = Object::of(meta).with(SERVER_INFO, info);
        object = object.with("_meta", &meta.text());
    }
    answer.with_value(result, &object.text())
}

/// A modern result as a legacy one.
pub(crate) fn unstamp(answer: &Message, method: &str) -> Message {
    let Some(result) = answer.body().filter(|r| r.kind() == JsonKind::Object) else {
        return answer.clone();
    };
    let mut object = Object::of(Some(result)).without(&MODERN_ONLY);
    if let Some(meta) = object.get("_meta") {
        let rest = Object::of(Some(meta)).without(&[SERVER_INFO]);
        object = if rest.is_empty() {
            object.without(&["_meta"])
        } else {
            object.with("_meta", &rest.text())
        };
    }
    let object = match method {
        names::TOOLS_CALL => shapes::structured(object),
        names::TOOLS_LIST => shapes::schemas(object),
        _ => object,
    };
    answer.with_value(result, &object.text())
}

/// What kind of result a modern server gave; `complete` unless it says otherwise.
pub(crate) fn result_type(answer: &Message) -> String {
    let kind = answer.body().and_then(|r| r.get("resultType")?.as_str());
    kind.map_or_else(|| "complete".to_owned(), Into::into)
}

/// A legacy error as a modern one.
pub(crate) fn error_up(answer: &Message, uri: Option<&str>) -> Message {
    match (code(answer), answer.body()) {
        (Some(NOT_FOUND), Some(error)) => {
            let known = error.path(&["data", "uri"]).is_some();
            let mut object = Object::of(Some(error)).with("code", "-32602");
            if let (false, Some(uri)) = (known, uri) {
                let data = Object::of(error.get("data")).with("uri", uri);
                object = object.with("data", &data.text());
            }
            answer.with_value(error, &object.text())
        }
        // No modern client knows this one, and whatever it asked for is in it or it is not.
        (Some(-32042), Some(error)) => {
            let object = Object::of(Some(error)).with("code", "-32603");
            answer.with_value(error, &object.text())
        }
        _ => answer.clone(),
    }
}

/// A modern error as a legacy one.
pub(crate) fn error_down(answer: &Message, method: &str) -> Message {
    let Some(error) = answer.body() else {
        return answer.clone();
    };
    let about_uri = error.path(&["data", "uri"]).is_some();
    if method == names::RESOURCES_READ && code(answer) == Some(-32602) && about_uri {
        let object = Object::of(Some(error)).with("code", &NOT_FOUND.to_string());
        return answer.with_value(error, &object.text());
    }
    answer.clone()
}

/// The code of an error answer.
pub(crate) fn code(answer: &Message) -> Option<i64> {
    answer.body()?.get("code")?.as_i64()
}

/// The error for a client that lacks a capability.
pub(crate) fn missing_capability(what: &str, required: &str) -> linkspan_wire::RpcError {
    linkspan_wire::RpcError::new(
        MISSING_CAPABILITY,
        format!("the server wants {what}, which the client has not declared"),
    )
    .with_data(format!(r#"{{"requiredCapabilities":{required}}}"#))
}

/// `_meta` with the server's name, for results of our own.
pub(crate) fn meta(server_info: Option<&str>) -> Option<String> {
    server_info.map(|info| format!("{{{}:{info}}}", quote(SERVER_INFO)))
}

/// A member of an object as text.
pub(crate) fn text_of(json: Option<Json<'_>>, key: &str) -> Option<String> {
    json?.get(key).map(|value| value.text().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::{Id, RpcError};

    fn result(text: &str) -> Message {
        Message::result(&Id::number(1), text)
    }

    fn body(message: &Message) -> String {
        message.body().unwrap().text().to_owned()
    }

    #[test]
    fn a_legacy_list_becomes_a_modern_one_and_keeps_its_bytes() {
        let info = Some(r#"{"name":"s"}"#);
        let stamped = stamp(
            &result(r#"{"tools":[ 1.0 ],"_meta":{"x":1}}"#),
            "tools/list",
            info,
        );
        assert_eq!(
            body(&stamped),
            r#"{"tools":[ 1.0 ],"_meta":{"x":1,"io.modelcontextprotocol/serverInfo":{"name":"s"}},"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#
        );
        assert_eq!(
            body(&stamp(&result(r#"{"content":[]}"#), "tools/call", None)),
            r#"{"content":[],"resultType":"complete"}"#
        );
    }

    #[test]
    fn there_and_back_is_the_same() {
        let text = r#"{"contents":[{"uri":"a","text":"0.10"}],"_meta":{"x":1}}"#;
        let there = stamp(&result(text), "resources/read", Some(r#"{"name":"s"}"#));
        assert_eq!(body(&unstamp(&there, "resources/read")), text);
    }

    #[test]
    fn a_resource_that_is_not_there_has_the_code_of_its_era() {
        let legacy = RpcError::new(-32002, "no such resource").answer(&Id::number(1));
        let modern = error_up(&legacy, Some(r#""test://x""#));
        assert_eq!(
            body(&modern),
            r#"{"code":-32602,"message":"no such resource","data":{"uri":"test://x"}}"#
        );
        assert_eq!(code(&error_down(&modern, "resources/read")), Some(-32002));
        assert_eq!(code(&error_down(&modern, "tools/call")), Some(-32602));
    }
}

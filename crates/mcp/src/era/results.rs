//! Translates answers between the eras.

use linkspan_wire::{Json, JsonKind, Kind, Message, quote};

use super::shapes;
use crate::check::{MISSING_CAPABILITY, UNSUPPORTED_VERSION};
use crate::meta::SERVER_INFO;
use crate::method::names;
use linkspan_wire::Object;

/// Results for which a modern server must send a caching time.
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

/// -32002: the error of legacy servers for an unknown resource.
const NOT_FOUND: i64 = -32002;
/// -32042: a legacy server requires that the user visits a URL first.
pub(crate) const URL_NEEDED: i64 = -32042;
const INVALID_PARAMS: i64 = -32602;

/// The member with the legacy members that the modern answer cannot express: in `_meta` of a result, in `data` of an
/// error. So a legacy client behind two translations gets the server's own answer.
const ORIGINAL: &str = "linkspan/legacy";

/// A legacy result as a modern one. It must not be cached, because a legacy server gives no caching time.
pub(crate) fn stamp(answer: &Message, method: &str, server_info: Option<&str>) -> Message {
    let Some(result) = answer.body().filter(|r| r.kind() == JsonKind::Object) else {
        return answer.clone();
    };
    let object = Object::of(Some(result));
    let meta = object.get("_meta");
    let original = original(&object, method);
    let mut object = object.with("resultType", r#""complete""#);
    if CACHEABLE.contains(&method) {
        object = object.with("ttlMs", "0").with("cacheScope", r#""private""#);
    }
    if server_info.is_some() || original.is_some() {
        let meta = Object::of(meta)
            .with_some(SERVER_INFO, server_info)
            .with_some(ORIGINAL, original.as_deref());
        object = object.with("_meta", &meta.text());
    }
    answer.with_value(result, &object.text())
}

/// The members of a legacy result that [`unstamp`] could not restore; `None` if it restores all of them.
fn original(result: &Object<'_>, method: &str) -> Option<String> {
    let mut members = Object::empty();
    for key in MODERN_ONLY {
        members = members.with_some(key, result.get(key).map(|value| value.text()));
    }
    let meta = result.get("_meta").filter(|meta| {
        let ours = [SERVER_INFO, ORIGINAL]
            .iter()
            .any(|key| meta.get(key).is_some());
        ours || meta.members().next().is_none()
    });
    members = members.with_some("_meta", meta.map(|meta| meta.text()));
    let is_adapted = match method {
        names::TOOLS_CALL => shapes::is_foreign_content(result),
        names::TOOLS_LIST => shapes::has_foreign_schemas(result),
        _ => false,
    };
    (is_adapted || !members.is_empty()).then(|| members.text())
}

/// A modern result as a legacy one.
pub(crate) fn unstamp(answer: &Message, method: &str) -> Message {
    let Some(result) = answer.body().filter(|r| r.kind() == JsonKind::Object) else {
        return answer.clone();
    };
    let original = result.path(&["_meta", ORIGINAL]);
    let original = original.filter(|members| members.kind() == JsonKind::Object);
    let given_back = |key: &str| original.is_some_and(|members| members.get(key).is_some());
    let mut object = Object::of(Some(result));
    for key in MODERN_ONLY.into_iter().filter(|key| !given_back(key)) {
        object = object.without(&[key]);
    }
    if let Some(meta) = object.get("_meta") {
        let rest = Object::of(Some(meta)).without(&[SERVER_INFO, ORIGINAL]);
        object = if rest.is_empty() && !given_back("_meta") {
            object.without(&["_meta"])
        } else {
            object.with("_meta", &rest.text())
        };
    }
    let object = match (original, method) {
        // It was a legacy result before.
        (Some(members), _) => members.members().fold(object, |object, (key, value)| {
            object.with(&key, value.text())
        }),
        (None, names::TOOLS_CALL) => shapes::structured(object),
        (None, names::TOOLS_LIST) => shapes::schemas(object),
        (None, _) => object,
    };
    answer.with_value(result, &object.text())
}

/// The type of a modern server's result; `complete` unless it says otherwise.
pub(crate) fn result_type(answer: &Message) -> String {
    let kind = answer.body().and_then(|r| r.get("resultType")?.as_str());
    kind.map_or_else(|| "complete".to_owned(), Into::into)
}

/// A legacy error as a modern one.
pub(crate) fn error_up(answer: &Message, method: &str, uri: Option<&str>) -> Message {
    let Some(error) = answer.body() else {
        return answer.clone();
    };
    let code = code(answer);
    let has_uri = error.path(&["data", "uri"]).is_some();
    let original = error.path(&["data", ORIGINAL]).is_some();
    let new_code = match code {
        Some(NOT_FOUND) => Some("-32602"),
        // The modern era has no such error, and it could not be turned into a question.
        Some(URL_NEEDED) => Some("-32603"),
        // On the way back these would be taken for errors of a modern server.
        Some(INVALID_PARAMS) if has_uri && method == names::RESOURCES_READ => None,
        Some(UNSUPPORTED_VERSION) => None,
        _ if original => None,
        _ => return answer.clone(),
    };
    let mut data = Object::of(error.get("data")).with(ORIGINAL, error.text());
    if code == Some(NOT_FOUND) && !has_uri {
        data = data.with_some("uri", uri);
    }
    let object = Object::of(Some(error))
        .with_some("code", new_code)
        .with("data", &data.text());
    answer.with_value(error, &object.text())
}

/// A modern error as a legacy one.
pub(crate) fn error_down(answer: &Message, method: &str) -> Message {
    let Some(error) = answer.body() else {
        return answer.clone();
    };
    if let Some(original) = original_error(error.get("data")) {
        return answer.with_value(error, original.text());
    }
    let about_uri = error.path(&["data", "uri"]).is_some();
    if method == names::RESOURCES_READ && code(answer) == Some(INVALID_PARAMS) && about_uri {
        let object = Object::of(Some(error)).with("code", &NOT_FOUND.to_string());
        return answer.with_value(error, &object.text());
    }
    answer.clone()
}

/// The legacy error that a modern answer was made from; `place` is `data` of an error or `_meta` of a result.
pub(crate) fn original_error(place: Option<Json<'_>>) -> Option<Json<'_>> {
    let original = place?.get(ORIGINAL)?;
    let is_error = original.get("code").and_then(Json::as_i64).is_some()
        && original.get("message").and_then(Json::as_str).is_some();
    is_error.then_some(original)
}

/// Stores a legacy error for the way back.
pub(crate) fn keep_original<'a>(object: Object<'a>, error: &Message) -> Object<'a> {
    object.with_some(ORIGINAL, error.body().map(|error| error.text()))
}

/// Whether this answer was made by a session because the server has exceeded its time limit.
pub fn is_timeout(answer: &Message) -> bool {
    let kind = answer
        .body()
        .and_then(|error| error.path(&["data", "kind"]));
    answer.kind() == Kind::Error && kind.and_then(Json::as_str).as_deref() == Some("timeout")
}

/// Whether a server asks the client for something before it goes on with a request.
pub fn wants_input(answer: &Message) -> bool {
    let kind = answer
        .body()
        .and_then(|body| body.get("resultType")?.as_str());
    answer.kind() == Kind::Result && kind.as_deref() == Some("input_required")
}

/// The code of an error answer.
pub(crate) fn code(answer: &Message) -> Option<i64> {
    answer.body()?.get("code")?.as_i64()
}

/// The error for a client that lacks a capability.
pub(crate) fn missing_capability(what: &str, required: &str) -> linkspan_wire::RpcError {
    linkspan_wire::RpcError::new(
        MISSING_CAPABILITY,
        format!("the server requires {what}, which the client has not declared"),
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
        let modern = error_up(&legacy, "resources/read", Some(r#""test://x""#));
        assert_eq!(code(&modern), Some(-32602));
        let uri = modern.body().unwrap().path(&["data", "uri"]).unwrap();
        assert_eq!(uri.text(), r#""test://x""#);
        let native = RpcError::new(-32602, "no").with_data(r#"{"uri":"test://x"}"#);
        let native = native.answer(&Id::number(1));
        assert_eq!(code(&error_down(&native, "resources/read")), Some(-32002));
        assert_eq!(code(&error_down(&native, "tools/call")), Some(-32602));
    }
}

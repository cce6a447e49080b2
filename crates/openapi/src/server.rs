//! Where the server of a document is.

use serde_json::Value;
use url::Url;

use crate::document::Document;
use crate::error::OpenApiError;
use crate::options::ReadOptions;

/// The URL of the server: the caller's, or the first of the document that HTTP can reach.
pub(crate) fn base_url(document: &Document, options: &ReadOptions) -> Result<Url, OpenApiError> {
    if let Some(url) = &options.base_url {
        return usable(url.clone()).ok_or_else(|| OpenApiError::Server(url.to_string()));
    }
    let root = &document.root;
    let at = options.document_url.as_ref();
    if document.is_swagger {
        return swagger(root, at);
    }
    match first(root.get("servers")) {
        Some(server) => {
            let text = filled(server);
            joined(&text, at)
        }
        // A document without servers is relative to its own place.
        None => joined("/", at),
    }
}

/// The URL for an operation or a path with `servers` of its own; `None` if it is on another origin, which must not get
/// our credentials.
pub(crate) fn of_operation(
    servers: Option<&Value>,
    base: &Url,
    options: &ReadOptions,
) -> Option<Url> {
    let Some(server) = first(servers).filter(|_| options.base_url.is_none()) else {
        return Some(base.clone());
    };
    let url = joined(&filled(server), options.document_url.as_ref()).ok()?;
    (url.origin() == base.origin()).then_some(url)
}

fn first(servers: Option<&Value>) -> Option<&Value> {
    servers.and_then(|servers| servers.get(0))
}

/// The URL of a server object with the defaults of its variables.
fn filled(server: &Value) -> String {
    let url = server
        .get("url")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let variables = server.get("variables").and_then(Value::as_object);
    let mut out = String::new();
    let mut rest = url;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else {
            break;
        };
        out.push_str(before);
        let value = variables.and_then(|all| all.get(name)?.get("default"));
        match value {
            Some(Value::String(text)) => out.push_str(text),
            Some(Value::Number(number)) => out.push_str(&number.to_string()),
            _ => {}
        }
        rest = tail;
        if out.len() > 8192 {
            return String::new();
        }
    }
    out.push_str(rest);
    out
}

/// `schemes`, `host` and `basePath`.
fn swagger(root: &serde_json::Map<String, Value>, at: Option<&Url>) -> Result<Url, OpenApiError> {
    let text = |name: &str| root.get(name).and_then(Value::as_str);
    let path = text("basePath").unwrap_or("/");
    let Some(host) = text("host") else {
        return joined(path, at);
    };
    let schemes = root.get("schemes").and_then(Value::as_array);
    let has = |wanted: &str| schemes.is_some_and(|all| all.iter().any(|one| one == wanted));
    let scheme = match at.map(Url::scheme) {
        _ if has("https") => "https",
        _ if has("http") => "http",
        Some("http") => "http",
        _ => "https",
    };
    joined(&format!("{scheme}://{host}{path}"), at)
}

fn joined(text: &str, at: Option<&Url>) -> Result<Url, OpenApiError> {
    let url = match at {
        Some(at) => at.join(text),
        None => Url::parse(text),
    };
    match url {
        Ok(url) => usable(url).ok_or_else(|| OpenApiError::Server(shown(text))),
        Err(_) if at.is_none() && !text.contains("://") => Err(OpenApiError::NoServer),
        Err(_) => Err(OpenApiError::Server(shown(text))),
    }
}

fn shown(text: &str) -> String {
    text.chars().take(200).collect()
}

/// The URL without what a base cannot have.
fn usable(mut url: Url) -> Option<Url> {
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return None;
    }
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    url.set_query(None);
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(text: &str, at: Option<&str>) -> Result<String, OpenApiError> {
        let document = Document::parse(text).unwrap();
        let options = ReadOptions {
            document_url: at.map(|at| Url::parse(at).unwrap()),
            ..ReadOptions::default()
        };
        base_url(&document, &options).map(Into::into)
    }

    #[test]
    fn the_first_server_is_used_with_the_defaults_of_its_variables() {
        let text = r#"{"openapi":"3.0.0","servers":[{"url":"https://{region}.example.com:{port}/v1?x#y",
            "variables":{"region":{"default":"eu"},"port":{"default":8443}}},{"url":"https://b"}]}"#;
        assert_eq!(base(text, None).unwrap(), "https://eu.example.com:8443/v1");
    }

    #[test]
    fn a_relative_server_is_where_the_document_is() {
        let text = r#"{"openapi":"3.0.0","servers":[{"url":"/api/v3"}]}"#;
        let at = Some("http://127.0.0.1:8000/docs/openapi.json?v=1");
        assert_eq!(base(text, at).unwrap(), "http://127.0.0.1:8000/api/v3");
        assert_eq!(base(text, None), Err(OpenApiError::NoServer));
        let text = r#"{"openapi":"3.1.0"}"#;
        assert_eq!(base(text, at).unwrap(), "http://127.0.0.1:8000/");
        assert_eq!(base(text, None), Err(OpenApiError::NoServer));
    }

    #[test]
    fn swagger_has_its_server_in_three_members() {
        let text =
            r#"{"swagger":"2.0","host":"example.com","basePath":"/v2","schemes":["http","https"]}"#;
        assert_eq!(base(text, None).unwrap(), "https://example.com/v2");
        let text = r#"{"swagger":"2.0","basePath":"/v2"}"#;
        assert_eq!(
            base(text, Some("http://localhost/s.json")).unwrap(),
            "http://localhost/v2"
        );
    }

    #[test]
    fn a_server_that_is_not_reached_by_http_is_refused() {
        for url in ["ftp://example.com/", "file:///etc", "mailto:x", "https://"] {
            let text = format!(r#"{{"openapi":"3.0.0","servers":[{{"url":"{url}"}}]}}"#);
            assert!(
                matches!(
                    base(&text, None),
                    Err(OpenApiError::Server(_) | OpenApiError::NoServer)
                ),
                "{url}"
            );
        }
    }

    #[test]
    fn an_operation_may_have_another_path_but_no_other_origin() {
        let base = Url::parse("https://example.com/v1").unwrap();
        let own = |url: &str| {
            let servers = serde_json::json!([{ "url": url }]);
            let found = of_operation(Some(&servers), &base, &ReadOptions::default());
            found.map(String::from)
        };
        assert_eq!(
            own("https://example.com/v2").as_deref(),
            Some("https://example.com/v2")
        );
        assert_eq!(own("https://uploads.example.com/v1"), None);
        assert_eq!(own("http://example.com/v1"), None);
        assert_eq!(own("/v2"), None);
    }
}

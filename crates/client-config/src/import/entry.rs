//! The entry of a client in the form of `mcpServers` that the gateway reads.

use serde_json::{Map, Value, json};

use super::Skipped;
use super::reference::{rewritten, variable};
use crate::clients::Client;
use crate::entry::own_arguments;

/// The members with a URL.
const URLS: [&str; 4] = ["url", "serverUrl", "httpUrl", "uri"];

/// An entry without the members that only its client knows.
pub(super) fn imported(client: Client, entry: &Value) -> Result<Value, Skipped> {
    let is = |member: &str, value: bool| entry.get(member) == Some(&Value::Bool(value));
    if is("disabled", true) || is("enabled", false) {
        return Err(Skipped::Disabled);
    }
    let line = client.command_line(entry);
    if line.is_some_and(|line| own_arguments(&line).is_some_and(|own| own.contains(&"gateway"))) {
        return Err(Skipped::Gateway);
    }
    match client.command_words(entry) {
        Some(words) => command(client, entry, &words),
        None => url(client, entry),
    }
}

fn command(client: Client, entry: &Value, words: &[&Value]) -> Result<Value, Skipped> {
    let words = words.iter().map(|word| text(client, word));
    let words: Option<Vec<String>> = words.collect();
    let words = words.ok_or(Skipped::Invalid("args"))?;
    let (program, args) = words.split_first().ok_or(Skipped::NoTarget)?;
    let mut out = json!({ "command": program });
    if !args.is_empty() {
        out["args"] = args.into();
    }
    let env = variables(client, entry)?;
    if !env.is_empty() {
        out["env"] = Value::Object(env);
    }
    for member in ["cwd", "envFile"] {
        if let Some(path) = entry.get(member).and_then(Value::as_str) {
            out[member] = rewritten(client, path).into();
        }
    }
    Ok(out)
}

fn variables(client: Client, entry: &Value) -> Result<Map<String, Value>, Skipped> {
    let inner = entry.get("command").and_then(|command| command.get("env"));
    let env = entry.get(client.env_member()).or(inner);
    let mut variables = texts(client, env, "env")?;
    let names = client
        .names_variables()
        .and_then(|member| entry.get(member));
    for name in names.and_then(Value::as_array).into_iter().flatten() {
        // Codex also has objects with the name.
        let name = name.as_str().or_else(|| name.get("name")?.as_str());
        let name = name.ok_or(Skipped::Invalid("env"))?;
        variables.insert(name.to_owned(), variable(name).into());
    }
    Ok(variables)
}

fn url(client: Client, entry: &Value) -> Result<Value, Skipped> {
    let found = URLS
        .iter()
        .find_map(|member| Some((*member, entry.get(member)?)));
    let (member, url) = found.ok_or(Skipped::NoTarget)?;
    let url = text(client, url).ok_or(Skipped::Invalid("url"))?;
    let mut out = json!({});
    let kind = ["type", "transportType", "transport"];
    let kind = kind.iter().find_map(|member| entry.get(member)?.as_str());
    match &*kind.unwrap_or_default().to_ascii_lowercase() {
        "sse" => out["type"] = "sse".into(),
        kind if kind.contains("http") || member == "httpUrl" => out["type"] = "http".into(),
        // A client that does not say which transport it is finds out.
        _ => {}
    }
    out["url"] = url.into();
    let headers = headers(client, entry)?;
    if !headers.is_empty() {
        out["headers"] = Value::Object(headers);
    }
    Ok(out)
}

fn headers(client: Client, entry: &Value) -> Result<Map<String, Value>, Skipped> {
    let given = match client {
        Client::Codex => entry.get("http_headers"),
        Client::Continue => entry.get("requestOptions").and_then(|it| it.get("headers")),
        _ => entry.get("headers"),
    };
    let mut headers = texts(client, given, "headers")?;
    if client == Client::Codex {
        let named = texts(client, entry.get("env_http_headers"), "headers")?;
        for (header, name) in named {
            let name = name.as_str().unwrap_or_default();
            headers.insert(header, variable(name).into());
        }
        if let Some(name) = entry.get("bearer_token_env_var").and_then(Value::as_str) {
            let value = format!("Bearer {}", variable(name));
            headers.insert("Authorization".to_owned(), value.into());
        }
    }
    Ok(headers)
}

/// An object of texts.
fn texts(
    client: Client,
    object: Option<&Value>,
    member: &'static str,
) -> Result<Map<String, Value>, Skipped> {
    let object = match object {
        None | Some(Value::Null) => return Ok(Map::new()),
        Some(Value::Object(object)) => object,
        Some(_) => return Err(Skipped::Invalid(member)),
    };
    let texts = object.iter().map(|(name, value)| {
        let value = text(client, value).ok_or(Skipped::Invalid(member))?;
        Ok((name.clone(), value.into()))
    });
    texts.collect()
}

/// A text; numbers and truth values count as their text.
fn text(client: Client, value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(rewritten(client, text)),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

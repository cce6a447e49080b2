//! `completion/complete`: the completion program, its input and its output.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use data_encoding::BASE64URL_NOPAD;
use linkspan_wire::RpcError;
use serde_json::{Map, Value, json};

use super::manual::Kind;
use super::places::Places;
use super::project::Project;
use super::{cursor, limits, meta, template};

/// The default number of values.
const USUAL: u64 = 5;
const MOST: u64 = 100;

/// A completion request.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The name of the prompt, the resource or the registered completion.
    pub name: String,
    /// The text typed so far.
    pub value: String,
    limit: usize,
    offset: usize,
    /// The whole request as JSON, for the program.
    arguments: String,
    /// The key of the completer of the previous page, from the cursor.
    before: Option<String>,
}

/// The program that completes.
#[derive(Debug, Clone, PartialEq)]
pub struct Completer {
    /// Its command line; if empty, the values are made up.
    pub words: Vec<OsString>,
    /// Its time limit.
    pub timeout: Duration,
    /// Its environment variables besides the request's.
    pub env: Vec<(&'static str, OsString)>,
    /// A key that is the same for every page.
    key: String,
}

/// Reads a request.
pub fn asked(params: &Value, project: &Project) -> Result<Asked, RpcError> {
    let text = |way: &str| {
        params
            .pointer(way)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let refuse = |why: &'static str| Err(RpcError::invalid_params(why));
    let name = match text("/ref/type") {
        "" => return refuse("Completion ref is required"),
        "ref/prompt" => text("/ref/name").to_owned(),
        "ref/resource" => named(text("/ref/uri"), project),
        _ => String::new(),
    };
    if name.is_empty() {
        return refuse("Completion ref is invalid");
    }
    let argument = text("/argument/name");
    if argument.is_empty() {
        return refuse("Completion argument name is required");
    }
    let value = text("/argument/value");
    let object = |way: &str| params.pointer(way).filter(|v| v.is_object()).cloned();
    let arguments = json!({
        "query": value,
        "prefix": value,
        "argument": {"name": argument, "value": value},
        "context": {"arguments": object("/context/arguments").unwrap_or_else(|| json!({}))},
        "ref": object("/ref").unwrap_or_else(|| json!({})),
    });
    let limit = match params.get("limit") {
        Some(Value::Number(n)) => n.as_u64(),
        Some(Value::String(text)) => super::vars::digits(text),
        _ => None,
    };
    let limit = limit.filter(|&n| n > 0).unwrap_or(USUAL).min(MOST);
    let mut asked = Asked {
        name,
        value: value.to_owned(),
        limit: limit as usize,
        offset: 0,
        arguments: arguments.to_string(),
        before: None,
    };
    if let Some(cursor) = params
        .get("cursor")
        .and_then(Value::as_str)
        .filter(|c| !c.is_empty())
    {
        let place = cursor::json_of(cursor);
        let place = place.filter(|p| p.get("name").and_then(Value::as_str) == Some(&asked.name));
        let offset = place.as_ref().and_then(|p| p.get("offset")?.as_u64());
        let (Some(place), Some(offset)) = (place, offset) else {
            return refuse("Invalid cursor");
        };
        asked.offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let script = place.get("script").and_then(Value::as_str);
        asked.before = script.filter(|s| !s.is_empty()).map(str::to_owned);
    }
    Ok(asked)
}

/// The name of the resource or template with this URI, or the URI itself.
fn named(uri: &str, project: &Project) -> String {
    let is = |item: &&Map<String, Value>, field: &str| {
        item.get(field).and_then(Value::as_str) == Some(uri)
    };
    let resource = project.resources.iter().find(|r| is(r, "uri"));
    let template = || project.templates.iter().find(|t| is(t, "uriTemplate"));
    let fitting = || template::best(uri, project.patterns()).map(|(item, _)| item);
    let found = resource.or_else(template).or_else(fitting);
    found
        .and_then(|item| meta::text(item, "name"))
        .unwrap_or(uri)
        .to_owned()
}

/// The program that completes the request.
pub fn completer(asked: &Asked, project: &Project) -> Result<Completer, RpcError> {
    if project.faults.get(Kind::Completions).is_some() {
        return Err(RpcError::method_not_found("completion"));
    }
    let completer = registered(asked, project)
        .or_else(|| beside_prompt(asked, project))
        .or_else(|| beside_resource(asked, project))
        .unwrap_or_else(|| Completer {
            words: Vec::new(),
            timeout: limits::NEVER,
            env: Vec::new(),
            key: format!("builtin:{}", asked.name),
        });
    match &asked.before {
        Some(before) if *before != completer.key => {
            Err(RpcError::invalid_params("Cursor no longer valid"))
        }
        _ => Ok(completer),
    }
}

fn registered(asked: &Asked, project: &Project) -> Option<Completer> {
    let entries = project.completions.iter();
    let entry = entries
        .into_iter()
        .find(|e| meta::text(e, "name") == Some(&asked.name))?;
    let path = PathBuf::from(meta::text(entry, "path")?);
    Some(Completer {
        words: meta::argv(&path)?,
        timeout: limits::completion(Some(entry), &project.vars),
        env: Vec::new(),
        key: format!("manual:{}", path.display()),
    })
}

fn beside_prompt(asked: &Asked, project: &Project) -> Option<Completer> {
    let item = project
        .prompts
        .iter()
        .find(|p| meta::text(p, "name") == Some(&asked.name))?;
    let below = meta::text(item, "path")?;
    let script = beside(&project.places.prompts, below)?;
    let metadata = Value::Object(item.clone()).to_string();
    Some(Completer {
        words: meta::argv(&script)?,
        timeout: limits::completion(None, &project.vars),
        env: vec![
            ("MCP_PROMPT_REL_PATH", below.into()),
            ("MCP_PROMPT_PATH", project.places.prompts.join(below).into()),
            ("MCP_PROMPT_METADATA", metadata.into()),
        ],
        key: format!("prompt:{}", script.display()),
    })
}

fn beside_resource(asked: &Asked, project: &Project) -> Option<Completer> {
    let is = |item: &&Map<String, Value>| meta::text(item, "name") == Some(&asked.name);
    let Places { resources, .. } = &project.places;
    let (item, below, uri) = match project.resources.iter().find(is) {
        Some(item) => (
            item,
            meta::text(item, "path")?.to_owned(),
            meta::text(item, "uri"),
        ),
        None => {
            // A template has no file; its completion script is found by its name.
            let item = project.templates.iter().find(is)?;
            let name = &asked.name;
            let flat = resources.join(format!("{name}.completion.sh")).is_file();
            let below = if flat {
                name.clone()
            } else {
                format!("{name}/{name}")
            };
            (item, below, meta::text(item, "uriTemplate"))
        }
    };
    let script = beside(resources, &below)?;
    let metadata = Value::Object(item.clone()).to_string();
    Some(Completer {
        words: meta::argv(&script)?,
        timeout: limits::completion(None, &project.vars),
        env: vec![
            ("MCP_RESOURCE_REL_PATH", below.as_str().into()),
            ("MCP_RESOURCE_PATH", resources.join(&below).into()),
            ("MCP_RESOURCE_URI", uri.unwrap_or_default().into()),
            (
                "MCP_RESOURCE_PROVIDER",
                meta::text(item, "provider").unwrap_or_default().into(),
            ),
            ("MCP_RESOURCE_METADATA", metadata.into()),
        ],
        key: format!("resource:{}", script.display()),
    })
}

/// The completion script of the file `below` a folder.
fn beside(folder: &Path, below: &str) -> Option<PathBuf> {
    let stem = below
        .rsplit_once('.')
        .map(|(stem, _)| stem)
        .filter(|stem| !stem.ends_with('/'));
    let names = [Some(below), stem].into_iter().flatten();
    let names = names.flat_map(|n| [format!("{n}.completion.sh"), format!("{n}.completion")]);
    names
        .map(|name| folder.join(name))
        .find(|script| meta::is_executable(script))
}

/// The environment of a completion program.
pub fn env(asked: &Asked, completer: &Completer) -> Vec<(&'static str, OsString)> {
    let mut env = vec![
        ("MCP_COMPLETION_NAME", OsString::from(&asked.name)),
        ("MCP_COMPLETION_ARGS_JSON", OsString::from(&asked.arguments)),
        ("MCP_COMPLETION_LIMIT", asked.limit.to_string().into()),
        ("MCP_COMPLETION_OFFSET", asked.offset.to_string().into()),
        ("MCP_COMPLETION_ARGS_HASH", hash(asked).into()),
    ];
    env.extend(completer.env.iter().cloned());
    env
}

fn hash(asked: &Asked) -> String {
    cursor::hash(std::slice::from_ref(&asked.arguments))
}

/// Made-up values, for an argument without a completion program.
pub fn made_up(asked: &Asked, completer: &Completer) -> String {
    let base = [asked.value.trim(), asked.name.trim(), "suggestion"];
    let base = base
        .into_iter()
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    let all = [
        base.to_owned(),
        format!("{base} snippet"),
        format!("{base} example"),
    ];
    let from = asked.offset.min(all.len());
    let to = (from + asked.limit).min(all.len());
    let next = (to < all.len()).then_some(to);
    result(&all[from..to], next.map(Next::At), asked, completer)
}

enum Next {
    At(usize),
    Theirs(String),
    Unknown,
}

/// The result for the output of a completion program.
pub fn result_of(printed: &str, asked: &Asked, completer: &Completer) -> Result<String, RpcError> {
    let wrong = || RpcError::internal("Completion provider emitted invalid JSON");
    let said: Value = serde_json::from_str(printed.trim()).unwrap_or_default();
    let (values, about) = match said {
        Value::Null => (Vec::new(), Map::new()),
        Value::Array(values) => (values, Map::new()),
        Value::Object(mut about) => {
            let values = about
                .remove("suggestions")
                .or_else(|| about.remove("values"));
            match values {
                None | Some(Value::Null) => (Vec::new(), about),
                Some(Value::Array(values)) => (values, about),
                Some(_) => return Err(wrong()),
            }
        }
        _ => return Err(wrong()),
    };
    let values: Option<Vec<String>> = values
        .into_iter()
        // Older entries have the form {"type":"text","text":…}.
        .map(|v| {
            let text = v.as_str().or_else(|| v.get("text")?.as_str());
            text.map(str::to_owned)
        })
        .collect();
    let values = values.ok_or_else(wrong)?;
    let theirs = ["nextCursor", "cursor"]
        .iter()
        .find_map(|name| meta::text(&about, name));
    let more = about.get("hasMore").and_then(Value::as_bool) == Some(true);
    let next = about
        .get("next")
        .and_then(|n| n.as_u64().or_else(|| n.as_str()?.parse().ok()));
    let shown = &values[..values.len().min(asked.limit)];
    let next = if let Some(theirs) = theirs {
        Some(Next::Theirs(theirs.to_owned()))
    } else if more || values.len() > asked.limit {
        let after = usize::try_from(next.unwrap_or(0)).unwrap_or(usize::MAX);
        Some(if next.is_some() {
            Next::At(after)
        } else {
            Next::Unknown
        })
    } else {
        None
    };
    Ok(result(shown, next, asked, completer))
}

/// The error for a completion program that failed.
pub fn failed(stderr: &str) -> RpcError {
    let said = stderr.trim();
    RpcError::internal(
        if said.is_empty() {
            "Completion provider failed"
        } else {
            said
        }
        .to_owned(),
    )
}

fn result(values: &[String], next: Option<Next>, asked: &Asked, completer: &Completer) -> String {
    let mut completion = json!({"values": values, "hasMore": next.is_some()});
    let cursor = next.map(|next| match next {
        Next::Theirs(cursor) => cursor,
        Next::At(offset) => place(offset, asked, completer),
        Next::Unknown => place(asked.offset + values.len(), asked, completer),
    });
    if let Some(cursor) = cursor {
        completion["nextCursor"] = json!(cursor);
    }
    json!({"completion": completion}).to_string()
}

fn place(offset: usize, asked: &Asked, completer: &Completer) -> String {
    let place = json!({
        "ver": 1,
        "kind": "completion",
        "name": asked.name,
        "args": hash(asked),
        "offset": offset,
        "script": completer.key,
    });
    BASE64URL_NOPAD.encode(place.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::project;

    fn ask(name: &str, more: Value) -> Value {
        let mut params = json!({"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": "a", "value": " plan "}});
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        params
    }

    #[test]
    fn an_argument_without_a_completion_has_values_in_pages() {
        let (_root, project) = project(&[]);
        let first = asked(&ask("x", json!({"limit": 1})), &project).unwrap();
        let by = completer(&first, &project).unwrap();
        assert!(by.words.is_empty());
        let page: Value = serde_json::from_str(&made_up(&first, &by)).unwrap();
        assert_eq!(page["completion"]["values"], json!(["plan"]));
        assert_eq!(page["completion"]["hasMore"], true);
        let cursor = page["completion"]["nextCursor"].clone();
        let second = asked(&ask("x", json!({"limit": 1, "cursor": cursor})), &project).unwrap();
        let page: Value = serde_json::from_str(&made_up(&second, &by)).unwrap();
        assert_eq!(page["completion"]["values"], json!(["plan snippet"]));
        let bad = asked(&ask("x", json!({"cursor": "bogus"})), &project);
        assert_eq!(bad.unwrap_err().code(), -32602);
        let other = asked(&ask("y", json!({"cursor": cursor})), &project);
        assert_eq!(other.unwrap_err().message(), "Invalid cursor");
    }

    #[test]
    fn scripts_lie_beside_prompts_and_resources_and_templates() {
        let script = "#!/bin/sh\n";
        let (_root, project) = project(&[
            ("prompts/pick/pick.txt", "x"),
            ("prompts/pick/pick.completion.sh", script),
            (
                "resources/items.meta.json",
                r#"{"name":"items","uriTemplate":"file:///items/{id}"}"#,
            ),
            ("resources/items.completion.sh", script),
            (
                "resources/orders/orders.meta.json",
                r#"{"name":"orders","uriTemplate":"orders://{+key}"}"#,
            ),
            ("resources/orders/orders.completion.sh", script),
            ("completions/c.sh", script),
            (
                "server.d/register.json",
                r#"{"version":1,"completions":[{"name":"c","path":"completions/c.sh","timeoutSecs":2}]}"#,
            ),
        ]);
        let by = |params: &Value| {
            let asked = asked(params, &project).unwrap();
            (completer(&asked, &project).unwrap(), asked)
        };
        let (pick, _) = by(&ask("pick", json!({})));
        assert_eq!(pick.timeout, Duration::from_secs(5));
        assert_eq!(pick.env[0], ("MCP_PROMPT_REL_PATH", "pick/pick.txt".into()));
        let (c, _) = by(&ask("c", json!({})));
        assert_eq!(c.timeout, Duration::from_secs(2));
        for uri in ["file:///items/{id}", "file:///items/42"] {
            let params = json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": "id", "value": ""}});
            let (items, asked) = by(&params);
            assert_eq!(asked.name, "items");
            assert!(
                items
                    .env
                    .contains(&("MCP_RESOURCE_URI", "file:///items/{id}".into()))
            );
        }
        let params = json!({"ref": {"type": "ref/resource", "uri": "orders://{+key}"}, "argument": {"name": "key", "value": ""}});
        assert!(!by(&params).0.words.is_empty());
    }

    #[test]
    fn completion_output_may_be_a_list_or_an_object() {
        let (_root, project) = project(&[]);
        let asked = asked(&ask("x", json!({"limit": 2})), &project).unwrap();
        let by = completer(&asked, &project).unwrap();
        let said = |text: &str| -> Value {
            serde_json::from_str(&result_of(text, &asked, &by).unwrap()).unwrap()
        };
        assert_eq!(
            said(r#"["a"]"#)["completion"],
            json!({"values": ["a"], "hasMore": false})
        );
        assert_eq!(said("not json")["completion"]["values"], json!([]));
        let many = said(r#"{"suggestions":["a","b","c"]}"#);
        assert_eq!(many["completion"]["values"], json!(["a", "b"]));
        assert_eq!(many["completion"]["hasMore"], true);
        assert_eq!(
            said(r#"{"values":[],"cursor":"mine"}"#)["completion"]["nextCursor"],
            "mine"
        );
        let old = said(r#"{"suggestions":[{"type":"text","text":"o"}]}"#);
        assert_eq!(old["completion"]["values"], json!(["o"]));
        assert!(result_of("[1]", &asked, &by).is_err());
        assert!(result_of("7", &asked, &by).is_err());
    }

    #[test]
    fn missing_members_are_named() {
        let (_root, project) = project(&[]);
        let why = |params: Value| asked(&params, &project).unwrap_err().message().to_owned();
        assert_eq!(why(json!({})), "Completion ref is required");
        assert_eq!(
            why(json!({"ref": {"type": "ref/x"}})),
            "Completion ref is invalid"
        );
        let no_argument = json!({"ref": {"type": "ref/prompt", "name": "x"}});
        assert_eq!(why(no_argument), "Completion argument name is required");
    }
}

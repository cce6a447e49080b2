//! `completion/complete`

use linkspan_local::{Call, Params};
use linkspan_wire::{Json, JsonKind, RpcError, quote};
use serde_json::{Map, Value};

use super::connection::Connection;
use super::jobs::{RunRequest, find, meta, object};
use super::prompts::printed;
use crate::folder::{Catalogue, CompletionTarget, Values};

/// The protocol's limit of values.
const MOST: usize = 100;

impl Connection {
    pub(super) async fn complete(
        &self,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        let asked = Asked::read(params)?;
        let snapshot = self.folder.snapshot();
        let Some(target) = target(&snapshot.catalogue, &asked)? else {
            return Ok(offered(&[], None, false));
        };
        let completion = find(&snapshot.catalogue.completions, |completion| {
            completion.target == target && completion.argument == asked.argument
        });
        let Some(completion) = completion else {
            return Ok(offered(&[], None, false));
        };
        match &completion.values {
            Values::Static(values) => {
                let wanted = asked.value.to_lowercase();
                let fits = |value: &&String| value.to_lowercase().starts_with(&wanted);
                let fitting: Vec<String> = values.iter().filter(fits).cloned().collect();
                Ok(offered(&fitting, Some(fitting.len()), false))
            }
            Values::Run(program) => {
                let all = Value::Object(asked.others.clone()).to_string();
                let request = RunRequest {
                    name: &asked.name,
                    program,
                    run: &completion.run,
                    spelled: &all,
                    further: Vec::new(),
                    env: vec![
                        ("MCP_COMPLETION_NAME", asked.name.clone()),
                        ("MCP_COMPLETION_ARGUMENT", asked.argument.clone()),
                        ("MCP_COMPLETION_VALUE", asked.value.clone()),
                        ("MCP_COMPLETION_ARGS_JSON", all.clone()),
                        ("MCP_COMPLETION_LIMIT", MOST.to_string()),
                    ],
                    meta: meta(params),
                };
                let outcome = self.perform(request, call).await?;
                read(printed(&asked.name, &outcome)?)
            }
        }
    }
}

/// A completion request.
struct Asked {
    is_prompt: bool,
    name: String,
    argument: String,
    value: String,
    /// The arguments filled in already, and the one to complete.
    others: Map<String, Value>,
}

impl Asked {
    fn read(params: Params<'_>) -> Result<Self, RpcError> {
        let wrong = RpcError::invalid_params;
        let reference = params
            .object("ref")?
            .ok_or_else(|| wrong("`ref` says what to complete"))?;
        let text = |json: Json<'_>, name: &str| Some(json.get(name)?.as_str()?.into_owned());
        let kind = text(reference, "type").unwrap_or_default();
        let (is_prompt, name) = match kind.as_str() {
            "ref/prompt" => (true, text(reference, "name")),
            "ref/resource" => (false, text(reference, "uri")),
            _ => return Err(wrong("`ref.type` must be ref/prompt or ref/resource")),
        };
        let name = name.ok_or_else(|| wrong("`ref` must name a prompt or a resource"))?;
        let argument = params
            .object("argument")?
            .ok_or_else(|| wrong("`argument` is missing"))?;
        let value = text(argument, "value").unwrap_or_default();
        let argument =
            text(argument, "name").ok_or_else(|| wrong("`argument.name` must be a string"))?;
        let context = params
            .object("context")?
            .and_then(|context| context.get("arguments"));
        let context = context.filter(|context| context.kind() == JsonKind::Object);
        let mut others = context.map_or(Ok(Map::new()), object)?;
        others.insert(argument.clone(), value.clone().into());
        Ok(Self {
            is_prompt,
            name,
            argument,
            value,
            others,
        })
    }
}

/// The target of the completion; `None` if it has no completions. An unknown name is an error.
fn target(all: &Catalogue, asked: &Asked) -> Result<Option<CompletionTarget>, RpcError> {
    let name = asked.name.clone();
    if asked.is_prompt {
        return match find(&all.prompts, |prompt| prompt.name == name) {
            Some(_) => Ok(Some(CompletionTarget::Prompt(name))),
            None => Err(RpcError::invalid_params(format!("unknown prompt: {name}"))),
        };
    }
    if find(&all.templates, |template| template.uri_template == name).is_some() {
        return Ok(Some(CompletionTarget::Resource(name)));
    }
    match find(&all.resources, |resource| resource.uri == name) {
        Some(_) => Ok(None),
        None => Err(RpcError::invalid_params(format!(
            "unknown resource: {name}"
        ))),
    }
}

/// Values from a JSON array, an object with an array, or lines.
fn read(text: &str) -> Result<String, RpcError> {
    let Ok(json) = Json::parse(text) else {
        let lines: Vec<String> = text
            .lines()
            .map(str::to_owned)
            .filter(|l| !l.is_empty())
            .collect();
        return Ok(offered(&lines, Some(lines.len()), false));
    };
    let list = match json.kind() {
        JsonKind::Array => Some(json),
        JsonKind::Object => json.get("values").or_else(|| json.get("suggestions")),
        // A single line that happens to be JSON.
        _ => return Ok(offered(&[text.to_owned()], Some(1), false)),
    };
    let list = list
        .filter(|list| list.kind() == JsonKind::Array)
        .ok_or_else(|| RpcError::internal("the completion printed an object without `values`"))?;
    let values: Option<Vec<String>> = list
        .elements()
        .map(|value| value.as_str().map(|text| text.into_owned()))
        .collect();
    let values = values
        .ok_or_else(|| RpcError::internal("the completion printed a value that is not a string"))?;
    let total = json.get("total").and_then(Json::as_i64);
    let total = total.and_then(|total| usize::try_from(total).ok());
    let more = json.get("hasMore").and_then(Json::as_bool) == Some(true);
    Ok(offered(&values, total, more))
}

fn offered(values: &[String], total: Option<usize>, more: bool) -> String {
    let shown: Vec<String> = values.iter().take(MOST).map(|value| quote(value)).collect();
    let more = more || values.len() > MOST;
    let total = total.map_or_else(String::new, |total| {
        format!(r#""total":{},"#, total.max(shown.len()))
    });
    format!(
        r#"{{"completion":{{"values":[{}],{total}"hasMore":{more}}}}}"#,
        shown.join(",")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_may_print_an_array_an_object_or_lines() {
        let three = r#"{"completion":{"values":["a","b"],"total":2,"hasMore":false}}"#;
        assert_eq!(read("a\nb\n").unwrap(), three);
        assert_eq!(read(r#"{"values":["a","b"],"total":2}"#).unwrap(), three);
        assert_eq!(
            read(r#"["a","b"]"#).unwrap(),
            r#"{"completion":{"values":["a","b"],"hasMore":false}}"#
        );
        assert!(
            read(r#"{"suggestions":["a"],"hasMore":true}"#)
                .unwrap()
                .contains("true")
        );
        assert!(read("42").unwrap().contains(r#"["42"]"#));
        assert!(read("[1]").is_err() && read("{}").is_err());
    }

    #[test]
    fn at_most_a_hundred_values_are_returned() {
        let values: Vec<String> = (0..101).map(|n| n.to_string()).collect();
        let text = offered(&values, Some(101), false);
        assert!(text.contains(r#""total":101,"hasMore":true"#), "{text}");
        assert!(!text.contains(r#""100""#));
    }
}

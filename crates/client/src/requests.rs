//! The requests of the trying commands, with a hint for each that the server refuses.

use linkspan_mcp::names;
use linkspan_wire::{Json, Message, quote};

use crate::arguments::{ArgumentsError, check_arguments, prompt_hint, tool_hint};
use crate::call_arguments::CallArguments;
use crate::client::{Client, one_param};
use crate::error::ClientError;
use crate::list::List;

/// Why an operation has no result.
#[derive(Debug, thiserror::Error)]
pub enum OperationError {
    /// The arguments do not fit the tool's schema; nothing was sent.
    #[error(transparent)]
    Arguments(#[from] ArgumentsError),
    /// The server refuses the request, or does not answer.
    #[error("{error}")]
    Client {
        /// The error.
        error: ClientError,
        /// What to try instead, if the server has refused the request.
        hint: Option<String>,
    },
}

impl From<ClientError> for OperationError {
    fn from(error: ClientError) -> Self {
        Self::Client { error, hint: None }
    }
}

impl OperationError {
    fn new(error: ClientError, hint: Option<String>) -> Self {
        let hint = hint.filter(|_| error.is_refusal());
        Self::Client { error, hint }
    }
}

/// The resources of a server, and its templates if it has any.
pub async fn resources(client: &mut Client) -> Result<Vec<List>, ClientError> {
    let mut lists = vec![List::fetch(client, names::RESOURCES_LIST, "resources").await?];
    match List::fetch(client, names::TEMPLATES_LIST, "resourceTemplates").await {
        Ok(templates) => lists.push(templates),
        // Not every server with resources has templates.
        Err(error) if error.is_refusal() => {}
        Err(error) => return Err(error),
    }
    Ok(lists)
}

/// The tools of a server, then its resources and templates, which not every server has.
pub async fn offered(client: &mut Client) -> Result<Vec<List>, ClientError> {
    let mut lists = vec![List::fetch(client, names::TOOLS_LIST, "tools").await?];
    lists.extend(resources(client).await.unwrap_or_default());
    Ok(lists)
}

/// Reads a resource.
pub async fn read_resource(client: &mut Client, uri: &str) -> Result<Message, OperationError> {
    let params = one_param("uri", uri);
    let answer = client.ask_through(names::RESOURCES_READ, &params).await;
    answer.map_err(|error| {
        let hint = "linkspan resources TARGET lists the URIs";
        OperationError::new(error, Some(hint.to_owned()))
    })
}

/// Gets a prompt.
pub async fn get_prompt(
    client: &mut Client,
    name: &str,
    arguments: &CallArguments,
) -> Result<Message, OperationError> {
    // Arguments of prompts are always strings.
    let given = arguments.to_json(|_| true);
    let params = named_params(name, given.as_deref());
    match client.ask_through(names::PROMPTS_GET, &params).await {
        Err(error) if error.is_refusal() => {
            let prompts = List::fetch(client, names::PROMPTS_LIST, "prompts").await;
            let hint = prompts.ok().and_then(|prompts| {
                let listed: Vec<String> =
                    prompts.items().map(|item| item.text().to_owned()).collect();
                prompt_hint(name, given.as_deref(), &listed)
            });
            Err(OperationError::new(error, hint))
        }
        answered => Ok(answered?),
    }
}

/// Calls a tool, unless `check` finds that the arguments do not fit its schema. Returns the answer, and a
/// hint for the case that it is an error: a server may have tools that it does not list.
pub async fn call_tool(
    client: &mut Client,
    name: &str,
    arguments: &CallArguments,
    check: bool,
) -> Result<(Message, Option<String>), OperationError> {
    let tools = match List::fetch(client, names::TOOLS_LIST, "tools").await {
        Ok(tools) => Some(tools),
        // The server may accept the call nevertheless.
        Err(error) if error.is_refusal() => None,
        Err(error) => return Err(error.into()),
    };
    let mut listed = tools.iter().flat_map(List::items);
    let schema = listed
        .find(|tool| tool_name(*tool).as_deref() == Some(name))
        .map(|tool| tool.get("inputSchema"));
    let kind = |key: &str| {
        let kind = schema??.path(&["properties", key, "type"])?;
        Some(kind.as_str()?.into_owned())
    };
    let arguments = arguments.to_json(|key| kind(key).as_deref() == Some("string"));
    if let (Some(Some(schema)), true) = (schema, check) {
        check_arguments(name, schema.text(), arguments.as_deref().unwrap_or("{}"))?;
    }
    let params = named_params(name, arguments.as_deref());
    let answered = client.ask_through(names::TOOLS_CALL, &params).await;
    let hint = match (&tools, schema) {
        (Some(tools), None) => {
            let names: Vec<String> = tools.items().filter_map(tool_name).collect();
            Some(tool_hint(name, &names))
        }
        _ => None,
    };
    match answered {
        Ok(answer) => Ok((answer, hint)),
        Err(error) => Err(OperationError::new(error, hint)),
    }
}

/// Sends the smallest request; returns its method. The modern era has no `ping`.
pub async fn ping(client: &mut Client) -> Result<&'static str, ClientError> {
    let method = if client.is_modern() {
        names::DISCOVER
    } else {
        names::PING
    };
    client.ask(method, None).await?;
    Ok(method)
}

fn tool_name(tool: Json<'_>) -> Option<String> {
    Some(tool.get("name")?.as_str()?.into_owned())
}

fn named_params(name: &str, arguments: Option<&str>) -> String {
    let name = quote(name);
    match arguments {
        Some(arguments) => format!(r#"{{"name":{name},"arguments":{arguments}}}"#),
        None => format!(r#"{{"name":{name}}}"#),
    }
}

//! What is done with the server, and how the result is printed.

use std::io::{self, Write};

use linkspan_client::{
    CallArguments, Client, ClientError, List, check_arguments, one_param, prompt_hint, render,
    tool_hint,
};
use linkspan_mcp::names;
use linkspan_shrink::Policy;
use linkspan_wire::{Json, Message};

use crate::exit::{Exit, Failure, print_hint};
use crate::show::{self, raw, say};

/// How a tool is called.
pub(super) struct CallOptions {
    /// How the result is shrunk.
    pub(super) policy: Option<Policy>,
    /// Whether the arguments are sent without a check against the tool's schema.
    pub(super) unchecked: bool,
}

/// One command.
pub(super) enum Job {
    Tools,
    Call(String, CallArguments, CallOptions),
    Resources,
    Read(String),
    Prompts,
    Prompt(String, CallArguments),
    Ping,
}

impl Job {
    pub(super) async fn run(self, client: &mut Client, json: bool) -> Result<Exit, Failure> {
        match self {
            Self::Tools => {
                let list = List::fetch(client, names::TOOLS_LIST, "tools").await?;
                print_list(&[list], json, render::tool);
                Ok(Exit::Ok)
            }
            Self::Prompts => {
                let list = List::fetch(client, names::PROMPTS_LIST, "prompts").await?;
                print_list(&[list], json, render::prompt);
                Ok(Exit::Ok)
            }
            Self::Resources => {
                let key = "resourceTemplates";
                let mut lists =
                    vec![List::fetch(client, names::RESOURCES_LIST, "resources").await?];
                match List::fetch(client, names::TEMPLATES_LIST, key).await {
                    Ok(templates) => lists.push(templates),
                    // Not every server with resources has templates.
                    Err(error) if error.is_refusal() => {}
                    Err(error) => return Err(error.into()),
                }
                print_list(&lists, json, render::resource);
                Ok(Exit::Ok)
            }
            Self::Read(uri) => {
                let params = one_param("uri", &uri);
                let answer = client.ask_through(names::RESOURCES_READ, &params).await;
                let answer = answer.map_err(|error| {
                    with_hint(error, Some("linkspan resources TARGET lists the URIs"))
                })?;
                print(&answer, json, render::contents);
                Ok(Exit::Ok)
            }
            Self::Prompt(name, args) => prompt(client, &name, args, json).await,
            Self::Call(name, args, options) => call(client, &name, args, options, json).await,
            Self::Ping => ping(client, json).await,
        }
    }
}

/// How a part of an answer is written as text.
type Render = fn(&mut dyn Write, Json<'_>) -> io::Result<()>;

fn print_list(lists: &[List], json: bool, render: Render) {
    if json {
        return raw(&List::join(lists));
    }
    let mut items = lists.iter().flat_map(List::items).peekable();
    if items.peek().is_none() {
        anstream::eprintln!("the server has no {}", lists[0].key());
    }
    show::print(|out| items.try_for_each(|item| render(out, item)));
}

async fn prompt(
    client: &mut Client,
    name: &str,
    args: CallArguments,
    json: bool,
) -> Result<Exit, Failure> {
    // Arguments of prompts are always strings.
    let given = args.to_json(|_| true);
    let params = named_params(name, given.clone());
    let answer = match client.ask_through(names::PROMPTS_GET, &params).await {
        Ok(answer) => answer,
        Err(error) if error.is_refusal() => {
            let prompts = List::fetch(client, names::PROMPTS_LIST, "prompts").await;
            let hint = prompts.ok().and_then(|prompts| {
                let listed: Vec<String> =
                    prompts.items().map(|item| item.text().to_owned()).collect();
                prompt_hint(name, given.as_deref(), &listed)
            });
            return Err(with_hint(error, hint.as_deref()));
        }
        Err(error) => return Err(error.into()),
    };
    print(&answer, json, render::messages);
    Ok(Exit::Ok)
}

/// The failure, with a hint if the server has refused the request.
fn with_hint(error: ClientError, hint: Option<&str>) -> Failure {
    let hint = hint.filter(|_| error.is_refusal());
    let failure = Failure::from(error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

async fn call(
    client: &mut Client,
    name: &str,
    args: CallArguments,
    options: CallOptions,
    json: bool,
) -> Result<Exit, Failure> {
    let tools = match List::fetch(client, names::TOOLS_LIST, "tools").await {
        Ok(tools) => Some(tools),
        // It may accept the call.
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
    let args = args.to_json(|key| kind(key).as_deref() == Some("string"));
    if let (Some(Some(schema)), false) = (schema, options.unchecked) {
        check_arguments(name, schema.text(), args.as_deref().unwrap_or("{}"))?;
    }
    let params = named_params(name, args);
    let answered = client.ask_through(names::TOOLS_CALL, &params).await;
    // A server may have tools that it does not list, so the hint is only for a failure.
    let hint = match (&tools, schema) {
        (Some(tools), None) => {
            let names: Vec<String> = tools.items().filter_map(tool_name).collect();
            Some(tool_hint(name, &names))
        }
        _ => None,
    };
    let mut answer = answered.map_err(|error| with_hint(error, hint.as_deref()))?;
    if let Some(policy) = options.policy {
        answer = linkspan_shrink_layer::shorten(answer, name, &policy);
    }
    print(&answer, json, render::tool_result);
    let failed = answer.body().and_then(|b| b.get("isError")?.as_bool());
    if failed != Some(true) {
        return Ok(Exit::Ok);
    }
    if let Some(hint) = hint {
        print_hint(&hint);
    }
    Ok(Exit::ToolError)
}

fn tool_name(tool: Json<'_>) -> Option<String> {
    Some(tool.get("name")?.as_str()?.into_owned())
}

async fn ping(client: &mut Client, json: bool) -> Result<Exit, Failure> {
    let start = std::time::Instant::now();
    // The modern era has no ping; `server/discover` is its smallest request.
    let method = if client.is_modern() {
        names::DISCOVER
    } else {
        names::PING
    };
    client.ask(method, None).await?;
    let millis = start.elapsed().as_secs_f64() * 1000.0;
    if json {
        raw(&format!(r#"{{"method":"{method}","ms":{millis:.2}}}"#));
    } else {
        say!("answered in {millis:.2} ms");
    }
    Ok(Exit::Ok)
}

fn named_params(name: &str, arguments: Option<String>) -> String {
    let name = linkspan_wire::quote(name);
    match arguments {
        Some(arguments) => format!(r#"{{"name":{name},"arguments":{arguments}}}"#),
        None => format!(r#"{{"name":{name}}}"#),
    }
}

fn print(answer: &Message, json: bool, render: Render) {
    match answer.body() {
        Some(result) if json => raw(result.text()),
        Some(result) => show::print(|out| render(out, result)),
        None => {}
    }
}

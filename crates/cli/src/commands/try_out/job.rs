//! The jobs of the try-out commands, and the output of their results.

use std::io::{self, Write};
use std::time::Instant;

use linkspan_client::{
    CallArguments, Client, List, call_tool, get_prompt, ping, read_resource, render, resources,
};
use linkspan_mcp::names;
use linkspan_shrink::Policy;
use linkspan_tokens::Vocabulary;
use linkspan_tool_lists::Costs;
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
    Tools { cost: bool },
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
            Self::Tools { cost } => {
                let list = List::fetch(client, names::TOOLS_LIST, "tools").await?;
                match cost.then(|| Costs::new(list.items(), Vocabulary::default())) {
                    Some(costs) if json => raw(&costs.to_json()),
                    Some(costs) => say!("{costs}"),
                    None => print_list(&[list], json, render::tool),
                }
            }
            Self::Prompts => {
                let list = List::fetch(client, names::PROMPTS_LIST, "prompts").await?;
                print_list(&[list], json, render::prompt);
            }
            Self::Resources => print_list(&resources(client).await?, json, render::resource),
            Self::Read(uri) => {
                print(&read_resource(client, &uri).await?, json, render::contents);
            }
            Self::Prompt(name, arguments) => {
                let answer = get_prompt(client, &name, &arguments).await?;
                print(&answer, json, render::messages);
            }
            Self::Call(name, arguments, options) => {
                return call(client, &name, &arguments, options, json).await;
            }
            Self::Ping => {
                let start = Instant::now();
                let method = ping(client).await?;
                let millis = start.elapsed().as_secs_f64() * 1000.0;
                if json {
                    raw(&format!(r#"{{"method":"{method}","ms":{millis:.2}}}"#));
                } else {
                    say!("answered in {millis:.2} ms");
                }
            }
        }
        Ok(Exit::Ok)
    }
}

async fn call(
    client: &mut Client,
    name: &str,
    arguments: &CallArguments,
    options: CallOptions,
    json: bool,
) -> Result<Exit, Failure> {
    let (mut answer, hint) = call_tool(client, name, arguments, !options.unchecked).await?;
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

/// Writes a part of an answer as text.
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

fn print(answer: &Message, json: bool, render: Render) {
    match answer.body() {
        Some(result) if json => raw(result.text()),
        Some(result) => show::print(|out| render(out, result)),
        None => {}
    }
}

//! `tools`, `call` and their like: seeing a server work in a minute.

use std::ffi::OsString;
use std::path::Path;

use clap::{Args, Subcommand};
use linkspan_mcp::names;
use linkspan_shrink::Policy;
use linkspan_wire::{Json, Message};

use crate::args::shrink::ShrinkFlag;
use crate::args::{DEFAULT_TIMEOUT, RemoteArgs};
use crate::call_args::{CallArgs, is_argument};
use crate::client::{Client, FIRST_ANSWER, one_param};
use crate::exit::{Exit, Failure, print_hint};
use crate::lists::List;
use crate::schema_check;
use crate::show::shown_line;
use crate::show::{self, raw, say};
use crate::signals::Signals;
use crate::target::{self, Target};

const TARGET_HELP: &str =
    "TARGET is a URL, a folder of scripts, or a command after `--`; it comes last.";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum TryOut {
    /// List the tools of a server
    #[command(
        after_help = "Examples:\n  linkspan tools https://mcp.example.com/mcp\n  linkspan tools -- npx -y @modelcontextprotocol/server-everything"
    )]
    Tools(One),
    /// Call a tool
    #[command(
        override_usage = "linkspan call [OPTIONS] TOOL ['JSON' | NAME=VALUE…] (URL | FOLDER | -- COMMAND…)",
        after_help = "Examples:\n  linkspan call echo '{\"message\":\"hi\"}' https://mcp.example.com/mcp\n  linkspan call git_log repo_path=. -- uvx mcp-server-git\n  linkspan call import @arguments.json https://mcp.example.com/mcp"
    )]
    Call(Calling),
    /// List the resources of a server, and its templates
    #[command(after_help = "Example:\n  linkspan resources https://mcp.example.com/mcp")]
    Resources(One),
    /// Print a resource
    #[command(
        override_usage = "linkspan read [OPTIONS] URI (URL | FOLDER | -- COMMAND…)",
        after_help = "Example:\n  linkspan read file:///srv/notes.txt https://mcp.example.com/mcp"
    )]
    Read(Named),
    /// List the prompts of a server
    #[command(after_help = "Example:\n  linkspan prompts https://mcp.example.com/mcp")]
    Prompts(One),
    /// Print a prompt
    #[command(
        override_usage = "linkspan prompt [OPTIONS] NAME ['JSON' | NAME=VALUE…] (URL | FOLDER | -- COMMAND…)",
        after_help = "Example:\n  linkspan prompt review language=Rust https://mcp.example.com/mcp"
    )]
    Prompt(Named),
    /// Check that a server answers, and how fast
    #[command(after_help = "Example:\n  linkspan ping https://mcp.example.com/mcp")]
    Ping(One),
}

// A target alone.
#[derive(Debug, Args)]
pub(crate) struct One {
    /// The server's URL
    #[arg(value_name = "TARGET", help = TARGET_HELP)]
    url: Option<String>,
    #[command(flatten)]
    common: Common,
}

// A name, its arguments, and a target.
#[derive(Debug, Args)]
pub(crate) struct Named {
    /// Name, then arguments ('JSON', name=value…, @file or -), then the target
    #[arg(value_name = "NAME [ARGUMENTS] TARGET", required = true, num_args = 1..)]
    words: Vec<String>,
    #[command(flatten)]
    common: Common,
}

// A call.
#[derive(Debug, Args)]
pub(crate) struct Calling {
    // First, or it would stand under the last heading of what follows.
    #[command(flatten)]
    shrink: ShrinkFlag,
    /// Send the arguments without checking them against the tool's schema
    #[arg(long, hide_short_help = true)]
    unchecked: bool,
    #[command(flatten)]
    named: Named,
}

#[derive(Debug, Args)]
struct Common {
    /// Print the result as JSON, exactly as the server sent it
    #[arg(long)]
    json: bool,
    /// Command that runs a server on stdin and stdout
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    #[command(flatten)]
    remote: RemoteArgs,
}

pub(crate) async fn run(command: TryOut) -> Result<Exit, Failure> {
    // Before we listen for signals: it may wait for a person to type the arguments.
    let (target, remote, json, job) = plan(command)?;
    let signals = Signals::listen();
    let timeout = Some(remote.timeout).filter(|limit| !limit.is_zero());
    let backend = target.backend(&remote, None)?;
    let port = backend.open()?;
    let first = match remote.timeout == DEFAULT_TIMEOUT {
        true => Some(FIRST_ANSWER),
        // Who says how long has said so for the first answer, too.
        false => timeout,
    };
    let mut client = Client::new(port, timeout).patient(first).asking();
    let work = async {
        client.open().await?;
        job.run(&mut client, json).await
    };
    let done = tokio::select! {
        done = work => done,
        exit = signals.stop() => Ok(exit),
    };
    client.close().await;
    backend.close().await;
    done
}

/// How a tool is called.
struct How {
    /// What becomes of its result.
    policy: Option<Policy>,
    /// Whether the arguments are sent without a look at the tool's schema.
    unchecked: bool,
}

/// What to do once the server is there.
enum Job {
    Tools,
    Call(String, CallArgs, How),
    Resources,
    Read(String),
    Prompts,
    Prompt(String, CallArgs),
    Ping,
}

fn plan(command: TryOut) -> Result<(Target, RemoteArgs, bool, Job), Failure> {
    let (common, url, job) = match command {
        TryOut::Tools(one) => (one.common, one.url, Job::Tools),
        TryOut::Resources(one) => (one.common, one.url, Job::Resources),
        TryOut::Prompts(one) => (one.common, one.url, Job::Prompts),
        TryOut::Ping(one) => (one.common, one.url, Job::Ping),
        TryOut::Call(calling) => {
            let how = How {
                policy: calling.shrink.policy()?,
                unchecked: calling.unchecked,
            };
            let (common, url, name, rest) = calling.named.split("call")?;
            let job = Job::Call(name, CallArgs::parse(&rest)?, how);
            (common, url, job)
        }
        TryOut::Prompt(named) => {
            let (common, url, name, rest) = named.split("prompt")?;
            (common, url, Job::Prompt(name, CallArgs::parse(&rest)?))
        }
        TryOut::Read(named) => {
            let (common, url, name, rest) = named.split("read")?;
            if let [extra, ..] = &rest[..] {
                return Err(Failure::usage(format!("unexpected argument `{extra}`"))
                    .hint("linkspan read URI TARGET"));
            }
            (common, url, Job::Read(name))
        }
    };
    let target = Target::new(url, common.command)?;
    Ok((target, common.remote, common.json, job))
}

impl Named {
    /// Common flags, target, name, and the words between.
    fn split(
        mut self,
        verb: &str,
    ) -> Result<(Common, Option<String>, String, Vec<String>), Failure> {
        let is_alone = self.common.command.is_empty();
        if is_alone {
            self.check_order(verb)?;
        }
        let url = if is_alone && self.words.len() > 1 {
            self.words.pop()
        } else {
            None
        };
        let name = self.words.remove(0);
        Ok((self.common, url, name, self.words))
    }

    /// The target comes last; for a line that has it elsewhere, or not at all, the failure has the right one.
    fn check_order(&self, verb: &str) -> Result<(), Failure> {
        let (Some(first), Some(last)) = (self.words.first(), self.words.last()) else {
            return Ok(());
        };
        // A resource has an address of its own, so that a URL may be one.
        let is_target = |word: &str| match verb {
            "read" => Path::new(word).is_dir(),
            _ => target::is_target(word),
        };
        if self.words.len() == 1 {
            return match is_target(first) {
                true => Err(nameless(verb, first)),
                false => Ok(()),
            };
        }
        if is_target(first) && !target::is_target(last) {
            return Err(target::comes_last(first));
        }
        let mut between = self.words[1..self.words.len() - 1].iter();
        if let Some(word) = between.find(|word| !is_argument(word)) {
            if target::is_target(word) && !target::is_target(last) {
                return Err(target::comes_last(word));
            }
            if !target::is_target(word) && target::is_program(word) {
                return Err(target::needs_dashes(word));
            }
        }
        if verb != "read" && is_argument(last) && !target::is_target(last) {
            return Err(target::missing());
        }
        Ok(())
    }
}

/// There is a target, but nothing that is to be done with it.
fn nameless(verb: &str, target: &str) -> Failure {
    let (what, word) = match verb {
        "read" => ("the URI of the resource", "URI"),
        "prompt" => ("the name of the prompt", "NAME"),
        _ => ("the name of the tool", "TOOL"),
    };
    let line = ["linkspan", verb, word, target];
    Failure::usage(format!("{what} is missing")).hint(shown_line(line))
}

impl Job {
    async fn run(self, client: &mut Client, json: bool) -> Result<Exit, Failure> {
        match self {
            Self::Tools => {
                let list = List::fetch(client, names::TOOLS_LIST, "tools").await?;
                print_list(&[list], json, show::tool);
                Ok(Exit::Ok)
            }
            Self::Prompts => {
                let list = List::fetch(client, names::PROMPTS_LIST, "prompts").await?;
                print_list(&[list], json, show::prompt);
                Ok(Exit::Ok)
            }
            Self::Resources => {
                let key = "resourceTemplates";
                let mut lists =
                    vec![List::fetch(client, names::RESOURCES_LIST, "resources").await?];
                match List::fetch(client, names::TEMPLATES_LIST, key).await {
                    Ok(templates) => lists.push(templates),
                    // Not every server with resources has templates.
                    Err(failure) if failure.exit == Exit::ServerError => {}
                    Err(failure) => return Err(failure),
                }
                print_list(&lists, json, show::resource);
                Ok(Exit::Ok)
            }
            Self::Read(uri) => {
                let params = one_param("uri", &uri);
                let answer = client.ask_through(names::RESOURCES_READ, &params).await;
                let answer = answer.map_err(|failure| match failure.exit {
                    Exit::ServerError => failure.hint("linkspan resources TARGET lists the URIs"),
                    _ => failure,
                })?;
                print(&answer, json, show::contents);
                Ok(Exit::Ok)
            }
            Self::Prompt(name, args) => {
                // Arguments of prompts are always strings.
                let given = args.to_json(|_| true);
                let params = named_params(&name, given.clone());
                let answer = match client.ask_through(names::PROMPTS_GET, &params).await {
                    Ok(answer) => answer,
                    Err(failure) if failure.exit == Exit::ServerError => {
                        let prompts = List::fetch(client, names::PROMPTS_LIST, "prompts").await;
                        let listed = prompts.ok().map(|prompts| {
                            prompts
                                .items()
                                .map(|item| item.text().to_owned())
                                .collect::<Vec<_>>()
                        });
                        let hint = listed.and_then(|listed| {
                            schema_check::which_prompt(&name, given.as_deref(), &listed)
                        });
                        return Err(match hint {
                            Some(hint) => failure.hint(hint),
                            None => failure,
                        });
                    }
                    Err(failure) => return Err(failure),
                };
                print(&answer, json, show::messages);
                Ok(Exit::Ok)
            }
            Self::Call(name, args, how) => call(client, &name, args, how, json).await,
            Self::Ping => ping(client, json).await,
        }
    }
}

fn print_list(lists: &[List], json: bool, show: impl Fn(Json<'_>)) {
    if json {
        return raw(&List::join(lists));
    }
    let mut items = lists.iter().flat_map(List::items).peekable();
    if items.peek().is_none() {
        anstream::eprintln!("the server has no {}", lists[0].key());
    }
    items.for_each(show);
}

async fn call(
    client: &mut Client,
    name: &str,
    args: CallArgs,
    how: How,
    json: bool,
) -> Result<Exit, Failure> {
    let tools = match List::fetch(client, names::TOOLS_LIST, "tools").await {
        Ok(tools) => Some(tools),
        // It may take the call all the same.
        Err(failure) if failure.exit == Exit::ServerError => None,
        Err(failure) => return Err(failure),
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
    if let (Some(Some(schema)), false) = (schema, how.unchecked) {
        schema_check::check(name, schema.text(), args.as_deref().unwrap_or("{}"))?;
    }
    let params = named_params(name, args);
    let answered = client.ask_through(names::TOOLS_CALL, &params).await;
    // A server may have tools that it does not list. If it fails, that may be why.
    let hint = match (&tools, schema) {
        (Some(tools), None) => {
            let names: Vec<String> = tools.items().filter_map(tool_name).collect();
            Some(schema_check::which_tools(name, &names))
        }
        _ => None,
    };
    let mut answer = answered.map_err(|failure| match hint.clone() {
        Some(hint) if failure.exit == Exit::ServerError => failure.hint(hint),
        _ => failure,
    })?;
    if let Some(policy) = how.policy {
        answer = linkspan_shrink_layer::shorten(answer, name, &policy);
    }
    print(&answer, json, show::tool_result);
    let failed = answer.body().and_then(|b| b.get("isError")?.as_bool());
    match (failed, hint) {
        (Some(true), hint) => {
            if let Some(hint) = hint {
                print_hint(&hint);
            }
            Ok(Exit::ToolError)
        }
        _ => Ok(Exit::Ok),
    }
}

fn tool_name(tool: Json<'_>) -> Option<String> {
    Some(tool.get("name")?.as_str()?.into_owned())
}

async fn ping(client: &mut Client, json: bool) -> Result<Exit, Failure> {
    let start = std::time::Instant::now();
    // The modern era has no ping; discovery is its smallest question.
    let method = if client.is_modern() {
        names::DISCOVER
    } else {
        names::PING
    };
    client.ask(method, None).await?;
    let millis = start.elapsed().as_secs_f64() * 1000.0;
    match json {
        true => raw(&format!(r#"{{"method":"{method}","ms":{millis:.2}}}"#)),
        false => say!("answered in {millis:.2} ms"),
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

fn print(answer: &Message, json: bool, show: impl Fn(Json<'_>)) {
    match answer.body() {
        Some(result) if json => raw(result.text()),
        Some(result) => show(result),
        None => {}
    }
}

//! `tools`, `call` and their like: seeing a server work in a minute.

use std::ffi::OsString;

use clap::{Args, Subcommand};
use linkspan_mcp::names;
use linkspan_shrink::Policy;
use linkspan_wire::{Json, Message};

use crate::args::RemoteArgs;
use crate::call_args::CallArgs;
use crate::client::{Client, one_param};
use crate::exit::{Exit, Failure};
use crate::lists::List;
use crate::show::{self, raw, say};
use crate::shrink::args::ShrinkFlag;
use crate::shrink::shorter;
use crate::signals::Signals;
use crate::target::Target;

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
        after_help = "Examples:\n  linkspan call echo '{\"message\":\"hi\"}' https://mcp.example.com/mcp\n  linkspan call get-sum a=2 b=3 -- npx -y @modelcontextprotocol/server-everything\n  linkspan call import @arguments.json https://mcp.example.com/mcp"
    )]
    Call(Calling),
    /// List the resources of a server, and its templates
    #[command(after_help = "Example:\n  linkspan resources https://mcp.example.com/mcp")]
    Resources(One),
    /// Print a resource
    #[command(
        override_usage = "linkspan read [OPTIONS] URI (URL | FOLDER | -- COMMAND…)",
        after_help = "Example:\n  linkspan read demo://resource/static/document/features.md -- npx -y @modelcontextprotocol/server-everything"
    )]
    Read(Named),
    /// List the prompts of a server
    #[command(after_help = "Example:\n  linkspan prompts https://mcp.example.com/mcp")]
    Prompts(One),
    /// Print a prompt
    #[command(
        override_usage = "linkspan prompt [OPTIONS] NAME ['JSON' | NAME=VALUE…] (URL | FOLDER | -- COMMAND…)",
        after_help = "Example:\n  linkspan prompt args-prompt city=Bern -- npx -y @modelcontextprotocol/server-everything"
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
    /// Name, arguments ('JSON', name=value…, @file or -), and the target last
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
    #[command(flatten)]
    named: Named,
}

#[derive(Debug, Args)]
struct Common {
    /// Print the result as the server spelled it
    #[arg(long)]
    json: bool,
    /// A command that is a server on its stdin and stdout
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
    let port = target.open(&remote)?;
    let mut client = Client::new(port, timeout);
    let work = async {
        client.open().await?;
        job.run(&mut client, json).await
    };
    let done = tokio::select! {
        done = work => done,
        exit = signals.stop() => Ok(exit),
    };
    client.close().await;
    done
}

/// What to do once the server is there.
enum Job {
    Tools,
    Call(String, CallArgs, Option<Policy>),
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
            let policy = calling.shrink.policy()?;
            let (common, url, name, rest) = calling.named.split();
            let job = Job::Call(name, CallArgs::parse(&rest)?, policy);
            (common, url, job)
        }
        TryOut::Prompt(named) => {
            let (common, url, name, rest) = named.split();
            (common, url, Job::Prompt(name, CallArgs::parse(&rest)?))
        }
        TryOut::Read(named) => {
            let (common, url, name, rest) = named.split();
            if let [extra, ..] = &rest[..] {
                return Err(Failure::usage(format!("`{extra}` is too much"))
                    .hint("linkspan read URI TARGET"));
            }
            (common, url, Job::Read(name))
        }
    };
    let target = Target::new(url, common.command)?;
    Ok((target, common.remote, common.json, job))
}

impl Named {
    /// Common flags, URL, name, and the words between.
    fn split(mut self) -> (Common, Option<String>, String, Vec<String>) {
        let url = if self.common.command.is_empty() && self.words.len() > 1 {
            self.words.pop()
        } else {
            None
        };
        let name = self.words.remove(0);
        (self.common, url, name, self.words)
    }
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
                let answer = client.ask(names::RESOURCES_READ, Some(&params)).await?;
                print(&answer, json, show::contents);
                Ok(Exit::Ok)
            }
            Self::Prompt(name, args) => {
                // Arguments of prompts are always strings.
                let params = named_params(&name, args.to_json(|_| true));
                let answer = client.ask(names::PROMPTS_GET, Some(&params)).await?;
                print(&answer, json, show::messages);
                Ok(Exit::Ok)
            }
            Self::Call(name, args, policy) => call(client, &name, args, policy, json).await,
            Self::Ping => ping(client).await,
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
    policy: Option<Policy>,
    json: bool,
) -> Result<Exit, Failure> {
    let args = match args {
        CallArgs::Pairs(_) => {
            let tools = List::fetch(client, names::TOOLS_LIST, "tools").await?;
            let tool = tools
                .items()
                .find(|tool| tool.get("name").and_then(Json::as_str).as_deref() == Some(name));
            let kind = |key: &str| {
                let schema = tool?.path(&["inputSchema", "properties", key, "type"])?;
                Some(schema.as_str()?.into_owned())
            };
            args.to_json(|key| kind(key).as_deref() == Some("string"))
        }
        args => args.to_json(|_| false),
    };
    let params = named_params(name, args);
    let mut answer = client.ask(names::TOOLS_CALL, Some(&params)).await?;
    if let Some(policy) = policy {
        answer = shorter(answer, name, &policy);
    }
    print(&answer, json, show::tool_result);
    let failed = answer.body().and_then(|b| b.get("isError")?.as_bool());
    Ok(match failed {
        Some(true) => Exit::ToolError,
        _ => Exit::Ok,
    })
}

async fn ping(client: &mut Client) -> Result<Exit, Failure> {
    let start = std::time::Instant::now();
    // The modern era has no ping; discovery is its smallest question.
    let method = if client.is_modern() {
        names::DISCOVER
    } else {
        names::PING
    };
    client.ask(method, None).await?;
    say!(
        "answered in {:.2} ms",
        start.elapsed().as_secs_f64() * 1000.0
    );
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

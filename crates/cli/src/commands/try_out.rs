//! `tools`, `call`, `resources`, `read`, `prompts`, `prompt` and `ping`: one request to a server.

mod job;

use std::ffi::OsString;

use clap::{Args, Subcommand};
use linkspan_bridge::{RequestLine, Requested};
use linkspan_client::{CallArguments, Client, FIRST_ANSWER};
use linkspan_console::Signals;

use crate::args::shrink::ShrinkFlag;
use crate::args::{DEFAULT_TIMEOUT, RemoteArgs};
use crate::environment::search_path;
use crate::exit::{Exit, Failure};
use crate::status::Status;
use crate::target;
use crate::waiting;
use job::{CallOptions, Job};

const TARGET_HELP: &str =
    "TARGET is a URL, a folder of scripts, or a command after `--`; it comes last.";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum TryOut {
    /// List the tools of a server
    #[command(
        after_help = "Examples:\n  linkspan tools https://mcp.example.com/mcp\n  linkspan tools -- npx -y @modelcontextprotocol/server-everything\n  linkspan tools --cost https://mcp.example.com/mcp"
    )]
    Tools(Listing),
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

// A target whose tools are listed.
#[derive(Debug, Args)]
pub(crate) struct Listing {
    /// Print how many tokens each tool needs, at each level of `--tools`
    #[arg(long)]
    cost: bool,
    #[command(flatten)]
    one: One,
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
    // First, or it would be listed under the last heading of the following flags.
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
    // Before signals are handled: it may read the arguments from a terminal.
    let (common, url, job) = plan(command)?;
    let remote = common.remote;
    let signals = Signals::listen();
    let timeout = Some(remote.timeout).filter(|limit| !limit.is_zero());
    let backend = target::backend(url, common.command, &remote)?;
    let port = backend.open()?;
    let first = if remote.timeout == DEFAULT_TIMEOUT {
        Some(FIRST_ANSWER)
    } else {
        // The user's limit holds for the first answer too.
        timeout
    };
    let mut client = Client::new(port, timeout)
        .patient(first)
        .asking(linkspan_elicit::at_terminal())
        .observed(Status::new().signing_in(backend.account()));
    let work = async {
        client.open().await?;
        job.run(&mut client, common.json).await
    };
    let done = tokio::select! {
        done = work => done,
        stop = signals.stop() => Ok(stop.into()),
    };
    client.close().await;
    backend.close().await;
    done
}

/// Common flags, the word of the target, and the job.
fn plan(command: TryOut) -> Result<(Common, Option<String>, Job), Failure> {
    Ok(match command {
        TryOut::Tools(Listing { cost, one }) => (one.common, one.url, Job::Tools { cost }),
        TryOut::Resources(one) => (one.common, one.url, Job::Resources),
        TryOut::Prompts(one) => (one.common, one.url, Job::Prompts),
        TryOut::Ping(one) => (one.common, one.url, Job::Ping),
        TryOut::Call(calling) => {
            let options = CallOptions {
                policy: calling.shrink.policy()?,
                unchecked: calling.unchecked,
            };
            let (common, line) = calling.named.split(Requested::Tool)?;
            let job = Job::Call(line.name, given(&line.arguments)?, options);
            (common, line.target, job)
        }
        TryOut::Prompt(named) => {
            let (common, line) = named.split(Requested::Prompt)?;
            let job = Job::Prompt(line.name, given(&line.arguments)?);
            (common, line.target, job)
        }
        TryOut::Read(named) => {
            let (common, line) = named.split(Requested::Resource)?;
            (common, line.target, Job::Read(line.name))
        }
    })
}

/// The arguments between the name and the target.
fn given(words: &[String]) -> Result<CallArguments, Failure> {
    Ok(CallArguments::parse(words, waiting::for_arguments())?)
}

impl Named {
    /// Common flags, and the other words.
    fn split(self, requested: Requested) -> Result<(Common, RequestLine), Failure> {
        let has_command = !self.common.command.is_empty();
        let line = RequestLine::parse(requested, self.words, has_command, &search_path())?;
        Ok((self.common, line))
    }
}

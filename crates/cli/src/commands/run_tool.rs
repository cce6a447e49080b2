//! `linkspan run-tool`: one tool of a folder, without a client.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use linkspan_client::{CallArguments, Client, render};
use linkspan_console::Signals;
use linkspan_mcp::names;
use linkspan_scripts::author::{CallOutcome, DryRun, call_params, stderr_of};
use linkspan_scripts::folder::Tool;
use linkspan_wire::Message;

use crate::args::folder::FolderArgs;
use crate::args::seconds;
use crate::exit::{Exit, Failure};
use crate::folder;
use crate::runtime::block_on;
use crate::show::{self, indented, raw};
use crate::status::Status;
use crate::waiting;

const HELP: &str = "\
Runs the tool as a client's call would: with the same environment, limits, checks of arguments and
results, and the same result. Questions to the user are not available; tools are told so.

Examples:
  linkspan run-tool my-server hello
  linkspan run-tool my-server hello --args '{\"name\":\"you\"}'
  linkspan run-tool my-server hello name=you
  linkspan run-tool my-server import --args @arguments.json --timeout 300
  linkspan run-tool my-server hello --dry-run

Exit codes: 0 it worked, 1 there is no such tool, or the answer is a JSON-RPC error, 2 the command line is
wrong, 3 the folder cannot be served, 5 the tool failed, did not start, or its arguments do not fit,
6 it took too long.";

#[derive(Debug, Args)]
#[command(after_long_help = crate::help_text::reflow(HELP))]
pub(crate) struct RunToolArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The tool
    name: String,
    /// Its arguments as NAME=VALUE
    #[arg(value_name = "NAME=VALUE", conflicts_with = "args")]
    pairs: Vec<String>,
    /// Its arguments as a JSON object, @file, or - for stdin
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    args: Option<String>,
    /// Time limit, in place of the tool's `timeoutSecs` and up to its `maxTimeoutSecs`
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Folder that the client would offer as a root; may be repeated, or separated by commas
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    roots: Vec<PathBuf>,
    /// Check the arguments and print what would run
    #[arg(long)]
    dry_run: bool,
    /// Pass on arguments that the tool's schema does not name
    #[arg(long, hide_short_help = true)]
    unchecked: bool,
    /// Print the result as a client would get it
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    folder: FolderArgs,
}

pub(crate) fn run(args: &RunToolArgs) -> Result<Exit, Failure> {
    let given = given(args)?;
    block_on(run_in(args, given))
}

async fn run_in(args: &RunToolArgs, given: CallArguments) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let roots = roots(args)?;
    let mut options = folder::options(&args.folder)?;
    options.problems_of = Some(args.name.clone());
    let folder = folder::folder(&args.dir, options, args.folder.compat)?.folder;
    let catalogue = folder.catalogue();
    let tool = catalogue.tool(&args.name);
    let takes_text = |name: &str| tool.as_ref().is_ok_and(|tool| tool.takes_text(name));
    let arguments = given.to_json(takes_text);
    let arguments = arguments.unwrap_or_else(|| "{}".to_owned());
    if let (Ok(tool), false) = (&tool, args.unchecked) {
        check_names(tool, &arguments)?;
    }
    if args.dry_run {
        let dry = DryRun {
            catalogue: &catalogue,
            tool: tool?,
            arguments: &arguments,
            timeout: args.timeout,
            roots: &roots,
        };
        show::print(|out| dry.write(out));
        let is_valid = dry.problems().is_empty();
        return Ok(if is_valid { Exit::Ok } else { Exit::ToolError });
    }
    if !catalogue.takes_servers_in() {
        tool?;
    }
    let mut client = Client::new(folder.port(), None).observed(Status::new());
    if !roots.is_empty() {
        client = client.offering(&roots);
    }
    let work = async {
        client.open().await?;
        let params = call_params(&args.name, &arguments, args.timeout);
        Ok(client.ask(names::TOOLS_CALL, Some(&params)).await?)
    };
    let done = tokio::select! {
        done = work => done.map(|answer| told(&answer, args.json)),
        stop = signals.stop() => Ok(stop.into()),
    };
    client.close().await;
    folder.close().await;
    done
}

fn given(args: &RunToolArgs) -> Result<CallArguments, Failure> {
    Ok(match &args.args {
        Some(word) => CallArguments::parse_flag(word, waiting::for_arguments())?,
        None => CallArguments::parse(&args.pairs, waiting::for_arguments())?,
    })
}

fn roots(args: &RunToolArgs) -> Result<Vec<PathBuf>, Failure> {
    let real = |root: &PathBuf| {
        root.canonicalize().map_err(|e| {
            Failure::usage(format!("--roots {}: {e}", show::path(root)))
                .hint("it must be a folder that exists")
        })
    };
    args.roots.iter().map(real).collect()
}

/// Most scripts ignore an unknown argument, so a misspelt one would have no effect.
fn check_names(tool: &Tool, arguments: &str) -> Result<(), Failure> {
    let checked = linkspan_client::check_names(&tool.name, &tool.shown["inputSchema"], arguments);
    checked.map_err(|error| {
        let mut failure = Failure::from(error);
        failure.exit = Exit::ToolError;
        failure
    })
}

/// Prints the result; returns the exit code.
fn told(answer: &Message, json: bool) -> Exit {
    let Some(result) = answer.body() else {
        return Exit::Broken;
    };
    if json {
        raw(result.text());
    } else {
        show::print(|out| render::tool_result(out, result));
        if let Some(stderr) = stderr_of(result) {
            anstream::eprintln!("its stderr:\n  {}", indented(&stderr, "  "));
        }
    }
    match CallOutcome::of(result) {
        CallOutcome::Worked => Exit::Ok,
        CallOutcome::Failed => Exit::ToolError,
        CallOutcome::TimedOut => Exit::Timeout,
    }
}

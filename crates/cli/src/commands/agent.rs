//! `linkspan agent`: an ACP agent as an MCP server.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use linkspan_agent::{AgentOptions, PermissionPolicy, Servers};
use linkspan_bridge::{Bridge, tools_of};
use linkspan_console::Signals;
use linkspan_ports::ChildOptions;

use crate::args::listen::{GuardArgs, ListenArgs, only_with_http};
use crate::args::named::explained;
use crate::args::seconds;
use crate::environment::{search_path, secret_variables};
use crate::exit::{Exit, Failure};
use crate::front::{self, limit};
use crate::target;

const HELP: &str = "\
Starts an ACP agent and serves it as an MCP server: tools to start a session, to prompt it and to close
it. What the agent says on the way is reported as progress; its questions for permission are put to
the client, and refused if the client cannot ask the user.

Examples:
  linkspan agent -- npx -y @zed-industries/claude-code-acp
  linkspan agent --permission deny --cwd ~/project -- ./my-agent acp
  linkspan agent --http --port 9000 -- ./my-agent acp
  claude mcp add helper -- linkspan agent -- ./my-agent acp

Other commands take an agent as their target with --acp:
  linkspan call prompt text='What is in here?' --acp -- ./my-agent acp";

#[derive(Debug, Args)]
#[command(
    override_usage = "linkspan agent [OPTIONS] -- COMMAND…",
    after_long_help = crate::help_text::reflow(HELP),
    mut_args = only_with_http
)]
pub(crate) struct AgentArgs {
    /// Command that runs an ACP agent on stdin and stdout
    #[arg(last = true, value_name = "COMMAND", required = true)]
    pub(crate) command: Vec<OsString>,
    /// Permission requests of the agent: ask the client, or allow or deny all
    #[arg(long, value_name = "WHAT", default_value = "ask", value_parser = explained(&PermissionPolicy::NAMED))]
    pub(crate) permission: PermissionPolicy,
    /// Folder for sessions that name none; by default the client's first root, or the current
    /// folder
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// File with the MCP servers that the agent may use (`mcpServers`, as in a client's
    /// configuration)
    #[arg(long, value_name = "FILE")]
    pub(crate) mcp_servers: Option<PathBuf>,
    /// Give up if the agent, or a session, has not started after this long
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds, hide_short_help = true)]
    pub(crate) start_timeout: Duration,
    /// Give up a prompt after this long without an answer or progress; 0 never gives up
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Wait this long for pending answers after stdin closes; then prompts are cancelled
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub(crate) drain: Duration,
    /// Serve over HTTP instead of stdin and stdout, and print the URL
    #[arg(long)]
    pub(crate) http: bool,
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    #[command(flatten)]
    pub(crate) guard: GuardArgs,
}

pub(crate) async fn run(mut args: AgentArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let options = options(&args)?;
    let try_it = tools_of(&[], Some("--acp"), &args.command);
    let mut words = std::mem::take(&mut args.command).into_iter();
    let program = words.next().unwrap_or_default();
    let child = ChildOptions::new(program, words.collect(), secret_variables());
    target::is_there(&child.program)?;
    let bridge = Bridge::new(linkspan_agent::backend(child, options)).timeout(limit(args.timeout));
    let web = args.http.then_some((&args.listen, &args.guard));
    front::serve(signals, bridge, web, args.drain, &try_it).await
}

fn options(args: &AgentArgs) -> Result<AgentOptions, Failure> {
    let cwd = args.cwd.as_ref().map(|cwd| {
        let real = cwd.canonicalize().ok().filter(|real| real.is_dir());
        real.ok_or_else(|| {
            Failure::usage(format!("--cwd {}: there is no such folder", cwd.display()))
        })
    });
    let servers = args.mcp_servers.as_deref().map(servers);
    Ok(AgentOptions {
        permission: args.permission,
        cwd: cwd.transpose()?,
        current_dir: std::env::current_dir().ok(),
        start_timeout: args.start_timeout,
        servers: servers.transpose()?.unwrap_or_default(),
    })
}

fn servers(path: &Path) -> Result<Servers, Failure> {
    Servers::read(path, &search_path()).map_err(|error| {
        Failure::usage(format!("--mcp-servers {}: {error}", path.display())).hint(
            r#"for example {"mcpServers":{"git":{"command":"uvx","args":["mcp-server-git"]}}}"#,
        )
    })
}

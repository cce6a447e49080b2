//! `linkspan agent`: an ACP agent as an MCP server.
//!
//! A desk of our own stands in front of the agent and is one editor for one client: its tools are what
//! an editor does. The agent starts when it is needed first and ends with the connection.

pub(crate) mod args;
mod arguments;
mod asking;
mod calls;
mod desk;
mod door;
mod known;
mod prompt;
mod results;
mod running;
mod servers;
mod sessions;
mod tools;

use std::path::PathBuf;
use std::time::Duration;

use linkspan_mcp::era::PARK;
use linkspan_ports::ChildOptions;
use linkspan_session::Config;
use linkspan_wire::Limits;

pub(crate) use self::door::Door;
use self::servers::Servers;
use crate::connect::{StdioOptions, over_stdio};
use crate::exit::{Exit, Failure};
use crate::expose::{front_options, over_http};
use crate::house::{InnOptions, Server};
use crate::signals::Signals;
use crate::target::Opener;
use crate::waiting;
use args::{AcpArgs, AgentArgs, PermissionArg, START};

/// What the user has laid down for every session.
pub(crate) struct Terms {
    permission: PermissionArg,
    /// Where sessions work that name no folder.
    cwd: Option<PathBuf>,
    /// How long the agent may take to start, and to begin a session.
    start: Duration,
    servers: Servers,
}

impl Terms {
    fn of(args: &AgentArgs) -> Result<Self, Failure> {
        let cwd = args.cwd.as_ref().map(|cwd| {
            let real = cwd.canonicalize().ok().filter(|real| real.is_dir());
            real.ok_or_else(|| {
                Failure::usage(format!("--cwd {}: there is no such folder", cwd.display()))
            })
        });
        let servers = args.mcp_servers.as_deref().map(Servers::read);
        Ok(Self {
            permission: args.permission,
            cwd: cwd.transpose()?,
            start: args.start_timeout,
            servers: servers.transpose()?.unwrap_or_default(),
        })
    }

    /// For a target of another command.
    pub(crate) fn usual(args: &AcpArgs) -> Self {
        Self {
            permission: args.permission,
            cwd: None,
            start: START,
            servers: Servers::default(),
        }
    }
}

pub(crate) async fn run(mut args: AgentArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let terms = Terms::of(&args)?;
    let try_it = waiting::tools_of(&[], Some("--acp"), &args.command);
    let mut words = std::mem::take(&mut args.command).into_iter();
    let child = ChildOptions {
        label: None,
        program: words.next().unwrap_or_default(),
        args: words.collect(),
        limits: Limits::default(),
        env: Vec::new(),
        without_env: Vec::new(),
    };
    let opener = Opener::agent(Door::new(child, terms));
    let opener = opener.without_env(args.guard.token_env.as_deref());
    opener.check()?;
    let server = Server::new(opener, None);
    match args.http {
        true => http(signals, server, &args).await,
        false => {
            waiting::for_client(&try_it);
            stdio(signals, server, &args).await
        }
    }
}

fn limit(args: &AgentArgs) -> Option<Duration> {
    Some(args.timeout).filter(|limit| !limit.is_zero())
}

async fn stdio(signals: Signals, server: Server, args: &AgentArgs) -> Result<Exit, Failure> {
    let options = StdioOptions {
        client_era: None,
        timeout: limit(args),
        drain: args.drain,
        max_message: Limits::default().max_bytes(),
        record: None,
        front: None,
    };
    over_stdio(signals, server, options).await
}

async fn http(signals: Signals, server: Server, args: &AgentArgs) -> Result<Exit, Failure> {
    linkspan_ports::raise_file_limit();
    let options = front_options(&args.listen, &args.guard)?;
    let inn = InnOptions {
        share: false,
        park: PARK,
        idle: options.idle,
        max_servers: options.max_sessions,
        session: Config {
            timeout: limit(args),
            ..Config::default()
        },
    };
    over_http(signals, server, &args.listen, options, inn).await
}

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

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use linkspan_bridge::{Backend, Bridge, StdioOptions};
use linkspan_mcp::Era;
use linkspan_ports::ChildOptions;
use linkspan_wire::Limits;

use self::door::Door;
use self::servers::Servers;
use crate::exit::{Exit, Failure};
use crate::front::{self, front_options, limit};
use crate::signals::Signals;
use crate::target;
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
        // The token is for clients; the agent must not see it.
        without_env: args.guard.token_env.iter().map(OsString::from).collect(),
    };
    target::is_there(&child.program)?;
    let bridge = Bridge::new(backend(child, terms)).timeout(limit(args.timeout));
    if args.http {
        let options = front_options(&args.listen, &args.guard)?;
        return front::serve_http(signals, bridge, &args.listen, options).await;
    }
    waiting::for_client(&try_it);
    let options = StdioOptions {
        drain: args.drain,
        ..StdioOptions::default()
    };
    front::serve_stdio(signals, bridge, options).await
}

/// An agent as a server: each connection starts one, when its first call needs it.
pub(crate) fn backend(child: ChildOptions, terms: Terms) -> Backend {
    let door = Door::new(child, terms);
    Backend::local(move || door.open(), Some(Era::Legacy)).keeping_sessions()
}

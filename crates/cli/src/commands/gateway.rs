//! `linkspan gateway`: all servers of a configuration file as one.

use std::path::{Path, PathBuf};

use clap::Args;
use linkspan_bridge::{Backend, Bridge, OutputFile, StdioOptions};
use linkspan_console::Signals;
use linkspan_gateway::GatewayConfig;
use linkspan_gateway::config::ServerConfig;
use linkspan_gateway_io::{Clients, ConfigFile, Gateway, GatewayOptions, Opening};
use linkspan_ports::HttpOptions;
use linkspan_wire::Limits;

use crate::args::folder::FolderArgs;
use crate::args::gateway::{GatewayFileArgs, UpstreamArgs};
use crate::args::listen::{GuardArgs, ListenArgs, only_with_http};
use crate::args::shrink::ShrinkFlag;
use crate::environment::{search_path, secret_variables, state_folder, system, variable};
use crate::exit::{Exit, Failure};
use crate::folder;
use crate::front::{self, limit, serve_options};
use crate::lacking::ClientArgs;
use crate::remote;
use crate::show::say;
use crate::sign_in;

const HELP: &str = "\
Serves the servers of a configuration file as one, on stdin and stdout or over HTTP, to clients of every
revision of MCP. FILE is the `mcpServers` file of Claude, Cursor and others, or `.vscode/mcp.json`, with
comments; the settings of the gateway are under \"linkspan\" (docs/gateway.md).

A server is started by the first request for it. Tools are named SERVER__TOOL; with \"prefix\": \"never\" they
keep their names. A server that does not answer costs only its own tools. Changes of FILE take effect within a
second; a server that did not change keeps its process.

Examples:
  linkspan gateway -c ~/.cursor/mcp.json
  linkspan gateway -c mcp.json --http --port 9000   # the view `dev`: /mcp/dev
  linkspan gateway -c mcp.json --view dev
  linkspan gateway -c mcp.json --check
  claude mcp add all -- linkspan gateway -c ~/mcp.json";

#[derive(Debug, Args)]
#[command(after_long_help = crate::help_text::reflow(HELP), mut_args = only_with_http)]
pub(crate) struct GatewayArgs {
    /// The configuration file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// Check the configuration, list its servers, and exit with 0 or 1
    #[arg(long, conflicts_with = "http")]
    pub(crate) check: bool,
    /// Serve over HTTP instead of stdin and stdout, and print the URL
    #[arg(long)]
    pub(crate) http: bool,
    /// The view of clients that name none
    #[arg(long, value_name = "NAME")]
    pub(crate) view: Option<String>,
    /// Record every message to FILE as ndjson; secrets are masked
    #[arg(long, value_name = "FILE", conflicts_with = "http")]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) files: GatewayFileArgs,
    #[command(flatten)]
    pub(crate) shrink: ShrinkFlag,
    #[command(flatten)]
    pub(crate) client: ClientArgs,
    // Flattened groups with a heading come last: it applies to all fields that follow.
    #[command(flatten)]
    pub(crate) upstream: UpstreamArgs,
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    #[command(flatten)]
    pub(crate) guard: GuardArgs,
}

pub(crate) async fn run(args: GatewayArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let file = ConfigFile::new(args.config.clone());
    let config = file.read()?;
    let opener = Opener::new(&args, &file);
    if args.check {
        return check(&config, &opener);
    }
    if let Some(view) = args.view.as_ref().filter(|name| !has_view(&config, name)) {
        return Err(Failure::usage(format!("there is no view `{view}`"))
            .hint("views are under \"linkspan\": {\"views\": …} in the configuration"));
    }
    let gateway = Gateway::new(args.files.open()?);
    let options = GatewayOptions {
        clients: if args.http {
            Clients::Network
        } else {
            Clients::Local
        },
        view: args.view.clone(),
        idle: limit(args.upstream.idle_timeout),
        park: args.upstream.park_timeout,
        most_connections: args.upstream.max_sessions,
        lists: state_folder().map(|folder| folder.join("gateway/lists")),
    };
    let apply = |config: &GatewayConfig| {
        let failed = gateway.apply(config, &options, |server| opener.open(server, config));
        for one in failed {
            tracing::error!(
                "the server `{}` is left out: {}",
                one.key,
                one.why.in_words()
            );
        }
    };
    apply(&config);
    let bridge = Bridge::new(gateway.backend()).timeout(limit(args.upstream.timeout));
    let bridge = args.shrink.add_to(bridge)?;
    let host = args.http.then_some(args.listen.host);
    let bridge = args.client.add_to(bridge, host)?;
    let reload = file.watch(|next| match next {
        Ok(next) => apply(&next),
        Err(why) => tracing::error!("the configuration stays as it was: {why}"),
    });
    let served = async {
        if args.http {
            let mut serve = serve_options(&args.listen, &args.guard)?;
            serve.front.max_sessions = args.upstream.max_sessions;
            serve.front.idle = limit(args.upstream.idle_timeout);
            serve.front.limits = Limits::new(args.upstream.max_message);
            front::serve_http(signals, bridge, &args.listen, serve).await
        } else {
            let stdio = StdioOptions {
                limits: Limits::new(args.upstream.max_message),
                record: args.record.as_deref().map(OutputFile::open).transpose()?,
                ..StdioOptions::default()
            };
            front::serve_stdio(signals, bridge, stdio).await
        }
    };
    tokio::select! {
        served = served => served,
        never = reload => match never {},
        never = gateway.watch_pins() => match never {},
    }
}

fn has_view(config: &GatewayConfig, name: &str) -> bool {
    config
        .settings
        .policy
        .views
        .iter()
        .any(|view| view.name == name)
}

/// Prints the servers of a configuration, and what is missing on this machine.
fn check(config: &GatewayConfig, opener: &Opener<'_>) -> Result<Exit, Failure> {
    let mut exit = Exit::Ok;
    for server in &config.servers {
        match opener.backend(server) {
            Ok(_) => say!("{}  ok", server.alias),
            Err(why) => {
                exit = Exit::Invalid;
                say!("{}  {}", server.alias, why.in_words());
            }
        }
    }
    Ok(exit)
}

/// Opens the servers of a configuration.
struct Opener<'a> {
    args: &'a GatewayArgs,
    folder: PathBuf,
}

impl<'a> Opener<'a> {
    fn new(args: &'a GatewayArgs, file: &ConfigFile) -> Self {
        let folder = file.folder();
        Self { args, folder }
    }

    fn open(&self, server: &ServerConfig, config: &GatewayConfig) -> Result<Bridge, Failure> {
        let timeout = server.timeout.or(config.settings.timeout);
        let timeout = timeout.unwrap_or(self.args.upstream.timeout);
        Ok(Bridge::new(self.backend(server)?).timeout(limit(timeout)))
    }

    fn backend(&self, server: &ServerConfig) -> Result<Backend, Failure> {
        let args = self.args.upstream.remote();
        let scripts = |dir: &Path| folder::backend(dir, &FolderArgs::default());
        let url = |options: HttpOptions| {
            let account = sign_in::account(&options, &args)?;
            Ok(Backend::url(options).signing_in(account))
        };
        let ca = remote::certificates(&args)?;
        let opening = Opening::<Failure> {
            folder: self.folder.clone(),
            workspace: std::env::current_dir().unwrap_or_default(),
            variable: &variable,
            home: system().home,
            search_path: search_path(),
            without_env: secret_variables(),
            limits: Limits::new(self.args.upstream.max_message),
            insecure_http: args.insecure_http,
            http: &|options| options.ca = ca.clone(),
            url: &url,
            scripts: &scripts,
        };
        Ok(opening.backend(server)?)
    }
}

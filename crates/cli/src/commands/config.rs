//! `linkspan config`: the configuration that a client needs for a server.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use linkspan_bridge::command_line;
use linkspan_client_config::{
    Action, Client, Configuration, Inventory, Place, Program, Request, Scope, Server, System,
    Variable, Wanted, utf8,
};
use linkspan_scripts::author::names;
use serde_json::Value;

use crate::args::AwsArgs;
use crate::args::named::named;
use crate::environment::{own_program, search_path, system, variable};
use crate::exit::{Exit, Failure};
use crate::show::{self, raw, say};

const HELP: &str = "\
Prints the lines that a client's configuration needs, where they go, and the command that puts them
there if the client has one. A URL or a command is reached through `linkspan connect`; after `--`, a
command line of linkspan is used as it is. Without --client, the clients of this machine are meant.

Nothing is written without --write, which keeps everything else that is in the file, comments
included, and leaves a copy of it beside it; the ten latest copies are kept. Headers with secrets
name variables, whose values are not written.

Examples:
  linkspan config my-server                # for the clients of this machine
  linkspan config my-server --client claude-code
  linkspan config https://mcp.example.com/mcp --client claude-desktop
  linkspan config -- npx -y @modelcontextprotocol/server-everything
  linkspan config --client zed -- linkspan connect --shrink https://x.example
  linkspan config my-server --client cursor,windsurf --write
  linkspan config my-server --client codex --program npx --dry-run
  linkspan config my-server --client claude-desktop --with-path
  linkspan config my-server --client vscode --http http://127.0.0.1:8808/mcp
  linkspan config --list
  linkspan config --remove --name my-server --client cursor
  linkspan config --restore --client cursor";

#[derive(Debug, Args)]
#[command(
    override_usage = "linkspan config [OPTIONS] [FOLDER | URL | -- COMMAND…]",
    after_long_help = crate::help_text::reflow(HELP)
)]
pub(crate) struct ConfigArgs {
    /// The server: a folder of scripts (the current one by default), a URL, or a command after
    /// `--`
    #[arg(value_name = "TARGET")]
    target: Option<String>,
    /// Command that runs a server on stdin and stdout, or a command line of linkspan
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// The clients; those of this machine by default
    #[arg(long, value_delimiter = ',', value_parser = clients(), group = "chosen")]
    client: Vec<Client>,
    /// All clients that are found on this machine
    #[arg(long, group = "chosen")]
    all: bool,
    /// The configuration of the user, or of the project in the current folder
    #[arg(long, value_parser = named(&SCOPES))]
    scope: Option<Scope>,
    /// Name of the server in the client; by default that of the folder, host or program
    #[arg(long)]
    name: Option<String>,
    /// Give the client this URL, where the server runs already (linkspan serve --http)
    #[arg(long, value_name = "URL")]
    http: Option<String>,
    /// Give the server this shell's PATH; GUI apps often have a shorter one
    #[arg(long, visible_alias = "wrapper-env", conflicts_with = "http")]
    with_path: bool,
    /// Send this header with every request to the URL; name secrets as ${VAR}
    #[arg(
        short = 'H',
        long = "header",
        value_name = "NAME: VALUE",
        conflicts_with = "http"
    )]
    headers: Vec<String>,
    /// Send the environment variable VAR as bearer token to the URL
    #[arg(long, value_name = "VAR", conflicts_with = "http")]
    bearer_env: Option<String>,
    /// Allow plain http:// to other machines, which is not encrypted
    #[arg(long, hide_short_help = true, conflicts_with = "http")]
    insecure_http: bool,
    /// How clients start linkspan: npx, uvx, a path, or a name in PATH; by default the path of this
    /// program
    #[arg(long)]
    program: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the configuration, which is the default
    #[arg(long, hide = true)]
    show: bool,
    /// Add it to the client's configuration file, and keep the rest of the file
    #[arg(long, requires = "chosen", conflicts_with_all = ["show", "json"])]
    write: bool,
    /// Remove the server from the client's configuration file
    #[arg(long, requires = "chosen", conflicts_with_all = ["show", "json", "write"])]
    remove: bool,
    /// Give the client's configuration file the contents of a copy: the latest, or this one
    #[arg(
        long,
        value_name = "COPY",
        num_args = 0..=1,
        require_equals = true,
        requires = "chosen",
        conflicts_with_all = ["show", "json", "write", "remove"]
    )]
    restore: Option<Option<u64>>,
    /// Show what --write, --remove or --restore would change
    #[arg(long, requires = "chosen", conflicts_with_all = ["show", "json"])]
    dry_run: bool,
    /// Replace or remove another server of the same name
    #[arg(long)]
    force: bool,
    /// List the clients of this machine, their servers, and the copies of their files
    #[arg(long, conflicts_with_all = ["write", "remove", "restore", "dry_run"])]
    list: bool,
    /// Configuration file, in place of the usual one
    #[arg(long, value_name = "FILE", requires = "client")]
    file: Option<PathBuf>,
    /// Print the command that opens the server in the MCP Inspector
    #[arg(long, conflicts_with_all = ["client", "write", "json"])]
    inspector: bool,
    #[command(flatten)]
    aws: AwsArgs,
}

/// `check` parses a command line of linkspan.
pub(crate) fn run(
    args: &ConfigArgs,
    check: impl Fn(&[String]) -> Result<(), clap::Error>,
) -> Result<Exit, Failure> {
    let system = system();
    let wanted = Wanted {
        clients: &args.client,
        found_only: args.all,
        scope: args.scope,
        file: args.file.as_deref(),
    };
    let places = wanted.places(&system)?;
    if args.list {
        list(args, &places, &system);
        return Ok(Exit::Ok);
    }
    if let Some(number) = args.restore {
        return change(args, &places, &Action::Restore(number));
    }
    let request = request(args, &system)?;
    let server = request.server()?;
    if let Server::Own(words) = &server {
        check(words).map_err(|error| wrong_line(&error))?;
    }
    let name = &name(args, &server)?;
    let force = args.force;
    if args.remove {
        return change(args, &places, &Action::Remove { name, force });
    }
    let connection = &request.connection(&server, environment(args, &server))?;
    if args.inspector {
        let command = connection.inspector();
        say!("{}", command_line(command.iter().map(Into::into)));
        return Ok(Exit::Ok);
    }
    if args.write || args.dry_run {
        let put = Action::Put {
            name,
            connection,
            force,
        };
        return change(args, &places, &put);
    }
    let all: Vec<Configuration<'_>> = places
        .iter()
        .map(|place| Configuration {
            place,
            name,
            connection,
        })
        .collect();
    if args.json {
        raw(&Configuration::json_of(&all, args.client.len() == 1));
    } else {
        show::print(|out| Configuration::write_all(&all, out));
    }
    Ok(Exit::Ok)
}

/// A command line of linkspan with an error.
fn wrong_line(error: &clap::Error) -> Failure {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    Failure::usage(line).hint("try the command line without `config`")
}

fn request<'a>(args: &'a ConfigArgs, system: &System) -> Result<Request<'a>, Failure> {
    Ok(Request {
        target: args.target.as_deref(),
        command: &args.command,
        headers: &args.headers,
        bearer_env: args.bearer_env.as_deref(),
        insecure_http: args.insecure_http,
        signature: args.aws.words(),
        http: args.http.as_deref(),
        program: match &args.program {
            Some(word) => Program::named(word)?,
            None => Program::Path(utf8(&own_program()?)?),
        },
        search_path: search_path(),
        is_windows: system.is_windows,
    })
}

/// The variables of the server's process. A project of mcp-bash runs no tool that is not in its allow list, so
/// that has a value that works.
fn environment(args: &ConfigArgs, server: &Server) -> Vec<Variable> {
    const ALLOWED: &str = "MCPBASH_TOOL_ALLOWLIST";
    let path = args.with_path.then(|| variable("PATH")).flatten();
    let path = path.map(|path| Variable::Set("PATH".to_owned(), path));
    let is_restricted =
        matches!(server, Server::Folder(dir) if linkspan_mcp_bash::detect(dir).is_some());
    let allowed = is_restricted.then(|| variable(ALLOWED).unwrap_or_else(|| "*".to_owned()));
    let allowed = allowed.map(|allowed| Variable::Set(ALLOWED.to_owned(), allowed));
    path.into_iter().chain(allowed).collect()
}

fn name(args: &ConfigArgs, server: &Server) -> Result<String, Failure> {
    if let Some(name) = &args.name {
        // Servers of others may have other names.
        if !args.remove {
            names::check(name)?;
        }
        return Ok(name.clone());
    }
    if args.remove && args.target.is_none() && args.command.is_empty() {
        return Err(Failure::usage("--remove needs the name of the server")
            .hint("linkspan config --list shows the names"));
    }
    Ok(match server.clone().subject() {
        Server::Url { url, .. } => names::of_url(&url),
        Server::Folder(dir) => names::of_folder(&dir),
        Server::Command(words) | Server::Own(words) => names::of_command(&words),
    })
}

/// Changes the configurations; an error of one does not stop the others.
fn change(args: &ConfigArgs, places: &[Place], action: &Action<'_>) -> Result<Exit, Failure> {
    let mut exit = Exit::Ok;
    for place in places {
        match action.perform(place, args.dry_run) {
            Ok(lines) => lines.iter().for_each(|line| say!("{line}")),
            Err(error) if places.len() == 1 => return Err(error.into()),
            Err(error) => {
                let failure = Failure::from(error);
                failure.print();
                exit = failure.exit;
            }
        }
    }
    Ok(exit)
}

fn list(args: &ConfigArgs, places: &[Place], system: &System) {
    let all = match &args.client[..] {
        [] => Inventory::found(system),
        _ => places.iter().filter_map(Inventory::of).collect(),
    };
    if args.json {
        let all: Vec<Value> = all.iter().map(Inventory::to_json).collect();
        return raw(&Value::Array(all).to_string());
    }
    if all.is_empty() {
        say!("no client was found on this machine");
    }
    let now = SystemTime::now();
    show::print(|out| all.iter().try_for_each(|one| one.write(out, now)));
}

/// The values of `--client`.
fn clients() -> impl TypedValueParser<Value = Client> {
    let values = Client::ALL.map(|client| PossibleValue::new(client.id()).help(client.title()));
    PossibleValuesParser::new(values)
        .try_map(|id| Client::by_id(&id).ok_or("it is not a known client"))
}

/// The values of `--scope`.
const SCOPES: [(&str, Scope); 2] = [("user", Scope::User), ("project", Scope::Project)];

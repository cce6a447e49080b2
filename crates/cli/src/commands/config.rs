//! `linkspan config`: what a client needs to know to use a server.

mod server;

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use linkspan_client_config::{Client, Connection, Location, Merged, System, merge};
use linkspan_scripts::author::names;
use serde_json::{Value, json};

use self::server::{Server, connection, variables};
use crate::environment::system;
use crate::exit::{Exit, Failure};
use crate::show::{command_line, path as shown, raw, say};

const HELP: &str = "\
Prints the lines that a client's configuration needs, where they go, and the command that puts them
there if the client has one. A URL or a command is reached through `linkspan connect`. Nothing is written without --write, which keeps everything else that is
in the file, comments included, and leaves a copy of it beside it.

Examples:
  linkspan config my-server                                  # for every client
  linkspan config my-server --client claude-code
  linkspan config https://mcp.example.com/mcp --client claude-desktop
  linkspan config -- npx -y @modelcontextprotocol/server-everything
  linkspan config my-server --client cursor --write
  linkspan config my-server --client claude-desktop --with-path
  linkspan config my-server --client vscode --http http://127.0.0.1:8808/mcp";

// `linkspan config`
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
    /// Command that runs a server on stdin and stdout
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// The client; all of them by default
    #[arg(long, value_parser = clients())]
    client: Option<Client>,
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
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print, which is what happens anyway
    #[arg(long, hide = true)]
    show: bool,
    /// Add it to the client's configuration file, and keep the rest of the file
    #[arg(long, requires = "client", conflicts_with_all = ["show", "json"])]
    write: bool,
    /// Configuration file, in place of the usual one
    #[arg(long, value_name = "FILE", requires = "client")]
    file: Option<PathBuf>,
    /// Print the command that opens the server in the MCP Inspector
    #[arg(long, conflicts_with_all = ["client", "write", "json"])]
    inspector: bool,
}

pub(crate) fn run(args: &ConfigArgs) -> Result<Exit, Failure> {
    let name = name(args)?;
    let connection = connection(args)?;
    if args.inspector {
        return inspector(&connection);
    }
    let system = system();
    let clients: Vec<Client> = match args.client {
        Some(client) => vec![client],
        None => Client::ALL.to_vec(),
    };
    if args.json {
        let all: Vec<Value> = clients
            .iter()
            .map(|client| as_json(*client, &system, args, &name, &connection))
            .collect();
        let text = match (args.client, &all[..]) {
            (Some(_), [one]) => one.to_string(),
            _ => Value::Array(all).to_string(),
        };
        raw(&text);
        return Ok(Exit::Ok);
    }
    for (n, client) in clients.iter().enumerate() {
        if args.write {
            return write(*client, &system, args, &name, &connection);
        }
        if n > 0 {
            say!("");
        }
        print(*client, &system, args, &name, &connection);
    }
    Ok(Exit::Ok)
}

fn print(client: Client, system: &System, args: &ConfigArgs, name: &str, connection: &Connection) {
    say!("{}:", client.title());
    let place = match location(client, system, args) {
        Location::File(path) => shown(&path),
        Location::Unknown(name) => name.to_owned(),
    };
    if let Some(command) = client.command(name, connection) {
        say!("  run this");
        say!("    {}", words(&command));
        say!("  or put this into {place}");
    } else {
        say!("  put this into {place}");
    }
    let snippet = client.snippet(name, connection);
    let text = serde_json::to_string_pretty(&snippet).unwrap_or_default();
    for line in text.lines() {
        say!("    {}", crate::show::clean(line));
    }
}

fn as_json(
    client: Client,
    system: &System,
    args: &ConfigArgs,
    name: &str,
    connection: &Connection,
) -> Value {
    let location = location(client, system, args);
    json!({
        "client": client.id(),
        "name": name,
        "file": location.path().map(|path| path.to_string_lossy()),
        "key": client.key(),
        "config": client.snippet(name, connection),
        "command": client.command(name, connection),
    })
}

fn write(
    client: Client,
    system: &System,
    args: &ConfigArgs,
    name: &str,
    connection: &Connection,
) -> Result<Exit, Failure> {
    let location = location(client, system, args);
    let Some(file) = location.path() else {
        return Err(Failure::usage(format!(
            "where {} keeps its configuration is not known here",
            client.title()
        ))
        .hint("say where with --file FILE"));
    };
    match merge(file, client.key(), name, &client.entry(connection))? {
        Merged::Unchanged => {
            say!("{} has it already", shown(file));
            return Ok(Exit::Ok);
        }
        Merged::Changed(backup) => say!("{} (as it was: {})", shown(file), shown(&backup)),
        Merged::Created => say!("{}", shown(file)),
    }
    for variable in variables(args) {
        say!("put the value of {variable} into its `env`, in place of …");
    }
    say!("{}", client.afterwards());
    Ok(Exit::Ok)
}

fn location(client: Client, system: &System, args: &ConfigArgs) -> Location {
    match &args.file {
        Some(file) => Location::File(file.clone()),
        None => client.location(system),
    }
}

fn name(args: &ConfigArgs) -> Result<String, Failure> {
    if let Some(name) = &args.name {
        names::check(name)?;
        return Ok(name.clone());
    }
    Ok(match Server::of(args) {
        Server::Folder(dir) => names::of_folder(Path::new(dir)),
        Server::Url(url) => names::of_url(url),
        Server::Command(words) => names::of_command(words),
    })
}

fn inspector(connection: &Connection) -> Result<Exit, Failure> {
    let mut command = vec![
        "npx".to_owned(),
        "@modelcontextprotocol/inspector".to_owned(),
    ];
    match connection {
        Connection::Command { program, args, .. } => {
            command.push("--".to_owned());
            command.push(program.clone());
            command.extend(args.clone());
        }
        Connection::Url { url, .. } => {
            command.extend(["--transport".to_owned(), "http".to_owned()]);
            command.extend(["--server-url".to_owned(), url.clone()]);
        }
    }
    say!("{}", words(&command));
    Ok(Exit::Ok)
}

/// A command as it is typed.
fn words(command: &[String]) -> String {
    command_line(command.iter().map(Into::into))
}

/// The values of `--client`.
fn clients() -> impl TypedValueParser<Value = Client> {
    let values = Client::ALL.map(|client| PossibleValue::new(client.id()).help(client.title()));
    PossibleValuesParser::new(values)
        .try_map(|id| Client::by_id(&id).ok_or("it is not a known client"))
}

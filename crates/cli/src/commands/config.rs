//! `linkspan config`: the configuration that a client needs for a server.

mod server;

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use linkspan_bridge::command_line;
use linkspan_client_config::{Client, Configuration, Location, Merged, Server};
use linkspan_scripts::author::names;
use serde_json::Value;

use self::server::{connection, server, variables};
use crate::args::AwsArgs;
use crate::environment::system;
use crate::exit::{Exit, Failure};
use crate::show::{self, path as shown, raw, say};

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
    /// Print the configuration, which is the default
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
    #[command(flatten)]
    aws: AwsArgs,
}

pub(crate) fn run(args: &ConfigArgs) -> Result<Exit, Failure> {
    let server = server(args);
    let name = name(args, &server)?;
    let connection = connection(args, &server)?;
    if args.inspector {
        let command = connection.inspector();
        say!("{}", command_line(command.iter().map(Into::into)));
        return Ok(Exit::Ok);
    }
    let system = system();
    let configuration = |client: Client| Configuration {
        client,
        location: match &args.file {
            Some(file) => Location::File(file.clone()),
            None => client.location(&system),
        },
        name: &name,
        connection: &connection,
    };
    let all = Client::ALL.map(configuration);
    match args.client.map(configuration) {
        Some(one) if args.write => return write(args, &one),
        Some(one) if args.json => raw(&one.to_json().to_string()),
        Some(one) => show::print(|out| one.write(out)),
        None if args.json => {
            let all = all.iter().map(Configuration::to_json).collect();
            raw(&Value::Array(all).to_string());
        }
        None => {
            for (n, one) in all.iter().enumerate() {
                if n > 0 {
                    say!("");
                }
                show::print(|out| one.write(out));
            }
        }
    }
    Ok(Exit::Ok)
}

fn write(args: &ConfigArgs, configuration: &Configuration<'_>) -> Result<Exit, Failure> {
    let merged = configuration.merge()?;
    let file = configuration.location.path().map(shown).unwrap_or_default();
    match merged {
        Merged::Unchanged => {
            say!("{file} is up to date");
            return Ok(Exit::Ok);
        }
        Merged::Changed(backup) => say!("{file} (backup: {})", shown(&backup)),
        Merged::Created => say!("{file}"),
    }
    for variable in variables(args) {
        say!("put the value of {variable} into its `env`, in place of …");
    }
    say!("{}", configuration.client.afterwards());
    Ok(Exit::Ok)
}

fn name(args: &ConfigArgs, server: &Server) -> Result<String, Failure> {
    if let Some(name) = &args.name {
        names::check(name)?;
        return Ok(name.clone());
    }
    Ok(match server {
        Server::Folder(dir) => names::of_folder(dir),
        Server::Url { url, .. } => names::of_url(url),
        Server::Command(words) => names::of_command(words),
    })
}

/// The values of `--client`.
fn clients() -> impl TypedValueParser<Value = Client> {
    let values = Client::ALL.map(|client| PossibleValue::new(client.id()).help(client.title()));
    PossibleValuesParser::new(values)
        .try_map(|id| Client::by_id(&id).ok_or("it is not a known client"))
}

//! `linkspan config`: what a client needs to know to use a server.

mod clients;
mod jsonc;
mod merge;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use linkspan_ports::HttpOptions;
use serde_json::{Value, json};

pub(crate) use clients::{Client, Place, System};
pub(crate) use jsonc::plain as without_comments;

use crate::exit::{Exit, Failure};
use crate::remote::{check_variable, header_parts};
use crate::serve::names;
use crate::show::{command_line, path as shown, raw, say};
use crate::target;

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
    #[arg(long, value_enum)]
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

/// How the client reaches the server.
#[derive(Debug)]
pub(crate) enum Reached {
    /// It starts it.
    Command {
        program: String,
        args: Vec<String>,
        path: Option<String>,
    },
    /// It runs already.
    Url(String),
}

pub(crate) fn run(args: &ConfigArgs) -> Result<Exit, Failure> {
    let name = name(args)?;
    let reached = reached(args)?;
    if args.inspector {
        return inspector(&reached);
    }
    let system = System::here();
    let clients: Vec<Client> = match args.client {
        Some(client) => vec![client],
        None => Client::value_variants().to_vec(),
    };
    if args.json {
        let all: Vec<Value> = clients
            .iter()
            .map(|client| as_json(*client, &system, args, &name, &reached))
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
            return write(*client, &system, args, &name, &reached);
        }
        if n > 0 {
            say!("");
        }
        print(*client, &system, args, &name, &reached);
    }
    Ok(Exit::Ok)
}

fn print(client: Client, system: &System, args: &ConfigArgs, name: &str, reached: &Reached) {
    say!("{}:", client.title());
    if let Some(command) = client.command(name, reached) {
        say!("  run this");
        say!("    {}", words(&command));
        say!("  or put this into {}", place(client, system, args).shown());
    } else {
        say!("  put this into {}", place(client, system, args).shown());
    }
    let snippet = client.snippet(name, reached);
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
    reached: &Reached,
) -> Value {
    let place = place(client, system, args);
    json!({
        "client": client.word(),
        "name": name,
        "file": place.path().map(|path| path.to_string_lossy()),
        "key": client.key(),
        "config": client.snippet(name, reached),
        "command": client.command(name, reached),
    })
}

fn write(
    client: Client,
    system: &System,
    args: &ConfigArgs,
    name: &str,
    reached: &Reached,
) -> Result<Exit, Failure> {
    let place = place(client, system, args);
    let Some(file) = place.path() else {
        return Err(Failure::usage(format!(
            "where {} keeps its configuration is not known here",
            client.title()
        ))
        .hint("say where with --file FILE"));
    };
    let done = merge::into_file(file, client.key(), name, &client.entry(reached))?;
    match done.backup {
        _ if !done.changed => say!("{} has it already", shown(file)),
        Some(backup) => say!("{} (as it was: {})", shown(file), shown(&backup)),
        None => say!("{}", shown(file)),
    }
    if let (true, Reached::Command { args, .. }) = (done.changed, reached) {
        for variable in clients::variables(args) {
            say!("put the value of {variable} into its `env`, in place of …");
        }
    }
    if done.changed {
        say!("{}", client.afterwards());
    }
    Ok(Exit::Ok)
}

fn place(client: Client, system: &System, args: &ConfigArgs) -> Place {
    match &args.file {
        Some(file) => Place::File(file.clone()),
        None => client.place(system),
    }
}

fn name(args: &ConfigArgs) -> Result<String, Failure> {
    if let Some(name) = &args.name {
        names::check(name)?;
        return Ok(name.clone());
    }
    Ok(match server(args) {
        Server::Folder(dir) => names::of_folder(Path::new(dir)),
        Server::Url(url) => names::of_url(url),
        Server::Command(words) => names::of_command(words),
    })
}

/// What the client is to use.
enum Server<'a> {
    Folder(&'a str),
    Url(&'a str),
    Command(&'a [String]),
}

fn server(args: &ConfigArgs) -> Server<'_> {
    match (&args.target, &args.command[..]) {
        (_, words @ [_, ..]) => Server::Command(words),
        (Some(url), _) if url.contains("://") => Server::Url(url),
        (Some(dir), _) => Server::Folder(dir),
        (None, _) => Server::Folder("."),
    }
}

fn reached(args: &ConfigArgs) -> Result<Reached, Failure> {
    if let Some(url) = &args.http {
        check_url(
            url,
            "linkspan serve --http prints it, for example http://127.0.0.1:8808/mcp",
        )?;
        return Ok(Reached::Url(url.clone()));
    }
    if let (Some(target), [_, ..]) = (&args.target, &args.command[..]) {
        return Err(
            Failure::usage(format!("two targets: `{target}` and a command after `--`"))
                .hint("give one of them"),
        );
    }
    let is_url = matches!(server(args), Server::Url(_));
    if !is_url && (args.bearer_env.is_some() || !args.headers.is_empty() || args.insecure_http) {
        return Err(
            Failure::usage("--header, --bearer-env and --insecure-http are for a URL")
                .hint("linkspan config --bearer-env VAR https://mcp.example.com/mcp"),
        );
    }
    let ours = match server(args) {
        Server::Folder(dir) => vec!["serve".to_owned(), folder(Path::new(dir))?],
        Server::Url(url) => {
            let mut options = HttpOptions::new(url, args.insecure_http)?;
            for header in &args.headers {
                check_header(&mut options, header)?;
            }
            let mut ours = vec!["connect".to_owned()];
            for header in &args.headers {
                ours.extend(["-H".to_owned(), header.clone()]);
            }
            if let Some(variable) = &args.bearer_env {
                check_variable("--bearer-env", variable)?;
                ours.extend(["--bearer-env".to_owned(), variable.clone()]);
            }
            if args.insecure_http {
                ours.push("--insecure-http".to_owned());
            }
            ours.push(url.to_owned());
            ours
        }
        Server::Command(words) => {
            let mut ours = vec!["connect".to_owned(), "--".to_owned(), program(&words[0])?];
            ours.extend_from_slice(&words[1..]);
            ours
        }
    };
    let us = std::env::current_exe()
        .map_err(|e| Failure::new(Exit::Invalid, format!("cannot tell where we are: {e}")))?;
    Ok(Reached::Command {
        program: text(&us)?,
        args: ours,
        path: match args.with_path {
            true => std::env::var("PATH").ok(),
            false => None,
        },
    })
}

/// A header, without the values of its variables.
fn check_header(options: &mut HttpOptions, header: &str) -> Result<(), Failure> {
    let (name, value) = header_parts(header)?;
    Ok(options.header(name, value)?)
}

fn check_url(url: &str, hint: &str) -> Result<(), Failure> {
    let known = ["http://", "https://"];
    match known.iter().any(|scheme| url.starts_with(scheme)) {
        true => Ok(()),
        false => Err(Failure::usage(format!("`{url}` is not a URL of a server")).hint(hint)),
    }
}

/// A folder, by a path that holds wherever the client starts.
fn folder(given: &Path) -> Result<String, Failure> {
    if let Some(word) = given.to_str()
        && !given.is_dir()
        && target::is_something_else(word)
    {
        return Err(target::no_target(word));
    }
    let dir = std::fs::canonicalize(given).map_err(|e| not_there(given, &e.to_string()))?;
    text(&dir)
}

/// A program, by a path that holds wherever the client starts; a plain name is looked up there.
fn program(given: &str) -> Result<String, Failure> {
    let path = Path::new(given);
    if path.components().count() < 2 {
        return Ok(given.to_owned());
    }
    let real = std::path::absolute(path)
        .ok()
        .filter(|real| real.is_file())
        .ok_or_else(|| {
            Failure::usage(format!("there is no program `{}`", shown(path)))
                .hint("give the path of an executable file, or a name that is in PATH")
        })?;
    text(&real)
}

fn not_there(dir: &Path, why: &str) -> Failure {
    Failure::usage(format!("cannot use {}: {why}", shown(dir)))
        .hint(format!("linkspan new {} makes a folder", shown(dir)))
}

/// JSON knows no other paths.
fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::usage(format!("{} is not UTF-8", shown(path)))
            .hint("clients cannot name it; rename it, or make a link to it")
    })
}

fn inspector(reached: &Reached) -> Result<Exit, Failure> {
    let mut command = vec![
        "npx".to_owned(),
        "@modelcontextprotocol/inspector".to_owned(),
    ];
    match reached {
        Reached::Command { program, args, .. } => {
            command.push("--".to_owned());
            command.push(program.clone());
            command.extend(args.clone());
        }
        Reached::Url(url) => {
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

//! `linkspan config`: what a client needs to know to use a folder.

mod clients;
mod jsonc;
mod merge;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

pub(crate) use clients::{Client, Place, System};
pub(crate) use jsonc::plain as without_comments;

use crate::exit::{Exit, Failure};
use crate::serve::names;
use crate::show::{path as shown, raw, say};

const HELP: &str = "\
Prints the lines that a client's configuration needs, where they go, and the command that puts them
there if the client has one. Nothing is written without --write, which keeps everything else that is
in the file, comments included, and leaves a copy of it beside it.

Examples:
  linkspan config my-server                                  # for every client
  linkspan config my-server --client claude-code
  linkspan config my-server --client cursor --write
  linkspan config my-server --client claude-desktop --with-path
  linkspan config my-server --client vscode --http http://127.0.0.1:8808/mcp --json";

// `linkspan config`
#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub(crate) struct ConfigArgs {
    /// The folder; the current one if there is none
    #[arg(value_name = "DIR", default_value = ".", hide_default_value = true)]
    dir: PathBuf,
    /// Which client; all of them if it is not given
    #[arg(long, value_enum)]
    client: Option<Client>,
    /// What the client is to call the server; the folder's name if it is not given
    #[arg(long)]
    name: Option<String>,
    /// The server runs already, at this URL (linkspan serve --http)
    #[arg(long, value_name = "URL")]
    http: Option<String>,
    /// Give the server this shell's PATH; programs with windows often have a shorter one
    #[arg(long, visible_alias = "wrapper-env", conflicts_with = "http")]
    with_path: bool,
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,
    /// Print, which is what happens anyway
    #[arg(long, hide = true)]
    show: bool,
    /// Put it into the client's configuration, and keep the rest of that
    #[arg(long, requires = "client", conflicts_with_all = ["show", "json"])]
    write: bool,
    /// The configuration to write to, if it is not the usual one
    #[arg(long, value_name = "FILE", requires = "client")]
    file: Option<PathBuf>,
    /// Print the command that opens the folder in the MCP Inspector
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
    match &args.name {
        Some(name) => {
            names::check(name)?;
            Ok(name.clone())
        }
        None => Ok(names::of_folder(&args.dir)),
    }
}

fn reached(args: &ConfigArgs) -> Result<Reached, Failure> {
    if let Some(url) = &args.http {
        let known = ["http://", "https://"];
        if !known.iter().any(|scheme| url.starts_with(scheme)) {
            return Err(Failure::usage(format!("`{url}` is not a URL"))
                .hint("linkspan serve --http prints it, for example http://127.0.0.1:8808/mcp"));
        }
        return Ok(Reached::Url(url.clone()));
    }
    let dir = std::fs::canonicalize(&args.dir).map_err(|e| not_there(&args.dir, &e.to_string()))?;
    if !dir.is_dir() {
        return Err(not_there(&args.dir, "it is not a folder"));
    }
    let program = std::env::current_exe()
        .map_err(|e| Failure::new(Exit::Invalid, format!("cannot tell where we are: {e}")))?;
    Ok(Reached::Command {
        program: text(&program)?,
        args: vec!["serve".to_owned(), text(&dir)?],
        path: match args.with_path {
            true => std::env::var("PATH").ok(),
            false => None,
        },
    })
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
    let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
    crate::show::clean(&words.join(" "))
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_out_of_a_shell_as_they_went_in() {
        assert_eq!(quoted("/a/b-c.d"), "/a/b-c.d");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(rm)"), "'$(rm)'");
        assert_eq!(quoted(""), "''");
    }
}

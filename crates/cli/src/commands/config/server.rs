//! The server that a client is to use, and how the client reaches it.

use std::collections::BTreeSet;
use std::path::Path;

use linkspan_client_config::Connection;
use linkspan_ports::HttpOptions;

use super::ConfigArgs;
use crate::environment::{own_program, variable};
use crate::exit::{Exit, Failure};
use crate::remote::{check_variable, header_parts};
use crate::show::path as shown;
use crate::target;

/// The server that the client is to use.
pub(super) enum Server<'a> {
    Folder(&'a str),
    Url(&'a str),
    Command(&'a [String]),
}

impl<'a> Server<'a> {
    pub(super) fn of(args: &'a ConfigArgs) -> Self {
        match (&args.target, &args.command[..]) {
            (_, words @ [_, ..]) => Self::Command(words),
            (Some(url), _) if url.contains("://") => Self::Url(url),
            (Some(dir), _) => Self::Folder(dir),
            (None, _) => Self::Folder("."),
        }
    }
}

/// How the client reaches the server.
pub(super) fn connection(args: &ConfigArgs) -> Result<Connection, Failure> {
    if let Some(url) = &args.http {
        check_url(
            url,
            "linkspan serve --http prints it, for example http://127.0.0.1:8808/mcp",
        )?;
        let program = own_program()
            .ok()
            .and_then(|path| path.to_str().map(str::to_owned));
        let program = program.unwrap_or_else(|| "linkspan".to_owned());
        return Ok(Connection::Url {
            url: url.clone(),
            bridge: vec![program, "connect".to_owned(), url.clone()],
        });
    }
    if let (Some(target), [_, ..]) = (&args.target, &args.command[..]) {
        return Err(
            Failure::usage(format!("two targets: `{target}` and a command after `--`"))
                .hint("give one of them"),
        );
    }
    let is_url = matches!(Server::of(args), Server::Url(_));
    if !is_url && (args.bearer_env.is_some() || !args.headers.is_empty() || args.insecure_http) {
        return Err(
            Failure::usage("--header, --bearer-env and --insecure-http are for a URL")
                .hint("linkspan config --bearer-env VAR https://mcp.example.com/mcp"),
        );
    }
    let words = match Server::of(args) {
        Server::Folder(dir) => vec!["serve".to_owned(), folder(Path::new(dir))?],
        Server::Url(url) => connect_words(args, url)?,
        Server::Command(words) => {
            let mut ours = vec!["connect".to_owned(), "--".to_owned(), program(&words[0])?];
            ours.extend_from_slice(&words[1..]);
            ours
        }
    };
    let us = std::env::current_exe()
        .map_err(|e| Failure::new(Exit::Invalid, format!("cannot tell where we are: {e}")))?;
    Ok(Connection::Command {
        program: text(&us)?,
        env: environment(args, &words),
        args: words,
    })
}

/// The arguments that make us connect to a URL.
fn connect_words(args: &ConfigArgs, url: &str) -> Result<Vec<String>, Failure> {
    let mut options = HttpOptions::new(url, args.insecure_http)?;
    let mut words = vec!["connect".to_owned()];
    for header in &args.headers {
        check_header(&mut options, header)?;
        words.extend(["-H".to_owned(), header.clone()]);
    }
    if let Some(variable) = &args.bearer_env {
        check_variable("--bearer-env", variable)?;
        words.extend(["--bearer-env".to_owned(), variable.clone()]);
    }
    if args.insecure_http {
        words.push("--insecure-http".to_owned());
    }
    words.push(url.to_owned());
    Ok(words)
}

/// The variables of the server's process. A project of mcp-bash runs no tool that is not in its allow list, so
/// that has a value that works.
fn environment(args: &ConfigArgs, words: &[String]) -> Vec<(String, String)> {
    const ALLOWED: &str = "MCPBASH_TOOL_ALLOWLIST";
    let path = args.with_path.then(|| std::env::var("PATH").ok()).flatten();
    let mut env: Vec<_> = path
        .map(|path| ("PATH".to_owned(), path))
        .into_iter()
        .collect();
    env.extend(variables(args).map(|name| (name, "…".to_owned())));
    if let [verb, dir] = words
        && verb == "serve"
        && linkspan_mcp_bash::detect(Path::new(dir)).is_some()
    {
        let allowed = variable(ALLOWED).unwrap_or_else(|| "*".to_owned());
        env.push((ALLOWED.to_owned(), allowed));
    }
    env
}

/// The environment variables that `linkspan connect` will read a token or headers from.
pub(super) fn variables(args: &ConfigArgs) -> impl Iterator<Item = String> {
    let headers = args
        .headers
        .iter()
        .flat_map(|header| header.split("${").skip(1));
    let in_headers = headers.filter_map(|rest| Some(rest.split_once('}')?.0.to_owned()));
    let names: BTreeSet<String> = in_headers.chain(args.bearer_env.clone()).collect();
    names.into_iter()
}

/// A header, without the values of its variables.
fn check_header(options: &mut HttpOptions, header: &str) -> Result<(), Failure> {
    let (name, value) = header_parts(header)?;
    Ok(options.header(name, value)?)
}

fn check_url(url: &str, hint: &str) -> Result<(), Failure> {
    let known = ["http://", "https://"];
    if known.iter().any(|scheme| url.starts_with(scheme)) {
        return Ok(());
    }
    Err(Failure::usage(format!("`{url}` is not a URL of a server")).hint(hint))
}

/// The absolute path of a folder.
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

/// The absolute path of a program; a plain name is looked up by the client.
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

/// A path as text: JSON has no other paths.
fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::usage(format!("{} is not UTF-8", shown(path)))
            .hint("clients cannot name it; rename it, or make a link to it")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: ConfigArgs,
    }

    #[test]
    fn variables_of_headers_and_tokens_are_in_the_environment() {
        let words = "config -H X-Key:${API_KEY}${B} --bearer-env TOKEN https://x/mcp";
        let args = Line::try_parse_from(words.split(' ')).unwrap().args;
        let Connection::Command { env, .. } = connection(&args).unwrap() else {
            panic!("a URL");
        };
        let names: Vec<&str> = env.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["API_KEY", "B", "TOKEN"]);
    }
}

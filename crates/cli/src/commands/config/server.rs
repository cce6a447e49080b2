//! The server that a client is to use, and how the client reaches it.

use std::collections::BTreeSet;
use std::path::Path;

use linkspan_bridge::{Target, TargetError};
use linkspan_client_config::{Connection, Server, utf8};
use linkspan_ports::{HttpOptions, absolute_unix_target, check_variable, variables_in};

use super::ConfigArgs;
use crate::environment::{own_program, search_path, variable};
use crate::exit::{Exit, Failure};

/// The server that the client is to use.
pub(super) fn server(args: &ConfigArgs) -> Server {
    match (&args.target, &args.command[..]) {
        (_, words @ [_, ..]) => Server::Command(words.to_vec()),
        (Some(url), _) if Target::is_url(url) => Server::Url {
            url: absolute_unix_target(url),
            options: url_options(args),
        },
        (Some(dir), _) => Server::Folder(dir.into()),
        (None, _) => Server::Folder(".".into()),
    }
}

/// The flags for a URL.
fn url_options(args: &ConfigArgs) -> Vec<String> {
    let headers = args.headers.iter().map(|header| ("-H", header));
    let bearer = args.bearer_env.iter().map(|name| ("--bearer-env", name));
    headers
        .chain(bearer)
        .flat_map(|(flag, value)| [flag.to_owned(), value.clone()])
        .chain(args.aws.words())
        .chain(args.insecure_http.then(|| "--insecure-http".to_owned()))
        .collect()
}

/// How the client reaches the server.
pub(super) fn connection(args: &ConfigArgs, server: &Server) -> Result<Connection, Failure> {
    if let Some(url) = &args.http {
        return running(url);
    }
    if let (Some(target), [_, ..]) = (&args.target, &args.command[..]) {
        return Err(TargetError::Two(target.clone()).into());
    }
    match server {
        Server::Url { url, .. } => check_url(args, url)?,
        Server::Folder(_) | Server::Command(_) if !url_options(args).is_empty() => {
            return Err(Failure::usage(
                "--header, --bearer-env, --aws-… and --insecure-http are for a URL",
            )
            .hint("linkspan config --bearer-env VAR https://mcp.example.com/mcp"));
        }
        Server::Folder(dir) => check_folder(dir)?,
        Server::Command(_) => {}
    }
    let words = server.arguments()?;
    let us = std::env::current_exe()
        .map_err(|e| Failure::new(Exit::Invalid, format!("cannot find this program: {e}")))?;
    Ok(Connection::Command {
        program: utf8(&us)?,
        env: environment(args, &words),
        args: words,
    })
}

/// The server of `--http`, which runs already.
fn running(url: &str) -> Result<Connection, Failure> {
    if !(url.starts_with("http://") || url.starts_with("https://")) {
        return Err(Failure::usage(format!("`{url}` is not a URL of a server"))
            .hint("linkspan serve --http prints it, for example http://127.0.0.1:8808/mcp"));
    }
    let program = own_program().ok().and_then(|path| utf8(&path).ok());
    let program = program.unwrap_or_else(|| "linkspan".to_owned());
    Ok(Connection::Url {
        url: url.to_owned(),
        bridge: vec![program, "connect".to_owned(), url.to_owned()],
    })
}

/// Checks that these flags fit the URL.
fn check_url(args: &ConfigArgs, url: &str) -> Result<(), Failure> {
    let mut options = HttpOptions::new(url, args.insecure_http)?;
    for header in &args.headers {
        // The values of its variables are not known here.
        options.header_line(header, &|name| Some(format!("${{{name}}}")))?;
    }
    match &args.bearer_env {
        Some(variable) => Ok(check_variable("--bearer-env", variable)?),
        None => Ok(()),
    }
}

/// Refuses a word that names something else than a folder.
fn check_folder(dir: &Path) -> Result<(), Failure> {
    let word = dir.to_str().filter(|_| !dir.is_dir());
    match word.and_then(|word| TargetError::something_else(word, &search_path())) {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
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
    let in_headers = args.headers.iter().flat_map(|header| variables_in(header));
    let names = in_headers.chain(args.bearer_env.as_deref());
    let names: BTreeSet<String> = names.map(str::to_owned).collect();
    names.into_iter()
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
        let Connection::Command { env, .. } = connection(&args, &server(&args)).unwrap() else {
            panic!("a URL");
        };
        let names: Vec<&str> = env.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["API_KEY", "B", "TOKEN"]);
    }
}

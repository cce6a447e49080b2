//! Words to values.

use std::net::Ipv4Addr;
use std::time::Duration;

use regex::Regex;

use super::translate::expression;
use super::words::Given;
use super::{LogLevel, Mode, Network, Output, Supergateway, command};
use crate::error::LineError;
use crate::note::Note;
use crate::program::Asked;

/// The original's default of `--sessionTimeout`.
const IDLE: Duration = Duration::from_secs(1800);

impl Supergateway {
    /// Parses the words after the program's name.
    ///
    /// # Errors
    /// If a flag is unknown or lacks its value, or if the original would refuse the line.
    pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Asked<Self>, LineError> {
        let words: Vec<String> = words.into_iter().collect();
        if words.iter().any(|word| word == "--help") {
            return Ok(Asked::Help);
        }
        if words.iter().any(|word| word == "--version") {
            return Ok(Asked::Version);
        }
        let given = Given::read(words)?;
        let mut notes: Vec<Note> = Note::unexpected(given.unexpected).into_iter().collect();
        let log = match given.value("--logLevel") {
            None | Some("info") => LogLevel::Info,
            Some("debug") => LogLevel::Debug,
            Some("none") => LogLevel::None,
            Some(_) => return Err(wrong("--logLevel", "debug, info or none")),
        };
        let mode = mode(&given, &mut notes)?;
        let mut headers = headers(&given, &mut notes);
        match (given.value("--oauth2Bearer"), &mode) {
            (None, _) => {}
            (Some(token), Mode::ToStdio { .. }) => {
                headers.retain(|(name, _)| !name.eq_ignore_ascii_case("authorization"));
                headers.push(("Authorization".to_owned(), format!("Bearer {token}")));
            }
            (Some(_), Mode::ToNetwork(_)) => notes.push(Note::Remark(
                "--oauth2Bearer does not protect this server, and is not sent to clients; \
                 `linkspan expose --token-env VAR -- COMMAND` requires a token"
                    .to_owned(),
            )),
        }
        let is_stateless = matches!(
            &mode,
            Mode::ToNetwork(Network {
                output: Output::StreamableHttp { sessions: None, .. },
                ..
            })
        );
        if given.has("--protocolVersion") && !is_stateless {
            let why = "the version is negotiated with each client";
            no_effect(&mut notes, "--protocolVersion", why);
        }
        Ok(Asked::Run(Self {
            mode,
            headers,
            log,
            notes,
        }))
    }
}

/// Exactly one of the three inputs, and an output that fits.
fn mode(given: &Given, notes: &mut Vec<Note>) -> Result<Mode, LineError> {
    let inputs = ["--stdio", "--sse", "--streamableHttp"];
    let named = inputs.map(|flag| given.value(flag).filter(|value| !value.is_empty()));
    let output = given.value("--outputTransport");
    if output.is_some_and(|output| !["stdio", "sse", "ws", "streamableHttp"].contains(&output)) {
        return Err(wrong(
            "--outputTransport",
            "stdio, sse, ws or streamableHttp",
        ));
    }
    let only_stdio = |from: &str| match output {
        None | Some("stdio") => Ok(()),
        Some(other) => Err(LineError::Form {
            what: format!("{from} to {other} is not possible"),
            hint: "linkspan expose URL serves a remote server over HTTP",
        }),
    };
    match named {
        [Some(command), None, None] => network(given, command, output, notes).map(Mode::ToNetwork),
        [None, Some(url), None] => {
            only_stdio("sse")?;
            let url = url.to_owned();
            Ok(Mode::ToStdio { url, sse: true })
        }
        [None, None, Some(url)] => {
            only_stdio("streamableHttp")?;
            let url = url.to_owned();
            Ok(Mode::ToStdio { url, sse: false })
        }
        [None, None, None] => Err(LineError::Form {
            what: "one of --stdio, --sse and --streamableHttp is needed".to_owned(),
            hint: "for example linkspan supergateway --stdio \"uvx mcp-server-git\"",
        }),
        _ => Err(LineError::Form {
            what: "only one of --stdio, --sse and --streamableHttp is possible".to_owned(),
            hint: "leave the others out",
        }),
    }
}

fn network(
    given: &Given,
    text: &str,
    output: Option<&str>,
    notes: &mut Vec<Note>,
) -> Result<Network, LineError> {
    let Some((command, is_shell)) = command::words(text) else {
        return Err(wrong("--stdio", "a command"));
    };
    if is_shell {
        notes.push(Note::Remark(
            "the command of --stdio runs in a shell".to_owned(),
        ));
    }
    let path = |flag, default: &str| {
        let path = given.value(flag).unwrap_or(default);
        let plain = |b: u8| b.is_ascii_graphic() && !b"?#%".contains(&b);
        if path.starts_with('/') && path.bytes().all(plain) {
            Ok(path.to_owned())
        } else {
            Err(wrong(
                flag,
                "a path that begins with / and has no spaces, ?, # or %",
            ))
        }
    };
    let message_path = path("--messagePath", "/message")?;
    let sessions = sessions(given, notes)?;
    let output = match output.unwrap_or("sse") {
        "sse" => Output::Sse {
            base_url: given.value("--baseUrl").unwrap_or_default().to_owned(),
            path: path("--ssePath", "/sse")?,
            message_path,
        },
        "ws" => Output::Ws { path: message_path },
        "streamableHttp" => Output::StreamableHttp {
            path: path("--streamableHttpPath", "/mcp")?,
            sessions,
            version: given
                .value("--protocolVersion")
                .unwrap_or("2024-11-05")
                .to_owned(),
        },
        _ => {
            return Err(LineError::Form {
                what: "stdio to stdio is not possible".to_owned(),
                hint: "run the command itself, or linkspan connect -- COMMAND",
            });
        }
    };
    unused(given, &output, notes);
    let port = given.value("--port").unwrap_or("8000");
    let host = given.value("--host").map(|host| match host {
        "localhost" => Ok(Ipv4Addr::LOCALHOST.into()),
        other => other.parse().map_err(|_| wrong("--host", "an IP address")),
    });
    if host.is_none() {
        let what = "listening on all addresses without authentication, as supergateway does; \
                    --host 127.0.0.1 admits this machine only";
        notes.push(Note::Remark(what.to_owned()));
    }
    Ok(Network {
        command,
        output,
        port: port
            .parse()
            .map_err(|_| wrong("--port", "a port from 0 to 65535"))?,
        host: host.transpose()?,
        cors: cors(given, notes),
        health: given.list("--healthEndpoint"),
    })
}

/// The origins of web pages that may call.
fn cors(given: &Given, notes: &mut Vec<Note>) -> Vec<String> {
    let mut cors = given.list("--cors");
    if given.has("--cors") && cors.is_empty() {
        cors.push("*".to_owned());
    }
    let is_broken = |origin: &String| expression(origin).is_some_and(|it| Regex::new(it).is_err());
    if cors.iter().any(is_broken) {
        notes.push(Note::Ignored {
            flag: "--cors".to_owned(),
            takes: "origins, or /expressions/ without lookaround and backreferences",
        });
    }
    cors
}

/// Sessions of Streamable HTTP, with the time after which they end.
fn sessions(given: &Given, notes: &mut Vec<Note>) -> Result<Option<Duration>, LineError> {
    let is_stateful = given.is_set("--stateful");
    let Some(text) = given.value("--sessionTimeout") else {
        return Ok(is_stateful.then_some(IDLE));
    };
    let millis: Option<f64> = text.parse().ok().filter(|millis| *millis > 0.0);
    let limit = millis.and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok());
    let limit = limit.ok_or(wrong(
        "--sessionTimeout",
        "a positive number of milliseconds",
    ))?;
    if !is_stateful {
        no_effect(notes, "--sessionTimeout", "it belongs to --stateful");
    }
    Ok(is_stateful.then_some(limit))
}

/// Notes on flags that belong to other outputs.
fn unused(given: &Given, output: &Output, notes: &mut Vec<Note>) {
    let (others, why): (&[&str], _) = match output {
        Output::Sse { .. } => (
            &["--streamableHttpPath", "--stateful"],
            "it belongs to --outputTransport streamableHttp",
        ),
        Output::Ws { .. } => (
            &[
                "--streamableHttpPath",
                "--stateful",
                "--baseUrl",
                "--ssePath",
                "--header",
            ],
            "the output is a WebSocket",
        ),
        Output::StreamableHttp { .. } => (
            &["--baseUrl", "--ssePath", "--messagePath"],
            "the output is Streamable HTTP",
        ),
    };
    for flag in others.iter().filter(|flag| given.has(flag)) {
        no_effect(notes, flag, why);
    }
}

/// As the original does, a line that is no header is left out with a warning that does not show its value.
fn headers(given: &Given, notes: &mut Vec<Note>) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for line in given.list("--header") {
        let pair = line
            .split_once(':')
            .map(|(name, value)| (name.trim(), value.trim()));
        match pair.filter(|(name, value)| !name.is_empty() && !value.is_empty()) {
            Some((name, value)) => {
                headers.retain(|(known, _)| known != name);
                headers.push((name.to_owned(), value.to_owned()));
            }
            None => notes.push(Note::Ignored {
                flag: "--header".to_owned(),
                takes: "`Name: value`",
            }),
        }
    }
    headers
}

fn no_effect(notes: &mut Vec<Note>, flag: &str, why: &'static str) {
    let flag = flag.to_owned();
    notes.push(Note::NoEffect { flag, why });
}

fn wrong(flag: &'static str, takes: &'static str) -> LineError {
    LineError::Value { flag, takes }
}

#[cfg(test)]
mod tests;

//! `linkspan mcp`: the stdio server that an agent starts to reach an MCP server in a chain.
//!
//! Bytes are copied in both directions without being parsed: a message may have any size and arrive in any
//! pieces. It has threads and no runtime, because an agent may start one of these for every call.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::time::Duration;

use clap::Args;
#[cfg(unix)]
use linkspan_conduct::handshake::connect_unix;
use linkspan_conduct::handshake::{ConnectError, SECRET_VARIABLE, connect_tcp};

use crate::exit::{Exit, Failure, warn};

const HELP: &str = "\
Not meant to be typed: `linkspan conduct` puts this command into the list of MCP servers that it gives
to an agent. It copies stdin to the conductor, and the conductor's answers to stdout. The environment
variable LINKSPAN_MCP_TOKEN holds the secret for the connection.

Exit codes: 0 the conductor closed the connection or the agent stopped reading, 2 the secret is
missing, 3 nothing listens at ENDPOINT, 4 the program that listens there is not the conductor, or the
connection broke. It does not reconnect: an MCP session cannot be resumed on a new connection, so the
agent has to start the server again. The secret stays valid as long as the ACP session.

Example of what an agent is given:
  {\"name\":\"sparkle\",\"command\":\"/usr/bin/linkspan\",
    \"args\":[\"mcp\",\"/run/user/1000/linkspan-x/mcp\"],
    \"env\":[{\"name\":\"LINKSPAN_MCP_TOKEN\",\"value\":\"…\"}]}
It runs: linkspan mcp /run/user/1000/linkspan-x/mcp";

/// Bytes that are copied at once.
const BUFFER: usize = 64 * 1024;

// `linkspan mcp`
#[derive(Debug, Args)]
#[command(after_long_help = crate::help_text::reflow(HELP))]
pub(crate) struct McpArgs {
    /// Where the conductor listens: the path of a socket, or a port of this machine
    #[arg(value_name = "ENDPOINT")]
    pub(crate) endpoint: String,
}

pub(crate) fn run(args: &McpArgs) -> Result<Exit, Failure> {
    let secret = std::env::var(SECRET_VARIABLE)
        .ok()
        .filter(|secret| !secret.is_empty());
    let Some(secret) = secret else {
        return Err(Failure::usage(format!("{SECRET_VARIABLE} is not set"))
            .hint("the conductor gives it to the agent in `env`, which the agent must pass on"));
    };
    if let Ok(port) = args.endpoint.parse::<u16>() {
        let stream = connect_tcp(port, &secret)?;
        let writer = stream.try_clone().map_err(ConnectError::from)?;
        return copy_both(stream, writer, |writer| writer.shutdown(Shutdown::Write));
    }
    #[cfg(unix)]
    {
        let stream = connect_unix(&args.endpoint, &secret)?;
        let writer = stream.try_clone().map_err(ConnectError::from)?;
        copy_both(stream, writer, |writer| writer.shutdown(Shutdown::Write))
    }
    #[cfg(not(unix))]
    Err(Failure::usage(format!("`{}` is not a port", args.endpoint))
        .hint("this system has no Unix sockets"))
}

/// Copies both ways until the conductor has closed its side.
fn copy_both<S>(
    mut from: S,
    mut to: S,
    half_close: impl FnOnce(&S) -> io::Result<()> + Send + 'static,
) -> Result<Exit, Failure>
where
    S: Read + Write + Send + 'static,
{
    std::thread::spawn(move || {
        // If the conductor has closed the connection, the other direction gets the error.
        let _ = copy(&mut stdin(), &mut to);
        let _ = half_close(&to);
    });
    let copied = copy(&mut from, &mut stdout());
    match copied {
        Ok(0) => {
            warn(
                "the conductor has closed the connection without a word; its session may have ended",
            );
            Ok(Exit::Ok)
        }
        Ok(_) | Err(CopyError::Write) => Ok(Exit::Ok),
        Err(CopyError::Read(e)) => Err(ConnectError::from(e).into()),
    }
}

enum CopyError {
    Read(io::Error),
    /// The reader has closed its end.
    Write,
}

/// Copies until the end; gives the number of bytes.
fn copy(from: &mut impl Read, to: &mut impl Write) -> Result<u64, CopyError> {
    let mut buffer = vec![0; BUFFER];
    let mut copied = 0;
    loop {
        let read = match blocking(|| from.read(&mut buffer)) {
            Ok(0) => return Ok(copied),
            Ok(read) => read,
            Err(e) => return Err(CopyError::Read(e)),
        };
        let mut rest = &buffer[..read];
        while !rest.is_empty() {
            match blocking(|| to.write(rest)) {
                Ok(written) if written > 0 => rest = &rest[written..],
                _ => return Err(CopyError::Write),
            }
        }
        if blocking(|| to.flush()).is_err() {
            return Err(CopyError::Write);
        }
        copied += read as u64;
    }
}

/// Tries again while a descriptor is not ready: the parent may have made stdin and stdout non-blocking.
fn blocking<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(1));
            }
            done => return done,
        }
    }
}

/// Without a buffer of its own if possible.
#[cfg(unix)]
fn stdin() -> Box<dyn Read> {
    use std::os::fd::AsFd;
    match io::stdin().as_fd().try_clone_to_owned() {
        Ok(fd) => Box::new(std::fs::File::from(fd)),
        Err(_) => Box::new(io::stdin()),
    }
}

#[cfg(unix)]
fn stdout() -> Box<dyn Write> {
    use std::os::fd::AsFd;
    match io::stdout().as_fd().try_clone_to_owned() {
        Ok(fd) => Box::new(std::fs::File::from(fd)),
        Err(_) => Box::new(io::stdout()),
    }
}

#[cfg(not(unix))]
fn stdin() -> Box<dyn Read> {
    Box::new(io::stdin())
}

#[cfg(not(unix))]
fn stdout() -> Box<dyn Write> {
    Box::new(io::stdout())
}

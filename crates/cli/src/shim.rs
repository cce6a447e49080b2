//! `linkspan mcp`: what an agent starts in place of an MCP server that lives in a chain.
//!
//! Two copies of bytes, one for each direction, and nothing that reads them: a message may have any
//! size and arrive in any pieces. Plain threads and no runtime, because an agent may start one of these
//! for every call.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use clap::Args;

use crate::conduct::bridge::{Key, TOKEN, hex, nonce, proof_of_client, proof_of_server};
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

/// How long the conductor may take until it listens.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time between the first two attempts to connect; it doubles up to a limit.
const PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
const BUFFER: usize = 64 * 1024;

// `linkspan mcp`
#[derive(Debug, Args)]
#[command(after_long_help = crate::help_text::reflow(HELP))]
pub(crate) struct ShimArgs {
    /// Where the conductor listens: the path of a socket, or a port of this machine
    #[arg(value_name = "ENDPOINT")]
    pub(crate) endpoint: String,
}

pub(crate) fn run(args: &ShimArgs) -> Result<Exit, Failure> {
    let secret = std::env::var(TOKEN)
        .ok()
        .filter(|secret| !secret.is_empty());
    let Some(secret) = secret else {
        return Err(Failure::usage(format!("{TOKEN} is not set"))
            .hint("the conductor gives it to the agent in `env`, which the agent must pass on"));
    };
    if let Ok(port) = args.endpoint.parse::<u16>() {
        let mut stream = retry(&args.endpoint, || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port))
        })?;
        let _ = stream.set_nodelay(true);
        prove(&mut stream, &secret).map_err(|e| {
            Failure::new(
                Exit::Broken,
                format!("port {port} is not our conductor: {e}"),
            )
            .hint("its session may have ended, or another program has taken the port")
        })?;
        let writer = stream.try_clone().map_err(broken)?;
        return converse(stream, writer, |writer| writer.shutdown(Shutdown::Write));
    }
    #[cfg(unix)]
    {
        let mut stream = retry(&args.endpoint, || UnixStream::connect(&args.endpoint))?;
        stream
            .write_all(format!("{secret}\n").as_bytes())
            .map_err(broken)?;
        let writer = stream.try_clone().map_err(broken)?;
        converse(stream, writer, |writer| writer.shutdown(Shutdown::Write))
    }
    #[cfg(not(unix))]
    Err(Failure::usage(format!("`{}` is not a port", args.endpoint))
        .hint("this system has no Unix sockets"))
}

/// Connects, though the conductor may not be there yet.
fn retry<S>(endpoint: &str, connect: impl Fn() -> io::Result<S>) -> Result<S, Failure> {
    let began = Instant::now();
    let mut pause = PAUSE;
    loop {
        match connect() {
            Ok(stream) => return Ok(stream),
            Err(_) if began.elapsed() < PATIENCE => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            Err(e) => {
                return Err(Failure::new(
                    Exit::Unreachable,
                    format!("no conductor listens at {endpoint}: {e}"),
                )
                .hint("its session may have ended; a new session has a new endpoint"));
            }
        }
    }
}

/// Shows the conductor that we know the secret, and is shown the same; nobody else learns it.
fn prove(stream: &mut TcpStream, secret: &str) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let key = Key::of(secret);
    let ours = nonce().ok_or_else(|| io::Error::other("no randomness"))?;
    let (ours, theirs) = (hex(&ours), line(stream)?);
    let proof = proof_of_client(&key, &theirs, &ours).to_hex();
    stream.write_all(format!("{ours} {proof}\n").as_bytes())?;
    let answer = blake3::Hash::from_hex(line(stream)?).map_err(io::Error::other)?;
    if answer != proof_of_server(&key, &theirs, &ours) {
        return Err(io::Error::other("it does not know the secret"));
    }
    stream.set_read_timeout(None)
}

/// A line of digits. Byte by byte: what follows it is not ours to read.
fn line(stream: &mut TcpStream) -> io::Result<String> {
    let mut line = String::new();
    let mut byte = [0];
    while line.len() < 128 {
        stream.read_exact(&mut byte)?;
        match byte[0] {
            b'\n' => return Ok(line),
            other => line.push(other.into()),
        }
    }
    Err(io::Error::other("it says something else"))
}

/// Copies both ways until the conductor has closed its side.
fn converse<S>(
    mut from: S,
    mut to: S,
    half_close: impl FnOnce(&S) -> io::Result<()> + Send + 'static,
) -> Result<Exit, Failure>
where
    S: Read + Write + Send + 'static,
{
    std::thread::spawn(move || {
        // If the conductor takes no more, the other direction sees why.
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
        Ok(_) | Err(Broke::Writing) => Ok(Exit::Ok),
        Err(Broke::Reading(e)) => Err(broken(e)),
    }
}

enum Broke {
    Reading(io::Error),
    /// Nobody reads it any more.
    Writing,
}

/// Copies to the end; gives how much it was.
fn copy(from: &mut impl Read, to: &mut impl Write) -> Result<u64, Broke> {
    let mut buffer = vec![0; BUFFER];
    let mut copied = 0;
    loop {
        let read = match patiently(|| from.read(&mut buffer)) {
            Ok(0) => return Ok(copied),
            Ok(read) => read,
            Err(e) => return Err(Broke::Reading(e)),
        };
        let mut rest = &buffer[..read];
        while !rest.is_empty() {
            match patiently(|| to.write(rest)) {
                Ok(written) if written > 0 => rest = &rest[written..],
                _ => return Err(Broke::Writing),
            }
        }
        if patiently(|| to.flush()).is_err() {
            return Err(Broke::Writing);
        }
        copied += read as u64;
    }
}

/// Whoever started us may have made our stdin and stdout such that they do not wait.
fn patiently<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
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

fn broken(why: io::Error) -> Failure {
    Failure::new(
        Exit::Broken,
        format!("the connection to the conductor broke: {why}"),
    )
    .hint("it is not reconnected: start the server again; if the conductor has ended, start a new session")
}

/// Without a buffer of its own, where that can be had.
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

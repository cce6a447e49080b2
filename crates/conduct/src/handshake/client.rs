//! The client's half of the handshake. It blocks: `linkspan mcp` has threads and no async runtime.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::secret::{Key, client_proof, nonce, server_proof};

/// How long the conductor may take to listen, and to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time between the first two attempts to connect; it doubles up to a limit.
const PAUSE: Duration = Duration::from_millis(10);
const MAX_PAUSE: Duration = Duration::from_millis(500);
/// The longest line of the handshake.
const MAX_LINE: usize = 128;

/// Why there is no connection to the conductor.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The endpoint does not accept connections.
    #[error("no conductor listens at {endpoint}: {source}")]
    NoListener {
        /// The path of the socket, or the port.
        endpoint: String,
        /// The system's error.
        source: io::Error,
    },
    /// The endpoint is not a port, and the system has no Unix sockets.
    #[error("`{0}` is not a port")]
    NotAPort(String),
    /// The listening program does not prove that it is the conductor.
    #[error("port {port} does not belong to the conductor: {source}")]
    NotTheConductor {
        /// The port.
        port: u16,
        /// Why the proof failed.
        source: io::Error,
    },
    /// The connection broke.
    #[error("the connection to the conductor broke: {0}")]
    Broken(#[from] io::Error),
}

impl ConnectError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoListener { .. } => {
                "its session may have ended; a new session has a new endpoint"
            }
            Self::NotAPort(_) => "this system has no Unix sockets",
            Self::NotTheConductor { .. } => {
                "its session may have ended, or another program has taken the port"
            }
            Self::Broken(_) => {
                "it is not reconnected: start the server again; if the conductor has ended, start a new session"
            }
        }
    }
}

/// Connects to a port of this machine; both sides prove that they know the secret.
pub fn connect_tcp(port: u16, secret: &str) -> Result<TcpStream, ConnectError> {
    let mut stream = retry(&port.to_string(), || {
        TcpStream::connect((Ipv4Addr::LOCALHOST, port))
    })?;
    let _ = stream.set_nodelay(true);
    let proven = prove(&mut stream, secret);
    proven.map_err(|source| ConnectError::NotTheConductor { port, source })?;
    Ok(stream)
}

/// Connects to a private socket, and sends the secret.
#[cfg(unix)]
pub fn connect_unix(path: &str, secret: &str) -> Result<UnixStream, ConnectError> {
    let mut stream = retry(path, || UnixStream::connect(path))?;
    stream.write_all(format!("{secret}\n").as_bytes())?;
    Ok(stream)
}

/// Connects; the conductor may not listen yet.
fn retry<S>(endpoint: &str, connect: impl Fn() -> io::Result<S>) -> Result<S, ConnectError> {
    let began = Instant::now();
    let mut pause = PAUSE;
    loop {
        match connect() {
            Ok(stream) => return Ok(stream),
            Err(_) if began.elapsed() < PATIENCE => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(MAX_PAUSE);
            }
            Err(source) => {
                return Err(ConnectError::NoListener {
                    endpoint: endpoint.to_owned(),
                    source,
                });
            }
        }
    }
}

/// Proves to the conductor that we know the secret, and checks its proof.
fn prove(stream: &mut TcpStream, secret: &str) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let key = Key::of(secret);
    let ours = nonce().ok_or_else(|| io::Error::other("no randomness"))?;
    let theirs = read_line(stream)?;
    let proof = client_proof(&key, &theirs, &ours).to_hex();
    stream.write_all(format!("{ours} {proof}\n").as_bytes())?;
    let answer = blake3::Hash::from_hex(read_line(stream)?).map_err(io::Error::other)?;
    if answer != server_proof(&key, &theirs, &ours) {
        return Err(io::Error::other("it does not know the secret"));
    }
    stream.set_read_timeout(None)
}

/// Reads a line. Byte by byte: the bytes after the line belong to MCP.
fn read_line(stream: &mut TcpStream) -> io::Result<String> {
    let mut line = String::new();
    let mut byte = [0];
    while line.len() < MAX_LINE {
        stream.read_exact(&mut byte)?;
        match byte[0] {
            b'\n' => return Ok(line),
            other => line.push(other.into()),
        }
    }
    Err(io::Error::other("its answer is not part of the handshake"))
}

//! The door of `linkspan mcp`: one listener for all declarations; the secret tells which one is meant.

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use linkspan_acp::carrier::{self, revoked};
use linkspan_ports::stream;
use linkspan_session::{Envelope, Inbound, Outbound, Port};
use linkspan_wire::{Kind, Limits, RpcError};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::BridgeOptions;
use super::book::{Book, Entry, Found};
use super::keys::{Key, hex, nonce, proof_of_client, proof_of_server};
use super::lobby::Lobby;
#[cfg(unix)]
use super::private::{PrivateSocket, is_ours};
use crate::conduct::args::TransportArg;

/// Connections at once that have shown a secret, over all declarations.
const CONNECTIONS: usize = 256;
/// Connections at once that are told why they are refused.
const REFUSALS: usize = 64;
/// What it takes at most to say it.
const LONGEST: usize = 256;
/// How long to wait when the system has no socket left for us.
const BREATHER: Duration = Duration::from_millis(100);
/// How long a refused connection may be silent before it is closed, and how long it is answered at all.
const REGRETS: Duration = Duration::from_secs(2);
const REFUSAL: Duration = Duration::from_secs(30);

/// Listens until it is dropped.
pub(super) struct Listener {
    endpoint: String,
    accepting: AbortHandle,
    /// Goes with this.
    #[cfg(unix)]
    _socket: Option<PrivateSocket>,
}

/// Who a connection is handed to.
#[derive(Clone)]
struct Reception {
    book: Arc<Book>,
    limits: Limits,
    introduction: Duration,
    lobby: Lobby,
    places: Arc<Semaphore>,
    refusals: Arc<Semaphore>,
}

impl Listener {
    pub(super) fn open(options: BridgeOptions, book: &Arc<Book>) -> io::Result<Self> {
        let reception = Reception {
            book: book.clone(),
            limits: options.limits,
            introduction: options.introduction,
            lobby: Lobby::default(),
            places: Arc::new(Semaphore::new(CONNECTIONS)),
            refusals: Arc::new(Semaphore::new(REFUSALS)),
        };
        match options.transport {
            TransportArg::Tcp => Self::tcp(reception),
            #[cfg(unix)]
            TransportArg::Auto | TransportArg::Unix => Self::unix(reception),
            #[cfg(not(unix))]
            TransportArg::Auto => Self::tcp(reception),
            #[cfg(not(unix))]
            TransportArg::Unix => Err(io::Error::other("this system has no Unix sockets")),
        }
    }

    #[cfg(unix)]
    fn unix(reception: Reception) -> io::Result<Self> {
        let (socket, listener) = PrivateSocket::bind()?;
        let endpoint = socket.path().to_owned();
        let accepting = tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) if is_ours(&stream) => {
                        let (reader, writer) = tokio::io::split(stream);
                        tokio::spawn(reception.clone().meet(reader, writer, Proof::Shown));
                    }
                    Ok(_) => tracing::warn!("another user wanted to reach an MCP server"),
                    Err(e) => breathe(&e).await,
                }
            }
        });
        Ok(Self {
            endpoint,
            accepting: accepting.abort_handle(),
            _socket: Some(socket),
        })
    }

    fn tcp(reception: Reception) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let endpoint = listener.local_addr()?.port().to_string();
        let accepting = tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        let (reader, writer) = split(stream);
                        tokio::spawn(reception.clone().meet(reader, writer, Proof::Proven));
                    }
                    Err(e) => breathe(&e).await,
                }
            }
        });
        Ok(Self {
            endpoint,
            accepting: accepting.abort_handle(),
            #[cfg(unix)]
            _socket: None,
        })
    }

    /// What `linkspan mcp` is called with.
    pub(super) fn endpoint(&self) -> &str {
        &self.endpoint
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn split(stream: TcpStream) -> (ReadHalf<TcpStream>, WriteHalf<TcpStream>) {
    // Messages are small and somebody waits for each of them.
    let _ = stream.set_nodelay(true);
    tokio::io::split(stream)
}

async fn breathe(why: &io::Error) {
    tracing::warn!("cannot accept a connection of the agent: {why}");
    tokio::time::sleep(BREATHER).await;
}

/// How a secret is presented.
#[derive(Clone, Copy)]
enum Proof {
    /// As the first line: nobody else can reach the socket.
    Shown,
    /// By answering a challenge.
    Proven,
}

impl Reception {
    async fn meet<R, W>(self, mut reader: R, mut writer: W, proof: Proof)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let mut visit = self.lobby.enter();
        let introduction = self.introduce(&mut reader, &mut writer, proof);
        let introduced = tokio::select! {
            introduced = timeout(self.introduction, introduction) => introduced.ok().flatten(),
            () = visit.has_to_go() => None,
        };
        drop(visit);
        let Some((found, rest)) = introduced else {
            // The peer is not told why.
            tracing::warn!("a connection to the MCP bridge has not shown a valid secret");
            return;
        };
        let front = stream(
            "the agent's MCP client",
            io::Cursor::new(rest).chain(reader),
            writer,
            self.limits,
        );
        match found {
            Found::Valid(entry, _) => self.admit(front, &entry).await,
            Found::Stale(_) => self.refuse(front, &revoked()).await,
        }
    }

    /// Serves a connection if there is room for it.
    async fn admit(&self, front: Port, entry: &Entry) {
        let place = self.places.try_acquire();
        let of_entry = entry.places.try_acquire();
        match (place, of_entry) {
            (Ok(_place), Ok(_of_entry)) => serve(front, entry).await,
            (_, Err(_)) => {
                let most = entry.most_connections();
                tracing::warn!("more than {most} connections to one MCP server");
                self.refuse(front, &crowded(most, "one MCP server of a session"))
                    .await;
            }
            (Err(_), Ok(_)) => {
                tracing::warn!("more than {CONNECTIONS} connections to MCP servers of this chain");
                self.refuse(front, &crowded(CONNECTIONS, "the MCP servers of one chain"))
                    .await;
            }
        }
    }

    /// Answers every request with this error, for a limited time, and closes.
    async fn refuse(&self, front: Port, why: &RpcError) {
        match self.refusals.try_acquire() {
            Ok(_place) => {
                let _ = timeout(REFUSAL, regret(front, why)).await;
            }
            // Too many of them to be told.
            Err(_) => front.close().await,
        }
    }

    /// Whose secret is presented, and what was said after it.
    async fn introduce(
        &self,
        reader: &mut (impl AsyncRead + Unpin),
        writer: &mut (impl AsyncWrite + Unpin),
        proof: Proof,
    ) -> Option<(Found, Vec<u8>)> {
        let mut rest = Vec::new();
        if let Proof::Shown = proof {
            let secret = line(reader, &mut rest).await?;
            let shown = Key::of(&secret);
            return Some((self.book.find(|key| *key == shown)?, rest));
        }
        let ours = hex(&nonce()?);
        writer
            .write_all(format!("{ours}\n").as_bytes())
            .await
            .ok()?;
        let said = line(reader, &mut rest).await?;
        let (theirs, proof) = said.split_once(' ')?;
        let proof = blake3::Hash::from_hex(proof).ok()?;
        let fits = |key: &Key| proof_of_client(key, &ours, theirs) == proof;
        let found = self.book.find(fits)?;
        let (Found::Valid(_, key) | Found::Stale(key)) = &found;
        let answer = proof_of_server(key, &ours, theirs).to_hex();
        writer
            .write_all(format!("{answer}\n").as_bytes())
            .await
            .ok()?;
        Some((found, rest))
    }
}

/// The next line; what came with it stays in `rest`.
async fn line(reader: &mut (impl AsyncRead + Unpin), rest: &mut Vec<u8>) -> Option<String> {
    let mut buffer = [0; LONGEST];
    loop {
        if let Some(end) = rest.iter().take(LONGEST).position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            let line = String::from_utf8(line).ok()?;
            return Some(line.trim_end().to_owned());
        }
        if rest.len() >= LONGEST {
            return None;
        }
        match reader.read(&mut buffer).await {
            Ok(read) if read > 0 => rest.extend_from_slice(&buffer[..read]),
            _ => return None,
        }
    }
}

/// Joins a client to its server in the chain, until one of them has gone. The carrier ends the session when
/// the declaration is revoked: it knows which requests wait.
async fn serve(front: Port, entry: &Entry) {
    let Some(bridge) = entry.bridge() else {
        return front.close().await;
    };
    entry.shown();
    bridge.serve(front, ended(entry)).await;
}

/// Resolves a moment after the declaration was revoked: the carrier still answers who waits.
async fn ended(entry: &Entry) {
    entry.revoked().await;
    tokio::time::sleep(REGRETS).await;
}

/// Answers every request with this error, until none comes for a while.
async fn regret(mut front: Port, why: &RpcError) {
    while let Ok(Some(inbound)) = timeout(REGRETS, front.rx.recv()).await {
        if let Inbound::Message(envelope) = inbound
            && let (Kind::Request, Some(id)) = (envelope.msg.kind(), envelope.msg.id())
        {
            let answer = Outbound::One(Envelope::new(why.answer(&id)));
            let Ok(Ok(())) = timeout(REGRETS, front.tx.send(answer)).await else {
                break;
            };
        }
    }
    front.close().await;
}

/// More connections than there may be.
fn crowded(most: usize, what: &str) -> RpcError {
    carrier::too_many_connections(format!("{what} may have {most} connections at once"))
}

//! The endpoint of `linkspan mcp`: one listener for all declarations; the secret selects the declaration.

use std::io;
use std::net::Ipv4Addr;
#[cfg(unix)]
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linkspan_acp::carrier::{self, revoked};
use linkspan_ports::stream;
use linkspan_session::{Envelope, Inbound, Outbound, Port};
use linkspan_wire::{Kind, Limits, RpcError};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::declarations::{Declaration, Declarations, Found, MAX_CONNECTIONS};
#[cfg(unix)]
use super::private_socket::{PrivateSocket, is_ours};
use super::unproven::UnprovenConnections;
use super::{BridgeOptions, BridgeTransport};
use crate::handshake::{Key, Transport, identify};

/// Connections of all declarations at once.
const MAX_ALL_CONNECTIONS: usize = 256;
/// Refused connections that are answered at once.
const MAX_REFUSED: usize = 64;
/// The delay after a failed accept.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long a refused connection may be idle before it is closed, and its maximum duration.
const REFUSED_SILENCE: Duration = Duration::from_secs(2);
const REFUSED_TIME: Duration = Duration::from_secs(30);

/// Listens until it is dropped.
pub(super) struct Listener {
    endpoint: String,
    accepting: AbortHandle,
    /// Removed with the listener.
    #[cfg(unix)]
    _socket: Option<PrivateSocket>,
}

/// Serves accepted connections.
#[derive(Clone)]
struct Acceptor {
    declarations: Arc<Declarations>,
    limits: Limits,
    secret_timeout: Duration,
    unproven: UnprovenConnections,
    connections: Arc<Semaphore>,
    refused: Arc<Semaphore>,
}

impl Listener {
    pub(super) fn open(
        options: &BridgeOptions,
        limits: Limits,
        declarations: &Arc<Declarations>,
    ) -> io::Result<Self> {
        let acceptor = Acceptor {
            declarations: declarations.clone(),
            limits,
            secret_timeout: options.secret_timeout,
            unproven: UnprovenConnections::default(),
            connections: Arc::new(Semaphore::new(MAX_ALL_CONNECTIONS)),
            refused: Arc::new(Semaphore::new(MAX_REFUSED)),
        };
        match options.transport {
            BridgeTransport::Tcp => Self::tcp(acceptor),
            #[cfg(unix)]
            BridgeTransport::Auto | BridgeTransport::Unix => {
                Self::unix(acceptor, &options.socket_folders)
            }
            #[cfg(not(unix))]
            BridgeTransport::Auto => Self::tcp(acceptor),
            #[cfg(not(unix))]
            BridgeTransport::Unix => Err(io::Error::other("this system has no Unix sockets")),
        }
    }

    #[cfg(unix)]
    fn unix(acceptor: Acceptor, folders: &[PathBuf]) -> io::Result<Self> {
        let (socket, listener) = PrivateSocket::bind(folders)?;
        let endpoint = socket.path().to_owned();
        let accepting = tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) if is_ours(&stream) => {
                        let (reader, writer) = tokio::io::split(stream);
                        tokio::spawn(acceptor.clone().serve(
                            reader,
                            writer,
                            Transport::PrivateSocket,
                        ));
                    }
                    Ok(_) => {
                        tracing::warn!("refused a connection of another user to an MCP server")
                    }
                    Err(e) => pause(&e).await,
                }
            }
        });
        Ok(Self {
            endpoint,
            accepting: accepting.abort_handle(),
            _socket: Some(socket),
        })
    }

    fn tcp(acceptor: Acceptor) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let endpoint = listener.local_addr()?.port().to_string();
        let accepting = tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        let (reader, writer) = split(stream);
                        tokio::spawn(acceptor.clone().serve(reader, writer, Transport::Tcp));
                    }
                    Err(e) => pause(&e).await,
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

    /// The argument of `linkspan mcp`.
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
    // Messages are small, and each should arrive at once.
    let _ = stream.set_nodelay(true);
    tokio::io::split(stream)
}

async fn pause(why: &io::Error) {
    tracing::warn!("cannot accept a connection of the agent: {why}");
    tokio::time::sleep(ACCEPT_PAUSE).await;
}

impl Acceptor {
    async fn serve<R, W>(self, mut reader: R, mut writer: W, transport: Transport)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let mut unproven = self.unproven.add();
        let find = |fits: &dyn Fn(&Key) -> bool| self.declarations.find(fits);
        let identified = identify(transport, &mut reader, &mut writer, find);
        let identified = tokio::select! {
            identified = timeout(self.secret_timeout, identified) => identified.ok().flatten(),
            () = unproven.evicted() => None,
        };
        drop(unproven);
        let Some((found, rest)) = identified else {
            // The peer is not told the reason.
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
            Found::Valid(declaration) => self.admit(front, &declaration).await,
            Found::Revoked => self.refuse(front, &revoked()).await,
        }
    }

    /// Serves a connection unless there are too many.
    async fn admit(&self, front: Port, declaration: &Declaration) {
        let one_of_all = self.connections.try_acquire();
        let one_of_declaration = declaration.connections.try_acquire();
        let (most, what) = match (one_of_all, one_of_declaration) {
            (Ok(_held), Ok(_also_held)) => return join(front, declaration).await,
            (_, Err(_)) => {
                tracing::warn!("more than {MAX_CONNECTIONS} connections to one MCP server");
                (MAX_CONNECTIONS, "one MCP server of a session")
            }
            (Err(_), Ok(_)) => {
                tracing::warn!(
                    "more than {MAX_ALL_CONNECTIONS} connections to MCP servers of this chain"
                );
                (MAX_ALL_CONNECTIONS, "the MCP servers of one chain")
            }
        };
        let why = format!("{what} may have {most} connections at once");
        self.refuse(front, &carrier::too_many_connections(why))
            .await;
    }

    /// Answers every request with this error, for a limited time, then closes the connection.
    async fn refuse(&self, front: Port, why: &RpcError) {
        match self.refused.try_acquire() {
            Ok(_held) => {
                let _ = timeout(REFUSED_TIME, answer_all(front, why)).await;
            }
            Err(_) => front.close().await,
        }
    }
}

/// Joins a client to its server in the chain until one of them ends. The carrier ends the session when the
/// declaration is revoked, because it knows the pending requests.
async fn join(front: Port, declaration: &Declaration) {
    let Some(bridge) = declaration.bridge() else {
        return front.close().await;
    };
    declaration.log_connection();
    bridge.serve(front, ended(declaration)).await;
}

/// Resolves some time after the declaration is revoked: the carrier answers pending requests meanwhile.
async fn ended(declaration: &Declaration) {
    declaration.revoked().await;
    tokio::time::sleep(REFUSED_SILENCE).await;
}

/// Answers every request with this error, until the connection is idle.
async fn answer_all(mut front: Port, why: &RpcError) {
    while let Ok(Some(inbound)) = timeout(REFUSED_SILENCE, front.rx.recv()).await {
        if let Inbound::Message(envelope) = inbound
            && let (Kind::Request, Some(id)) = (envelope.msg.kind(), envelope.msg.id())
        {
            let answer = Outbound::One(Envelope::new(why.answer(&id)));
            let Ok(Ok(())) = timeout(REFUSED_SILENCE, front.tx.send(answer)).await else {
                break;
            };
        }
    }
    front.close().await;
}

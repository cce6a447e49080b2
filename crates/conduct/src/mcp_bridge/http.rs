//! A declaration as an HTTP server on this machine: a listener of its own, a random path, and a token.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use linkspan_acp::carrier::Life;
use linkspan_bridge::{Backend, Bridge};
use linkspan_ports::{FrontOptions, Token};
use linkspan_wire::Limits;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::handshake::Secret;

/// Sessions of one declaration at once.
const MAX_SESSIONS: usize = 64;
/// How long pending requests may take after the declaration is revoked.
const DRAIN: Duration = Duration::from_secs(1);

/// Serves until the declaration is revoked.
pub(super) fn open(
    server: Backend,
    path: &str,
    secret: &Secret,
    limits: Limits,
    mut life: watch::Receiver<Life>,
) -> io::Result<SocketAddr> {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let address = listener.local_addr()?;
    let defaults = FrontOptions::default();
    let options = FrontOptions {
        path: path.to_owned(),
        token: Some(Token::parse(secret.text()).ok_or_else(|| io::Error::other("no token"))?),
        limits,
        max_sessions: MAX_SESSIONS,
        max_in_flight: MAX_SESSIONS * 4,
        drain: DRAIN,
        ..defaults
    };
    let bridge = Bridge::new(server).serve_http(listener, options);
    let bridge = bridge.map_err(io::Error::other)?;
    tokio::spawn(async move {
        let revoked = async {
            let _ = life.wait_for(|life| life.revoked).await;
        };
        bridge.run(revoked).await;
    });
    Ok(address)
}

//! Accepting connections and handing requests to the right era.

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use crate::builder::Kind;
use crate::conn::Conn;
use crate::request::Request;
use crate::state::Shared;
use crate::{legacy, modern, sse};

/// What to do with a request and its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The server answers as usual.
    Pass,
    /// Answered; the connection may carry another request.
    Done,
    /// The connection is closed now.
    Close,
}

impl Flow {
    /// `Done` where the answer could be written, else `Close`.
    pub fn written(result: std::io::Result<()>) -> Self {
        if result.is_ok() {
            Self::Done
        } else {
            Self::Close
        }
    }
}

pub(crate) fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for socket in listener.incoming() {
        if shared.with(|state| state.stopped) {
            return;
        }
        let Ok(socket) = socket else { continue };
        let shared = Arc::clone(shared);
        thread::spawn(move || connection(socket, &shared));
    }
}

fn connection(socket: TcpStream, shared: &Arc<Shared>) {
    // A failure would only make the test slower.
    let _ = socket.set_nodelay(true);
    let socket = Arc::new(socket);
    let stopped = shared.with(|state| {
        state.sockets.retain(|old| old.strong_count() > 0);
        state.sockets.push(Arc::downgrade(&socket));
        state.stopped
    });
    let mut conn = Conn::new(socket, Arc::clone(shared));
    if stopped {
        return;
    }
    while let Ok(Some(request)) = conn.read_request() {
        let request = Arc::new(request);
        shared.with(|state| state.log.push(Arc::clone(&request)));
        if handle(&request, &mut conn, shared) == Flow::Close {
            return;
        }
    }
}

fn handle(request: &Arc<Request>, conn: &mut Conn, shared: &Arc<Shared>) -> Flow {
    if let Some(hook) = &shared.config.hook {
        let flow = hook(request, conn);
        if flow != Flow::Pass {
            return flow;
        }
    }
    match shared.config.kind {
        Kind::Legacy => legacy::handle(request, conn, shared),
        Kind::Sse => sse::handle(request, conn, shared),
        Kind::Modern => modern::handle(request, conn, shared),
    }
}

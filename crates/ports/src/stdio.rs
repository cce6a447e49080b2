//! Our own standard input and output as a port.

#[cfg(target_os = "linux")]
mod fast;

use linkspan_session::{Budget, Port};
use linkspan_wire::Limits;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{QUEUE, lines};

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// Opens stdin and stdout. The peer is the program that started us.
pub fn stdio(limits: Limits) -> Port {
    let (port, mut end) = Port::pair("the client", QUEUE);
    let budget = Budget::new(limits.max_bytes());
    let (reader, writer) = (stdin(), stdout());
    let (to_session, last_word) = (end.tx, end.last_word);
    tokio::spawn(async move {
        if let Err(e) = lines::read(reader, &to_session, last_word, limits, &budget).await {
            tracing::debug!("stdin: {e}");
        }
    });
    tokio::spawn(async move {
        if let Err(e) = lines::write(writer, &mut end.rx).await {
            // Nobody reads any more; the session sees its queue closed.
            tracing::debug!("stdout: {e}");
        }
        drop(end.done);
    });
    port
}

#[cfg(target_os = "linux")]
fn stdin() -> Reader {
    fast::reader().unwrap_or_else(|| Box::new(tokio::io::stdin()))
}

#[cfg(target_os = "linux")]
fn stdout() -> Writer {
    fast::writer().unwrap_or_else(|| Box::new(tokio::io::stdout()))
}

#[cfg(not(target_os = "linux"))]
fn stdin() -> Reader {
    Box::new(tokio::io::stdin())
}

#[cfg(not(target_os = "linux"))]
fn stdout() -> Writer {
    Box::new(tokio::io::stdout())
}

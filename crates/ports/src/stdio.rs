//! Our own standard input and output as a port.

#[cfg(target_os = "linux")]
mod fast;

use linkspan_session::Port;
use linkspan_wire::Limits;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::framing::Framing;
use crate::{QUEUE, lines};

type Reader = Box<dyn AsyncRead + Send + Unpin>;
type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// Opens stdin and stdout. The peer is the program that started us.
pub fn stdio(limits: Limits) -> Port {
    let (port, mut end) = Port::pair("the client", QUEUE);
    let budget = lines::budget(limits);
    let framing = Framing::client(limits);
    let (reader, writer) = (stdin(), stdout());
    let (to_session, last_word) = (end.tx, end.last_word);
    tokio::spawn(async move {
        let read = lines::read(reader, &to_session, last_word, framing, &budget, hung_up);
        if let Err(e) = read.await {
            tracing::debug!("stdin: {e}");
        }
    });
    tokio::spawn(async move {
        if let Err(e) = lines::write(writer, &mut end.rx, None).await {
            // stdout is closed; the session sees its queue closed.
            tracing::debug!("stdout: {e}");
        }
        drop(end.done);
    });
    port
}

/// Our stdin and stdout, for callers that build their own port.
pub fn stdio_parts() -> (
    impl AsyncRead + Send + Unpin + 'static,
    impl AsyncWrite + Send + Unpin + 'static,
) {
    (stdin(), stdout())
}

/// Resolves when stdin ends, if it is a pipe or a socket: then the program that started us has ended. What it sends is
/// discarded.
pub async fn stdin_closed() {
    if !is_from_a_program() {
        return std::future::pending().await;
    }
    let _ = tokio::io::copy(&mut stdin(), &mut tokio::io::sink()).await;
}

#[cfg(unix)]
fn is_from_a_program() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    let stdin = std::io::stdin().as_fd().try_clone_to_owned();
    let metadata = stdin.and_then(|stdin| std::fs::File::from(stdin).metadata());
    metadata.is_ok_and(|it| it.file_type().is_fifo() || it.file_type().is_socket())
}

#[cfg(not(unix))]
fn is_from_a_program() -> bool {
    false
}

/// Whether the other end of stdin is closed.
#[cfg(unix)]
fn hung_up() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = std::io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::empty())];
    let at_once = Timespec::default();
    poll(&mut fds, Some(&at_once)).is_ok() && fds[0].revents().contains(PollFlags::HUP)
}

/// Whether the other end of stdin is closed.
#[cfg(not(unix))]
fn hung_up() -> bool {
    false
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

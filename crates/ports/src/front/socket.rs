//! A client's socket, which must not be stuck.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::connections::Connection;
use crate::byte_stream::ByteStream;

/// How long a connection may be silent before TCP keep-alives are sent.
const SILENT: Duration = Duration::from_secs(60);
const ASK_EVERY: Duration = Duration::from_secs(15);

/// At least this much has to be written within the limit, unless less is left: a peer that takes single bytes would
/// keep megabytes waiting for hours.
const STRIDE: usize = 64 * 1024;

/// A socket that fails if its peer reads too slowly: a client that has stopped reading would keep its queued data for
/// ever.
pub(super) struct Socket {
    stream: TokioIo<ByteStream>,
    /// Notified of received bytes.
    connection: Option<Arc<Connection>>,
    limit: Duration,
    stuck: Option<Pin<Box<Sleep>>>,
    /// Bytes that were written since the socket is stuck.
    taken: usize,
}

impl Socket {
    pub(super) fn new(stream: ByteStream, limit: Duration) -> Self {
        let prepared = match &stream {
            ByteStream::Tcp(stream) => prepare(stream, limit),
            #[cfg(unix)]
            ByteStream::Unix(_) => Ok(()),
        };
        if let Err(e) = prepared {
            tracing::debug!("cannot set the options of a socket: {e}");
        }
        Self {
            stream: TokioIo::new(stream),
            connection: None,
            limit,
            stuck: None,
            taken: 0,
        }
    }

    /// Notifies `connection` of received bytes.
    pub(super) fn of(mut self, connection: &Arc<Connection>) -> Self {
        self.connection = Some(Arc::clone(connection));
        self
    }

    fn watch(
        &mut self,
        cx: &mut Context<'_>,
        wrote: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(wrote) = wrote {
            self.taken += *wrote.as_ref().unwrap_or(&0);
            if self.taken >= STRIDE {
                self.go_on();
            }
            return Poll::Ready(wrote);
        }
        let limit = self.limit;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(limit)));
        stuck
            .as_mut()
            .poll(cx)
            .map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    fn go_on(&mut self) {
        self.stuck = None;
        self.taken = 0;
    }
}

fn prepare(stream: &TcpStream, limit: Duration) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new()
        .with_time(SILENT)
        .with_interval(ASK_EVERY);
    socket.set_tcp_keepalive(&keepalive)?;
    // Keep-alives are not sent while data is unacknowledged.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    socket.set_tcp_user_timeout(Some(limit))?;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = limit;
    Ok(())
}

impl Read for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        // The end of the input counts as well: the connection is about to close.
        if read.is_ready()
            && let Some(connection) = &self.connection
        {
            connection.heard();
        }
        read
    }
}

impl Write for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.watch(cx, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.watch(cx, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A flush means that nothing is left to write.
        self.go_on();
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;
    use tokio::time::advance;

    /// How long a peer is borne that takes so much every second.
    async fn borne(taken: usize) -> Option<u32> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await;
        let mut socket = Socket::new(ByteStream::Tcp(stream.unwrap()), Duration::from_secs(60));
        let mut cx = Context::from_waker(std::task::Waker::noop());
        tokio::time::pause();
        for second in 0..1000 {
            if socket.watch(&mut cx, Poll::Pending).is_ready() {
                return Some(second);
            }
            let _ = socket.watch(&mut cx, Poll::Ready(Ok(taken)));
            advance(Duration::from_secs(1)).await;
        }
        None
    }

    #[tokio::test]
    async fn a_peer_that_reads_single_bytes_is_cut_off() {
        assert!(borne(1).await.is_some_and(|seconds| seconds <= 61));
    }

    #[tokio::test]
    async fn a_slow_peer_is_borne() {
        assert_eq!(borne(2000).await, None);
    }
}

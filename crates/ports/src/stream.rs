//! Any pair of byte streams with lines of JSON on it as a port: a socket, for example.

use linkspan_session::{Budget, Port};
use linkspan_wire::Limits;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use crate::framing::Framing;
use crate::{QUEUE, lines};

/// Reads messages from `reader` and writes them to `writer`. The end of `reader` ends the session's input; the end of
/// the session closes the writer, and nothing more is read.
pub fn stream(
    name: impl Into<String>,
    reader: impl AsyncRead + Send + Unpin + 'static,
    mut writer: impl AsyncWrite + Send + Unpin + 'static,
    limits: Limits,
) -> Port {
    let (port, mut end) = Port::pair(name, QUEUE);
    let (to_session, last_word) = (end.tx, end.last_word);
    let reading = async move {
        let budget = Budget::new(limits.max_bytes());
        let framing = Framing::client(limits);
        let read = lines::read(reader, &to_session, last_word, framing, &budget, || false);
        if let Err(e) = read.await {
            tracing::debug!("a stream broke: {e}");
        }
    };
    tokio::spawn(async move {
        let writing = async {
            let written = lines::write(&mut writer, &mut end.rx, None).await;
            if let Err(e) = written {
                tracing::debug!("the reader of a stream is gone: {e}");
                return;
            }
            let _ = writer.shutdown().await;
        };
        tokio::pin!(writing);
        tokio::select! {
            // A peer that has closed its sending half is still owed answers.
            () = reading => writing.await,
            () = &mut writing => {}
        }
        drop(end.done);
    });
    port
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_session::{Envelope, Inbound, Outbound};
    use linkspan_wire::Message;
    use tokio::io::AsyncReadExt;

    const LINE: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n";

    fn port() -> (Port, tokio::io::DuplexStream) {
        let (ours, theirs) = tokio::io::duplex(64);
        let (reader, writer) = tokio::io::split(ours);
        (stream("a peer", reader, writer, Limits::default()), theirs)
    }

    #[tokio::test]
    async fn lines_become_messages_and_messages_lines() {
        let (mut port, mut peer) = port();
        peer.write_all(LINE.as_bytes()).await.unwrap();
        let Some(Inbound::Message(envelope)) = port.rx.recv().await else {
            panic!("no message")
        };
        port.tx.send(Outbound::One(envelope)).await.unwrap();
        let mut came = vec![0; LINE.len()];
        peer.read_exact(&mut came).await.unwrap();
        assert_eq!(came, LINE.as_bytes());
    }

    #[tokio::test]
    async fn a_peer_that_has_closed_its_side_still_gets_answers() {
        let (mut port, peer) = port();
        let (mut hears, mut says) = tokio::io::split(peer);
        says.shutdown().await.unwrap();
        assert!(port.rx.recv().await.is_none(), "its side has ended");
        let note = Envelope::new(Message::notification("a", None));
        port.tx.send(Outbound::One(note)).await.unwrap();
        drop(port.tx);
        let mut all = String::new();
        hears.read_to_string(&mut all).await.unwrap();
        assert_eq!(all, LINE);
    }

    #[tokio::test]
    async fn a_session_that_ends_closes_the_stream_though_the_peer_is_silent() {
        let (port, mut peer) = port();
        drop(port.tx);
        let _ = port.done.await;
        assert_eq!(peer.read(&mut [0; 8]).await.unwrap(), 0);
    }
}

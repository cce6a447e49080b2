//! Stands at a door: stdin and stdout as a port, line by line.

use std::time::Duration;

use bytes::Bytes;
use linkspan_session::{Envelope, Inbound, Outbound, Port, PortEnd};
use linkspan_wire::{Limits, Line, Lines, Message};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::{Door, Step};

/// Envelopes that may wait in each queue of the port.
const QUEUE: usize = 64;

/// Opens a port to a client behind a door. `patience` is how long a client that has asked us to end may
/// take to leave.
pub fn port(
    door: Door,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    limits: Limits,
    patience: Duration,
) -> Port {
    let (port, end) = Port::pair("the client", QUEUE);
    let (lines_in, lines) = mpsc::channel(QUEUE);
    tokio::spawn(read(reader, lines_in, limits));
    tokio::spawn(stand(door, lines, writer, end, patience));
    port
}

/// Reads lines until the client has gone or nobody wants more.
async fn read(
    mut reader: impl AsyncRead + Send + Unpin,
    lines_in: mpsc::Sender<Bytes>,
    limits: Limits,
) {
    let mut lines = Lines::new(limits);
    loop {
        while let Some(line) = lines.next() {
            if lines_in.send(text(line)).await.is_err() {
                return;
            }
        }
        let read = tokio::select! {
            read = reader.read_buf(lines.buffer()) => read,
            () = lines_in.closed() => return,
        };
        if !read.is_ok_and(|n| n > 0) {
            break;
        }
    }
    if let Some(line) = lines.finish() {
        let _ = lines_in.send(text(line)).await;
    }
}

/// A line that is too long is one that nobody can read.
fn text(line: Line) -> Bytes {
    match line {
        Line::Text(text) => text,
        Line::TooLarge(why) => {
            tracing::warn!("{why}");
            Bytes::from_static(b"too large")
        }
    }
}

async fn stand(
    mut door: Door,
    mut lines: mpsc::Receiver<Bytes>,
    mut writer: impl AsyncWrite + Send + Unpin,
    end: PortEnd,
    patience: Duration,
) {
    let PortEnd {
        tx,
        mut rx,
        last_word,
        done,
    } = end;
    let mut tx = Some(tx);
    let mut last_word = Some(last_word);
    let mut until: Option<Instant> = None;
    loop {
        let open = tx.is_some();
        let steps = tokio::select! {
            line = lines.recv(), if open => match line {
                Some(line) => door.from_client(&String::from_utf8_lossy(&line)),
                None => vec![Step::Close],
            },
            outbound = rx.recv() => match outbound {
                Some(Outbound::One(envelope)) => door.from_server(&envelope.msg.text()),
                // The door takes batches apart, so nobody answers one.
                Some(Outbound::Array(_)) => Vec::new(),
                None => break,
            },
            () = late(until), if open => vec![Step::Close],
        };
        if door.is_leaving() && until.is_none() {
            until = Some(Instant::now() + patience);
        }
        for step in steps {
            match step {
                Step::ToClient(line) => {
                    if write(&mut writer, &line).await.is_err() {
                        // Nobody reads any more.
                        return;
                    }
                }
                Step::ToServer(line) => {
                    if let (Some(tx), Ok(msg)) = (&tx, Message::parse(line.into())) {
                        let _ = tx.send(Inbound::Message(Envelope::new(msg))).await;
                    }
                }
                Step::Close => {
                    tx = None;
                    last_word = None;
                    lines.close();
                }
            }
        }
    }
    drop((last_word, done));
}

async fn late(until: Option<Instant>) {
    match until {
        Some(until) => sleep_until(until).await,
        None => std::future::pending().await,
    }
}

async fn write(writer: &mut (impl AsyncWrite + Unpin), line: &str) -> std::io::Result<()> {
    let mut whole = Vec::with_capacity(line.len() + 1);
    whole.extend_from_slice(line.as_bytes());
    whole.push(b'\n');
    writer.write_all(&whole).await?;
    writer.flush().await
}

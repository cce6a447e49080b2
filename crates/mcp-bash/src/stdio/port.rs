//! Stdin and stdout as a port, line by line.

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use linkspan_session::{Envelope, Inbound, Outbound, Port, PortEnd};
use linkspan_wire::{Kind, Limits, Line, Lines, Message};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::{Lifetime, StdioFront, Step};

/// Capacity of each queue of the port, in envelopes.
const QUEUE: usize = 64;

/// Opens a port to the client on stdin and stdout. `patience` is how long a client may keep the connection open
/// after `shutdown`; `lifetime` decides when the port closes by itself.
pub fn port(
    front: StdioFront,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    limits: Limits,
    patience: Duration,
    lifetime: Lifetime,
) -> Port {
    let (port, end) = Port::pair("the client", QUEUE);
    let (lines_in, lines) = mpsc::channel(QUEUE);
    tokio::spawn(read(reader, lines_in, limits));
    let alone = orphaned(lifetime.orphan);
    tokio::spawn(relay(front, lines, writer, end, patience, lifetime, alone));
    port
}

/// Resolves when the parent process has ended; polls it.
fn orphaned(every: Option<Duration>) -> impl Future<Output = ()> + Send {
    use crate::os::parent_id;

    let parent = parent_id();
    async move {
        // A process without a parent cannot lose it.
        let Some(every) = every.filter(|_| parent != 1) else {
            return std::future::pending().await;
        };
        while parent_id() == parent {
            tokio::time::sleep(every).await;
        }
        tracing::info!("mcp-bash: the parent process {parent} has ended");
    }
}

/// Reads lines until the client closes its side or the receiver is dropped.
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

/// A line that is too long counts as invalid JSON.
fn text(line: Line) -> Bytes {
    match line {
        Line::Text(text) => text,
        Line::TooLarge(why) => {
            tracing::warn!("{why}");
            Bytes::from_static(b"too large")
        }
    }
}

async fn relay(
    mut front: StdioFront,
    mut lines: mpsc::Receiver<Bytes>,
    mut writer: impl AsyncWrite + Send + Unpin,
    end: PortEnd,
    patience: Duration,
    lifetime: Lifetime,
    alone: impl Future<Output = ()>,
) {
    tokio::pin!(alone);
    let PortEnd {
        tx,
        mut rx,
        last_word,
        done,
    } = end;
    let mut server = ServerSide::new(tx, last_word);
    let mut until: Option<Instant> = None;
    let mut heard = Instant::now();
    let mut orphan = false;
    loop {
        let open = server.open.is_some();
        let is_quiet = server.owed.0.is_empty();
        let idle = lifetime.idle.filter(|_| is_quiet);
        let idle = idle.map(|silence| heard + silence);
        // A client that still sends messages is alive, even if the process that started us has ended.
        let left = lifetime.orphan.filter(|_| orphan && is_quiet);
        let left = left.map(|silence| heard + silence);
        let steps = tokio::select! {
            line = lines.recv(), if open => match line {
                Some(line) => {
                    heard = Instant::now();
                    front.from_client(&String::from_utf8_lossy(&line))
                }
                None => vec![Step::Close],
            },
            outbound = rx.recv() => match outbound {
                Some(Outbound::One(envelope)) => {
                    if server.owed.answered(&envelope.msg) {
                        heard = Instant::now();
                    }
                    front.from_server(&envelope.msg.text())
                }
                // The front splits batches, so there are no answers to a batch.
                Some(Outbound::Array(_)) => Vec::new(),
                None => break,
            },
            () = late(idle), if open => {
                let seconds = lifetime.idle.unwrap_or_default().as_secs();
                tracing::warn!("mcp-bash: idle timeout after {seconds}s with no client activity; exiting");
                vec![Step::Close]
            }
            () = late(until), if open => vec![Step::Close],
            () = late(left), if open => vec![Step::Close],
            () = &mut alone, if open && !orphan => {
                orphan = true;
                Vec::new()
            }
        };
        if front.is_shutting_down() && until.is_none() {
            until = Some(Instant::now() + patience);
        }
        for step in steps {
            match step {
                Step::ToClient(line) => {
                    let written = write(&mut writer, &line).await;
                    // The client may have closed stdout.
                    let Ok(()) = written else { return };
                }
                Step::ToServer(line) => server.pass(line).await,
                Step::Close => {
                    server.open = None;
                    lines.close();
                }
            }
        }
    }
    drop((server, done));
}

/// The connection to the server.
struct ServerSide {
    /// The sender and the last word of the port, until the client may send no more.
    open: Option<(mpsc::Sender<Inbound>, oneshot::Sender<()>)>,
    owed: Owed,
}

impl ServerSide {
    fn new(tx: mpsc::Sender<Inbound>, last_word: oneshot::Sender<()>) -> Self {
        Self {
            open: Some((tx, last_word)),
            owed: Owed::default(),
        }
    }

    async fn pass(&mut self, line: String) {
        if let (Some((tx, _)), Ok(msg)) = (&self.open, Message::parse(line.into())) {
            self.owed.asked(&msg);
            let _ = tx.send(Inbound::Message(Envelope::new(msg))).await;
        }
    }
}

/// The ids of requests of the client that are neither answered nor cancelled.
#[derive(Default)]
struct Owed(HashSet<String>);

impl Owed {
    /// Records a message to the server.
    fn asked(&mut self, msg: &Message) {
        match msg.kind() {
            Kind::Request => {
                let id = msg.id().map(|id| id.text().to_owned());
                self.0.extend(id);
            }
            Kind::Notification if msg.method() == "notifications/cancelled" => {
                let id = msg.params().and_then(|params| params.get("requestId"));
                if let Some(id) = id {
                    self.0.remove(id.text());
                }
            }
            _ => {}
        }
    }

    /// Records a message of the server; returns whether it answers a request.
    fn answered(&mut self, msg: &Message) -> bool {
        let id = msg.id().filter(|_| msg.is_answer());
        id.is_some_and(|id| self.0.remove(id.text()))
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vars;
    use linkspan_scripts::folder::ServerInfo;
    use serde_json::{Value, json};

    fn silent_after(seconds: u64) -> (Port, tokio::io::DuplexStream) {
        let info = ServerInfo {
            shown: json!({}),
            instructions: None,
            metadata: Value::Null,
        };
        let front = StdioFront::new(&Vars::default(), info).unwrap();
        let (client, ours) = tokio::io::duplex(4096);
        let (reader, writer) = tokio::io::split(ours);
        let lifetime = Lifetime {
            idle: Some(Duration::from_secs(seconds)),
            orphan: None,
        };
        let patience = Duration::from_secs(5);
        let port = port(front, reader, writer, Limits::default(), patience, lifetime);
        (port, client)
    }

    #[test]
    fn cancelled_requests_do_not_delay_the_close() {
        let message = |text: &'static str| Message::parse(text.into()).unwrap();
        let mut owed = Owed::default();
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":"1","method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
        ] {
            owed.asked(&message(line));
        }
        assert_eq!(owed.0.len(), 2);
        owed.asked(&message(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        ));
        let mut answered = |line: &'static str| owed.answered(&message(line));
        assert!(!answered(
            r#"{"jsonrpc":"2.0","id":"1","method":"roots/list"}"#
        ));
        assert!(!answered(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        assert!(answered(r#"{"jsonrpc":"2.0","id":"1","result":{}}"#));
        assert!(owed.0.is_empty());
    }

    const HELLO: &[u8] =
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}\n";

    #[tokio::test(start_paused = true)]
    async fn an_idle_connection_is_closed() {
        let (mut port, _client) = silent_after(2);
        let begun = Instant::now();
        assert!(port.rx.recv().await.is_none());
        assert_eq!(begun.elapsed().as_secs(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pending_request_prevents_the_idle_close() {
        let (mut port, mut client) = silent_after(2);
        client.write_all(HELLO).await.unwrap();
        assert!(port.rx.recv().await.is_some());
        let more = tokio::time::timeout(Duration::from_secs(100), port.rx.recv());
        assert!(more.await.is_err(), "it was left while it waited");
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned();
        let answer = Message::parse(answer.into()).unwrap();
        port.tx
            .send(Outbound::One(Envelope::new(answer)))
            .await
            .unwrap();
        assert!(port.rx.recv().await.is_none());
    }
}

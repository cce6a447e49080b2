//! Newline-delimited JSON over any pair of byte streams.

use std::io;

use bytes::BytesMut;
use linkspan_session::{Budget, Inbound, Outbound, now, sleep_until};
use linkspan_wire::{Limits, Line, Lines};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Duration, sleep};

use crate::framing::Framing;
use crate::owed::Shared;

const READ: usize = 64 * 1024;
/// The buffer grows when less than this is free.
const LEAST: usize = 4 * 1024;
/// Pieces above this are written as they are instead of being copied together.
const LARGE: usize = 16 * 1024;

/// How often to check whether the peer has closed its end.
const LOOK: Duration = Duration::from_millis(500);
/// How much is read ahead of a session that takes no more, to notice the end.
const AHEAD: usize = 256 * 1024;

/// Limits the bytes that a reader has read and the session has not taken yet.
pub(crate) fn budget(limits: Limits) -> Budget {
    match limits.ahead() {
        Some(bytes) => Budget::strict(bytes),
        None => Budget::new(limits.max_bytes()),
    }
}

/// Reads until the stream ends or the session is closed. `last_word` is dropped at the end of the stream, though the
/// session may not have taken all of it yet; `hung_up` says whether the writer has closed its end. `other` gets the
/// beginning of each line that is not JSON-RPC.
pub(crate) async fn read(
    mut from: impl AsyncRead + Unpin,
    to: &mpsc::Sender<Inbound>,
    last_word: oneshot::Sender<()>,
    mut framing: Framing,
    budget: &Budget,
    hung_up: impl Fn() -> bool,
) -> io::Result<()> {
    let mut lines = Lines::new(framing.limits());
    let mut last_word = Some(last_word);
    loop {
        let buffer = lines.buffer();
        if buffer.capacity() - buffer.len() < LEAST {
            // Queued messages share the old block, so this allocates a new one; `READ` is large enough that this is
            // rare.
            buffer.reserve(READ);
        }
        let wake = framing.next_wake();
        let mut read = tokio::select! {
            biased;
            read = from.read_buf(lines.buffer()) => read?,
            () = sleep_until(wake), if wake.is_some() => {
                for inbound in framing.on_time(now()) {
                    if to.send(inbound).await.is_err() {
                        return Ok(());
                    }
                }
                continue;
            }
        };
        while let Some(line) = framing.line(&mut lines) {
            let forwarding = forward(line, &mut framing, to, budget);
            tokio::pin!(forwarding);
            let went = loop {
                let full = lines.buffer().len() > AHEAD;
                tokio::select! {
                    biased;
                    went = &mut forwarding => break went,
                    more = from.read_buf(lines.buffer()), if read > 0 && !full => {
                        read = more?;
                        if read == 0 {
                            last_word = None;
                        }
                    }
                    // The buffer is full before the end of the input, but the writer may have closed its end.
                    () = sleep(LOOK), if full && last_word.is_some() => {
                        if hung_up() {
                            last_word = None;
                        }
                    }
                }
            };
            if !went {
                return Ok(());
            }
        }
        if read == 0 {
            drop(last_word);
            if let Some(line) = lines.finish() {
                forward(line, &mut framing, to, budget).await;
            }
            if let Some(inbound) = framing.end(now()) {
                let _ = to.send(inbound).await;
            }
            return Ok(());
        }
    }
}

/// Passes the frames of a line to the session; `false` if it is closed.
async fn forward(
    line: Line,
    framing: &mut Framing,
    to: &mpsc::Sender<Inbound>,
    budget: &Budget,
) -> bool {
    framing.push(line);
    while let Some(mut inbound) = framing.next(now()) {
        if let Inbound::Message(envelope) = &mut inbound {
            envelope.credit = budget.take(envelope.msg.len()).await;
        }
        if to.send(inbound).await.is_err() {
            return false;
        }
    }
    true
}

/// Writes until the session closes its queue, or the peer its end. `owed` records what is sent.
pub(crate) async fn write(
    mut to: impl AsyncWrite + Unpin,
    from: &mut mpsc::Receiver<Outbound>,
    owed: Option<&Shared>,
) -> io::Result<()> {
    let mut together = BytesMut::new();
    while let Some(first) = from.recv().await {
        // Items that were queued meanwhile are written together.
        let mut next = Some(first);
        while let Some(item) = next {
            if let (Some(owed), Outbound::One(envelope)) = (owed, &item) {
                owed.lock().sent(&envelope.msg);
            }
            for piece in item.on_one_line() {
                if piece.len() > LARGE {
                    write_out(&mut to, &mut together).await?;
                    to.write_all(&piece).await?;
                } else {
                    together.extend_from_slice(&piece);
                }
            }
            together.extend_from_slice(b"\n");
            next = if together.len() < READ {
                from.try_recv().ok()
            } else {
                None
            };
        }
        write_out(&mut to, &mut together).await?;
        to.flush().await?;
    }
    Ok(())
}

async fn write_out(to: &mut (impl AsyncWrite + Unpin), bytes: &mut BytesMut) -> io::Result<()> {
    if !bytes.is_empty() {
        to.write_all(bytes).await?;
        bytes.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkspan_wire::{Id, Message};

    #[tokio::test(start_paused = true)]
    async fn answers_that_end_in_a_bare_cr_are_read_before_the_stream_ends() {
        let owed = Shared::default();
        for hop in 1..=3 {
            let request = Message::request(&Id::number(hop), "tools/call", None);
            owed.lock().sent(&request);
        }
        let (mut server, ours) = tokio::io::duplex(READ);
        let (to, mut session) = mpsc::channel(8);
        let limits = Limits::default();
        let framing = Framing::server(limits, owed, |_| {});
        tokio::spawn(async move {
            let (last_word, _ended) = oneshot::channel();
            read(ours, &to, last_word, framing, &budget(limits), || false).await
        });
        let answer = |hop| format!(r#"{{"jsonrpc":"2.0","id":{hop},"result":{{}}}}"#);
        let mut heard = async |hop| {
            let next = tokio::time::timeout(LOOK, session.recv()).await;
            let next = next.expect("the answer is not held back");
            let Some(Inbound::Message(envelope)) = next else {
                panic!("{next:?}");
            };
            assert_eq!(envelope.msg.text(), answer(hop));
        };
        let first = format!("{}\r", answer(1));
        server.write_all(first.as_bytes()).await.unwrap();
        heard(1).await;
        let both = format!("{}\r{}\r", answer(2), answer(3));
        server.write_all(both.as_bytes()).await.unwrap();
        heard(2).await;
        heard(3).await;
    }
}

//! `--record`: a transcript of both directions, one JSON object a line.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Instant, SystemTime};

use bytes::Bytes;
use linkspan_session::{Envelope, Layer, Verdict, Way};

use crate::clock::rfc3339;
use crate::exit::Failure;
use crate::mask::Mask;
use crate::written;

/// Messages, and bytes, that may wait for the disk.
const QUEUE: usize = 4096;
const QUEUE_BYTES: usize = 64 << 20;

/// The layer that writes the transcript. It sees what the client sends and what the client gets.
pub(crate) struct Record {
    queue: Option<SyncSender<Entry>>,
    writer: Option<JoinHandle<()>>,
    missed: u64,
    waiting: Arc<AtomicUsize>,
}

struct Entry {
    time: SystemTime,
    way: Way,
    text: Bytes,
    /// Entries that there was no room for just before this one.
    missed: u64,
}

impl Record {
    pub(crate) fn start(path: &Path, mask: Mask) -> Result<Self, Failure> {
        let file = written::open(path)?;
        let (queue, entries) = sync_channel(QUEUE);
        let waiting = Arc::new(AtomicUsize::new(0));
        let taken = Arc::clone(&waiting);
        let writer = std::thread::spawn(move || {
            if let Err(e) = write(file, &entries, &mask, &taken) {
                tracing::warn!("the transcript is not complete: {e}");
            }
        });
        Ok(Self {
            queue: Some(queue),
            writer: Some(writer),
            missed: 0,
            waiting,
        })
    }
}

impl Layer for Record {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        let entry = Entry {
            time: SystemTime::now(),
            way,
            text: envelope.msg.to_bytes(),
            missed: self.missed,
        };
        // A slow disk must not slow the bridge, nor fill its memory; the transcript says what it missed.
        let len = entry.text.len();
        let queue = self.queue.as_ref().filter(|_| {
            let waiting = self.waiting.load(Ordering::Relaxed);
            waiting == 0 || waiting + len <= QUEUE_BYTES
        });
        self.waiting.fetch_add(len, Ordering::Relaxed);
        match queue.map(|queue| queue.try_send(entry)) {
            Some(Ok(())) => self.missed = 0,
            _ => {
                self.waiting.fetch_sub(len, Ordering::Relaxed);
                self.missed += 1;
            }
        }
        Verdict::Pass(envelope)
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(writer) = self.writer.take() {
            written::finish(writer, &self.waiting);
        }
    }
}

fn write(
    file: File,
    entries: &Receiver<Entry>,
    mask: &Mask,
    waiting: &AtomicUsize,
) -> std::io::Result<()> {
    let mut out = BufWriter::new(file);
    while let Ok(first) = entries.recv() {
        let mut next = Some(first);
        while let Some(entry) = next {
            let time = rfc3339(entry.time);
            waiting.fetch_sub(entry.text.len(), Ordering::Relaxed);
            if entry.missed > 0 {
                writeln!(out, r#"{{"time":"{time}","missed":{}}}"#, entry.missed)?;
            }
            let direction = match entry.way {
                Way::ToBack => "client->server",
                Way::ToFront => "server->client",
            };
            let line = linkspan_wire::one_line(entry.text);
            let line = String::from_utf8_lossy(&line);
            let text = mask.apply(&line);
            let text = linkspan_wire::escape_json(&text);
            writeln!(
                out,
                r#"{{"time":"{time}","direction":"{direction}","message":{text}}}"#
            )?;
            next = entries.try_recv().ok();
        }
        out.flush()?;
    }
    Ok(())
}

/// A file that only its owner can read.
#[cfg(unix)]
pub(crate) fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

/// A file that only its owner can read.
#[cfg(not(unix))]
pub(crate) fn private(_: &mut OpenOptions) {}

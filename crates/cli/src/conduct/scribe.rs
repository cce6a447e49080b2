//! Writes lines to a file in the order in which they come, without holding anybody up.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::written;

/// Lines, and bytes, that may wait for the disk.
const QUEUE: usize = 4096;
const QUEUE_BYTES: usize = 16 << 20;

/// A file and the thread that writes it.
pub(crate) struct Scribe {
    queue: Option<SyncSender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    waiting: Arc<AtomicUsize>,
    /// Lines that there was no room for.
    missed: u64,
}

impl Scribe {
    pub(crate) fn start(file: File, what: &'static str) -> Self {
        let (queue, lines) = sync_channel(QUEUE);
        let waiting = Arc::new(AtomicUsize::new(0));
        let taken = Arc::clone(&waiting);
        let writer = std::thread::spawn(move || {
            if let Err(e) = write(file, &lines, &taken) {
                tracing::warn!("the {what} is not complete: {e}");
            }
        });
        Self {
            queue: Some(queue),
            writer: Some(writer),
            waiting,
            missed: 0,
        }
    }

    /// One line, without its end. A slow disk loses lines, and the next one says how many.
    pub(crate) fn line(&mut self, line: String, missed: impl Fn(u64) -> String) {
        let mut text = line.into_bytes();
        text.push(b'\n');
        if self.missed > 0 {
            let mut note = missed(self.missed).into_bytes();
            note.push(b'\n');
            note.append(&mut text);
            text = note;
        }
        let len = text.len();
        let before = self.waiting.fetch_add(len, Ordering::Relaxed);
        let room = before == 0 || before + len <= QUEUE_BYTES;
        let sent = match self.queue.as_ref().filter(|_| room) {
            Some(queue) => queue.try_send(text).is_ok(),
            None => false,
        };
        match sent {
            true => self.missed = 0,
            false => {
                self.waiting.fetch_sub(len, Ordering::Relaxed);
                self.missed += 1;
            }
        }
    }
}

impl Drop for Scribe {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(writer) = self.writer.take() {
            written::finish(writer, &self.waiting);
        }
    }
}

fn write(file: File, lines: &Receiver<Vec<u8>>, waiting: &AtomicUsize) -> std::io::Result<()> {
    let mut out = BufWriter::new(file);
    while let Ok(first) = lines.recv() {
        let mut next = Some(first);
        while let Some(line) = next {
            waiting.fetch_sub(line.len(), Ordering::Relaxed);
            out.write_all(&line)?;
            next = lines.try_recv().ok();
        }
        out.flush()?;
    }
    Ok(())
}

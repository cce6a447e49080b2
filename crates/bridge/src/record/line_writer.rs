//! A file that a thread writes, one entry at a time, without blocking the sender.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::output_file::OutputFile;

/// Entries that may wait for the disk.
const QUEUE: usize = 4096;
/// How long the thread may make no progress when the process ends, and its limit overall.
const STALLED: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(1);

/// Where the thread of a [`LineWriter`] puts entries.
pub trait Sink<E> {
    /// Takes an entry, and the number of entries that were dropped before it. An error ends the thread.
    fn write(&mut self, entry: E, missed: u64) -> io::Result<()>;

    /// No entry is waiting.
    fn flush(&mut self) -> io::Result<()>;
}

/// An output file and the thread that writes it. Entries that the disk is too slow for are dropped, and counted.
pub struct LineWriter<E> {
    queue: Option<SyncSender<Entry<E>>>,
    writer: Option<JoinHandle<()>>,
    /// Bytes that the thread has not written yet.
    waiting: Arc<AtomicUsize>,
    most_bytes: usize,
    missed: u64,
}

struct Entry<E> {
    entry: E,
    size: usize,
    /// Entries that were dropped just before this one.
    missed: u64,
}

impl<E: Send + 'static> LineWriter<E> {
    /// `what` names the file in the log. Entries of at most `most_bytes` wait for the disk. `write` gets each entry and
    /// the number of entries that were dropped before it.
    pub fn start(
        file: OutputFile,
        what: &'static str,
        most_bytes: usize,
        write: impl FnMut(&mut dyn Write, E, u64) -> io::Result<()> + Send + 'static,
    ) -> Self {
        let out = BufWriter::new(file);
        Self::start_sink(Lines { out, write }, what, most_bytes)
    }

    /// The same for a sink that has the file.
    pub fn start_sink(
        sink: impl Sink<E> + Send + 'static,
        what: &'static str,
        most_bytes: usize,
    ) -> Self {
        let (queue, entries) = sync_channel(QUEUE);
        let waiting = Arc::new(AtomicUsize::new(0));
        let taken = Arc::clone(&waiting);
        let writer = thread::spawn(move || {
            if let Err(e) = write_all(sink, &entries, &taken) {
                tracing::warn!("the {what} is not complete: {e}");
            }
        });
        Self {
            queue: Some(queue),
            writer: Some(writer),
            waiting,
            most_bytes,
            missed: 0,
        }
    }

    /// Adds an entry of about `size` bytes.
    pub fn push(&mut self, entry: E, size: usize) {
        let before = self.waiting.fetch_add(size, Ordering::Relaxed);
        let fits = before == 0 || before + size <= self.most_bytes;
        let entry = Entry {
            entry,
            size,
            missed: self.missed,
        };
        let queue = self.queue.as_ref().filter(|_| fits);
        if queue.is_some_and(|queue| queue.try_send(entry).is_ok()) {
            self.missed = 0;
        } else {
            self.waiting.fetch_sub(size, Ordering::Relaxed);
            self.missed += 1;
        }
    }
}

impl<E> Drop for LineWriter<E> {
    /// Waits a limited time until everything is written.
    fn drop(&mut self) {
        self.queue = None;
        let Some(writer) = self.writer.take() else {
            return;
        };
        let begun = Instant::now();
        let (mut left, mut moved) = (self.waiting.load(Ordering::Relaxed), begun);
        while !writer.is_finished() {
            let now = self.waiting.load(Ordering::Relaxed);
            if now != left {
                (left, moved) = (now, Instant::now());
            }
            if moved.elapsed() > STALLED || begun.elapsed() > LONGEST {
                return tracing::warn!(
                    "{left} bytes or more were not written: the reader has stopped reading"
                );
            }
            thread::sleep(LOOK);
        }
        let _ = writer.join();
    }
}

struct Lines<W> {
    out: BufWriter<OutputFile>,
    write: W,
}

impl<E, W: FnMut(&mut dyn Write, E, u64) -> io::Result<()>> Sink<E> for Lines<W> {
    fn write(&mut self, entry: E, missed: u64) -> io::Result<()> {
        (self.write)(&mut self.out, entry, missed)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn write_all<E>(
    mut sink: impl Sink<E>,
    entries: &Receiver<Entry<E>>,
    waiting: &AtomicUsize,
) -> io::Result<()> {
    while let Ok(first) = entries.recv() {
        let mut next = Some(first);
        while let Some(entry) = next {
            waiting.fetch_sub(entry.size, Ordering::Relaxed);
            sink.write(entry.entry, entry.missed)?;
            next = entries.try_recv().ok();
        }
        sink.flush()?;
    }
    Ok(())
}

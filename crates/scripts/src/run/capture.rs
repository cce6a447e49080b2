//! Captures the output of a program: in memory while it fits, then in a file.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::spill::{Spills, TIMES, Unfinished};

/// How many bytes of a large output are shown from its beginning and from its end.
const SHOWN: usize = 2 << 10;
/// The size of a write to the file.
const CHUNK: usize = 1 << 20;

/// The output of a program.
#[derive(Debug)]
pub enum Printed {
    /// The complete output.
    Whole(Vec<u8>),
    /// The beginning and the end of a large output.
    Large(Large),
}

/// An output above the limit of an answer.
#[derive(Debug)]
pub struct Large {
    pub(crate) head: Vec<u8>,
    pub(crate) tail: Vec<u8>,
    pub(crate) size: u64,
    /// The URI of the complete output, or why it was not stored.
    pub(crate) kept: Result<String, NotKept>,
    /// Whether the program was ended because its output was too large to store.
    pub(crate) ended: bool,
}

/// Why a large output is not in a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotKept {
    #[error(transparent)]
    Io(io::Error),
    #[error("it could not be written")]
    Lost,
}

/// Collects output.
pub(crate) struct Capture {
    spills: Arc<Spills>,
    most: usize,
    held: Vec<u8>,
    over: Option<Over>,
}

/// The state after the output exceeded the limit.
struct Over {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    size: u64,
    file: Result<Unfinished, NotKept>,
}

impl Capture {
    pub(crate) fn new(spills: Arc<Spills>, most: usize) -> Self {
        Self {
            spills,
            most,
            held: Vec::new(),
            over: None,
        }
    }

    /// Adds output. `false` if no more is accepted and the program has to be ended.
    pub(crate) async fn take(&mut self, bytes: &[u8]) -> bool {
        self.held.extend_from_slice(bytes);
        let Some(over) = &mut self.over else {
            if self.held.len() > self.most {
                let head = self.held[..SHOWN.min(self.held.len())].to_vec();
                let file = self.spills.begin().map_err(NotKept::Io);
                self.over = Some(Over {
                    head,
                    tail: VecDeque::new(),
                    size: self.held.len() as u64,
                    file,
                });
                self.write().await;
            }
            return true;
        };
        over.size += bytes.len() as u64;
        let most = self.most.saturating_mul(TIMES) as u64;
        let goes_on = over.file.is_ok() && over.size <= most;
        if self.held.len() >= CHUNK || !goes_on {
            self.write().await;
        }
        goes_on
    }

    /// Writes the buffer to the file.
    async fn write(&mut self) {
        let Some(over) = &mut self.over else { return };
        let held = std::mem::take(&mut self.held);
        over.tail.extend(&held[held.len().saturating_sub(SHOWN)..]);
        let extra = over.tail.len().saturating_sub(SHOWN);
        over.tail.drain(..extra);
        if over.file.is_err() {
            return;
        }
        let Ok(mut file) = std::mem::replace(&mut over.file, Err(NotKept::Lost)) else {
            return;
        };
        // Writing may block.
        let written = spawn_blocking(move || file.write(&held).map(|()| file)).await;
        over.file = match written {
            Ok(Ok(file)) => Ok(file),
            Ok(Err(e)) => Err(NotKept::Io(e)),
            Err(_) => Err(NotKept::Lost),
        };
    }

    /// The whole output. `ended` tells that the program was ended before its output was complete.
    pub(crate) async fn finish(mut self, ended: bool) -> Printed {
        if self.over.is_none() {
            return Printed::Whole(self.held);
        }
        self.write().await;
        let Some(over) = self.over else {
            return Printed::Whole(Vec::new());
        };
        Printed::Large(Large {
            head: over.head,
            tail: over.tail.into(),
            size: over.size,
            kept: over.file.map(|file| self.spills.keep(file)),
            ended,
        })
    }
}

/// The last bytes of a stream.
#[derive(Debug, Default)]
pub(crate) struct Tail(VecDeque<u8>);

impl Tail {
    const MOST: usize = 4 << 10;

    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(Self::MOST)..];
        let extra = (self.0.len() + bytes.len()).saturating_sub(Self::MOST);
        self.0.drain(..extra);
        self.0.extend(bytes);
    }

    /// The text, from a character boundary on.
    pub(crate) fn text(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().copied().collect();
        let from = bytes
            .iter()
            .take(3)
            .take_while(|b| (**b & 0xC0) == 0x80)
            .count();
        String::from_utf8_lossy(&bytes[from..]).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(most: usize) -> (tempfile::TempDir, Arc<Spills>, Capture) {
        let folder = tempfile::tempdir().unwrap();
        let spills = Arc::new(Spills::new(folder.path().to_owned()));
        let capture = Capture::new(spills.clone(), most);
        (folder, spills, capture)
    }

    #[tokio::test]
    async fn a_failed_store_reports_its_reason() {
        let (folder, _, mut capture) = capture(10);
        folder.close().unwrap();
        assert!(capture.take(&[b'x'; 11]).await);
        assert!(!capture.take(b"y").await);
        let Printed::Large(large) = capture.finish(true).await else {
            panic!("it is too much");
        };
        let why = large.kept.unwrap_err().to_string();
        assert!(why.contains("No such file"), "{why}");
    }

    #[tokio::test]
    async fn what_fits_stays_in_memory() {
        let (folder, _, mut capture) = capture(10);
        assert!(capture.take(b"01234").await && capture.take(b"56789").await);
        let Printed::Whole(bytes) = capture.finish(false).await else {
            panic!("it fits");
        };
        assert_eq!(bytes, b"0123456789");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn large_output_is_stored_and_shown_at_both_ends() {
        let (_folder, spills, mut capture) = capture(10_000);
        let bytes: Vec<u8> = (0..30_000u32).map(|n| (n % 251) as u8).collect();
        for chunk in bytes.chunks(777) {
            assert!(capture.take(chunk).await);
        }
        let Printed::Large(large) = capture.finish(false).await else {
            panic!("it does not fit");
        };
        assert_eq!(large.size, 30_000);
        assert_eq!(large.head, &bytes[..SHOWN]);
        assert_eq!(large.tail, &bytes[30_000 - SHOWN..]);
        let read = spills.read(&large.kept.unwrap()).unwrap().unwrap();
        assert_eq!(read.bytes, bytes);
    }

    #[tokio::test]
    async fn output_above_the_storage_limit_ends_the_program() {
        let (_folder, _, mut capture) = capture(1000);
        let mut taken = 0;
        while capture.take(&[b'x'; 512]).await {
            taken += 512;
            assert!(taken < 100_000, "it takes no end");
        }
    }

    #[tokio::test]
    async fn a_full_disk_still_shows_both_ends() {
        let (folder, _, mut capture) = capture(1000);
        drop(folder);
        assert!(capture.take(&[b'x'; 2000]).await);
        assert!(!capture.take(b"end").await, "there is no place for it");
        let Printed::Large(large) = capture.finish(true).await else {
            panic!("it does not fit");
        };
        assert!(large.kept.is_err());
        assert!(large.tail.ends_with(b"end"));
    }

    #[test]
    fn a_tail_begins_with_a_character() {
        let mut tail = Tail::default();
        tail.take("é".repeat(Tail::MOST).as_bytes());
        tail.take(b"x");
        let text = tail.text();
        assert!(text.starts_with('é') && text.ends_with('x'), "{text:?}");
        assert!(!text.contains('\u{fffd}'));
    }
}

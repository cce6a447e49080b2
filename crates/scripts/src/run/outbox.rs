//! Bytes that a persistent process has not read yet.

use std::io;

use bytes::{Buf, BytesMut};

use crate::os::pipe;

/// Limit of unread answers. A process that asks questions without reading the answers would fill our memory.
pub(super) const MOST_UNREAD: usize = 10_000;

/// Lines for a process, written as fast as it reads.
#[derive(Default)]
pub(crate) struct Outbox {
    bytes: BytesMut,
    answers: usize,
}

impl Outbox {
    /// Adds a line without a limit. The caller has to limit the number of lines.
    pub(crate) fn tell(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
    }

    /// Adds an answer to a question of the process.
    pub(crate) fn answer(&mut self, line: &[u8]) {
        self.answers += 1;
        self.tell(line);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Writes as much as the pipe accepts.
    pub(crate) fn flush(&mut self, stdin: &pipe::Sender) -> io::Result<()> {
        while !self.bytes.is_empty() {
            match stdin.try_write(&self.bytes) {
                Ok(n) => self.bytes.advance(n),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return self.bounded(),
                Err(e) => return Err(e),
            }
        }
        self.answers = 0;
        Ok(())
    }

    fn bounded(&self) -> io::Result<()> {
        if self.answers > MOST_UNREAD {
            Err(io::Error::other(
                "it asks questions without reading the answers",
            ))
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::channel;

    #[tokio::test]
    async fn unread_answers_are_limited_and_read_ones_are_not() {
        let (ours, theirs) = channel::writing().unwrap();
        let reader = std::thread::spawn(move || {
            io::copy(&mut std::fs::File::from(theirs), &mut io::sink()).unwrap()
        });
        let mut outbox = Outbox::default();
        for _ in 0..3 * MOST_UNREAD {
            outbox.answer(b"an answer of some length\n");
            ours.writable().await.unwrap();
            outbox.flush(&ours).unwrap();
        }
        drop(ours);
        reader.join().unwrap();
        let (ours, _unread) = channel::writing().unwrap();
        ours.writable().await.unwrap();
        let refused = (0..2 * MOST_UNREAD).any(|_| {
            outbox.answer(b"an answer of some length\n");
            outbox.flush(&ours).is_err()
        });
        assert!(refused);
    }
}

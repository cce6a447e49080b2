//! Batches of the revision 2025-03-26: split at the front, answered as one array.

use bytes::{BufMut, Bytes, BytesMut};
use linkspan_wire::{IdKey, Message};
use std::collections::HashMap;

/// Batches with missing answers.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    open: HashMap<u64, Open>,
    /// The batch of each request.
    members: HashMap<IdKey, u64>,
    last: u64,
}

#[derive(Debug, Default)]
struct Open {
    waiting: usize,
    answers: Vec<Bytes>,
}

impl Batches {
    /// Opens a batch with `ids` to answer and `answers` that are already known. Returns the whole array at once if no
    /// answer is missing; `None` also if the batch has no answers at all.
    pub(crate) fn open(&mut self, ids: Vec<IdKey>, answers: Vec<Message>) -> Option<Bytes> {
        let mut batch = Open {
            waiting: ids.len(),
            answers: answers.iter().map(Message::to_bytes).collect(),
        };
        if batch.waiting == 0 {
            return batch.close();
        }
        self.last += 1;
        for id in ids {
            self.members.insert(id, self.last);
        }
        self.open.insert(self.last, batch);
        None
    }

    /// Takes an answer that belongs to a batch. `Ok` with the array when it was the last one; `Err` if it belongs to
    /// none.
    pub(crate) fn gather(&mut self, answer: &Message) -> Result<Option<Bytes>, NoBatch> {
        if self.members.is_empty() {
            return Err(NoBatch);
        }
        let key = answer.id().ok_or(NoBatch)?.key();
        let number = self.members.remove(&key).ok_or(NoBatch)?;
        let batch = self.open.get_mut(&number).ok_or(NoBatch)?;
        batch.answers.push(answer.to_bytes());
        batch.waiting -= 1;
        if batch.waiting > 0 {
            return Ok(None);
        }
        Ok(self
            .open
            .remove(&number)
            .and_then(|mut batch| batch.close()))
    }

    /// Removes a cancelled request from its batch.
    pub(crate) fn forget(&mut self, id: &IdKey) -> Option<Bytes> {
        let number = self.members.remove(id)?;
        let batch = self.open.get_mut(&number)?;
        batch.waiting -= 1;
        if batch.waiting > 0 {
            return None;
        }
        self.open.remove(&number)?.close()
    }
}

/// The answer belongs to no batch.
#[derive(Debug)]
pub(crate) struct NoBatch;

impl Open {
    fn close(&mut self) -> Option<Bytes> {
        if self.answers.is_empty() {
            return None;
        }
        let mut out = BytesMut::new();
        for (i, answer) in self.answers.iter().enumerate() {
            out.put_u8(if i == 0 { b'[' } else { b',' });
            out.put_slice(answer);
        }
        out.put_u8(b']');
        Some(out.freeze())
    }
}

//! Memory of another process, read through `/proc`.

use std::fs::File;
use std::os::unix::fs::FileExt;

use rustix::io::Errno;

/// The memory of the calling process.
pub(super) struct Memory(File);

impl Memory {
    pub(super) fn of(thread: u32) -> Result<Self, Errno> {
        let file = File::open(format!("/proc/{thread}/mem"));
        file.map(Self).map_err(|_| Errno::PERM)
    }

    pub(super) fn bytes(&self, at: u64, count: usize) -> Result<Vec<u8>, Errno> {
        let mut bytes = vec![0; count];
        self.0
            .read_exact_at(&mut bytes, at)
            .map_err(|_| Errno::FAULT)?;
        Ok(bytes)
    }

    /// A NUL-terminated string of less than `most` bytes. Read in pieces that end at page boundaries, because
    /// the next page may be unmapped.
    pub(super) fn text(&self, at: u64, most: usize) -> Result<Vec<u8>, Errno> {
        const PAGE: u64 = 4096;
        let mut text = Vec::new();
        while text.len() < most {
            let from = at.checked_add(text.len() as u64).ok_or(Errno::FAULT)?;
            let piece = self.bytes(from, (PAGE - from % PAGE) as usize)?;
            match piece.iter().position(|byte| *byte == 0) {
                Some(end) => {
                    text.extend_from_slice(&piece[..end]);
                    return if text.len() < most {
                        Ok(text)
                    } else {
                        Err(Errno::NAMETOOLONG)
                    };
                }
                None => text.extend_from_slice(&piece),
            }
        }
        Err(Errno::NAMETOOLONG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_up_to_their_nul() {
        let memory = Memory::of(std::process::id()).unwrap();
        let text = c"hello";
        let at = text.as_ptr() as u64;
        assert_eq!(memory.text(at, 100), Ok(b"hello".to_vec()));
        assert_eq!(memory.text(at, 5), Err(Errno::NAMETOOLONG));
        assert_eq!(memory.text(8, 100), Err(Errno::FAULT));
    }
}

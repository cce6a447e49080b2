//! Writes a zip archive. Files are stored uncompressed, with permissions and without times, so the same files
//! give the same archive.

use std::io::{self, Write};

/// 1 January 1980, the earliest date of the format.
const DATE: u16 = 0x0021;
/// Names are UTF-8.
const FLAGS: u16 = 0x0800;
const VERSION: u16 = 20;
/// "Made on Unix", so that permissions are used.
const MADE_BY: u16 = 3 << 8 | VERSION;

/// An archive under construction.
pub(super) struct Zip<W> {
    out: W,
    at: u32,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    mode: u32,
    crc: u32,
    size: u32,
    at: u32,
}

impl<W: Write> Zip<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            at: 0,
            entries: Vec::new(),
        }
    }

    /// Adds a file. `name` has `/` between its folders.
    pub(super) fn file(&mut self, name: &str, mode: u32, bytes: &[u8]) -> io::Result<()> {
        let entry = Entry {
            name: name.to_owned(),
            mode,
            crc: crc32(bytes),
            size: u32::try_from(bytes.len()).map_err(|_| too_large())?,
            at: self.at,
        };
        let mut head = Vec::with_capacity(64);
        head.extend(0x0403_4b50_u32.to_le_bytes());
        entry.common(&mut head)?;
        head.extend(0_u16.to_le_bytes());
        head.extend(name.as_bytes());
        self.write(&head)?;
        self.write(bytes)?;
        self.entries.push(entry);
        Ok(())
    }

    /// Writes the central directory.
    pub(super) fn finish(mut self) -> io::Result<W> {
        let start = self.at;
        for entry in std::mem::take(&mut self.entries) {
            let mut head = Vec::with_capacity(64);
            head.extend(0x0201_4b50_u32.to_le_bytes());
            head.extend(MADE_BY.to_le_bytes());
            entry.common(&mut head)?;
            // No extra field, no comment, the first disk, not a text.
            head.extend([0; 8]);
            head.extend(((0o100_000 | entry.mode) << 16).to_le_bytes());
            head.extend(entry.at.to_le_bytes());
            head.extend(entry.name.as_bytes());
            self.write(&head)?;
            self.entries.push(entry);
        }
        let count = u16::try_from(self.entries.len()).map_err(|_| too_large())?;
        let size = self.at - start;
        let mut end = Vec::with_capacity(22);
        end.extend(0x0605_4b50_u32.to_le_bytes());
        end.extend([0; 4]);
        end.extend(count.to_le_bytes());
        end.extend(count.to_le_bytes());
        end.extend(size.to_le_bytes());
        end.extend(start.to_le_bytes());
        end.extend([0; 2]);
        self.write(&end)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let more = u32::try_from(bytes.len()).map_err(|_| too_large())?;
        self.at = self.at.checked_add(more).ok_or_else(too_large)?;
        self.out.write_all(bytes)
    }
}

impl Entry {
    /// The fields that the local and the central header share, up to the length of the name.
    fn common(&self, head: &mut Vec<u8>) -> io::Result<()> {
        let stored = 0_u16;
        let time = 0_u16;
        let length = u16::try_from(self.name.len()).map_err(|_| too_large())?;
        for number in [VERSION, FLAGS, stored, time, DATE] {
            head.extend(number.to_le_bytes());
        }
        for number in [self.crc, self.size, self.size] {
            head.extend(number.to_le_bytes());
        }
        head.extend(length.to_le_bytes());
        Ok(())
    }
}

fn too_large() -> io::Error {
    io::Error::other("it is too large for a zip archive (4 GiB, 65,535 files)")
}

fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    let step = |crc: u32, byte: &u8| TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8);
    !bytes.iter().fold(!0, step)
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        let mut crc = n as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 {
                0xedb8_8320 ^ (crc >> 1)
            } else {
                crc >> 1
            };
            bit += 1;
        }
        table[n] = crc;
        n += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_crc_32() {
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn the_directory_points_at_every_file() {
        let mut zip = Zip::new(Vec::new());
        zip.file("a/b.sh", 0o755, b"one").unwrap();
        zip.file("é", 0o644, b"").unwrap();
        let bytes = zip.finish().unwrap();
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let end = bytes.len() - 22;
        assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
        let (size, start) = (number(end + 12), number(end + 16));
        assert_eq!(start + size, end);
        let first = start;
        assert_eq!(&bytes[first..first + 4], b"PK\x01\x02");
        assert_eq!(number(first + 38) >> 16, 0o100_755);
        assert_eq!(&bytes[first + 46..first + 52], b"a/b.sh");
        let second = first + 52;
        assert_eq!(&bytes[second..second + 4], b"PK\x01\x02");
        let at = number(second + 42);
        assert_eq!(&bytes[at..at + 4], b"PK\x03\x04");
        assert_eq!(&bytes[at + 30..at + 32], "é".as_bytes());
    }
}

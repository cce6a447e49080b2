//! Reads files of the folder after checking that they are trusted.

use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;

use super::catalogue::{Fix, Severity};
use super::listing::Item;
use super::reader::Reader;
use super::script::Script;
use crate::trust::Distrust;

/// Size limit of a metadata file or a prompt.
const LARGEST: u64 = 1 << 20;
/// Size limit of all of them together.
const TOTAL: u64 = 64 << 20;
/// How many bytes of a program are read at first.
const HEAD: usize = 8 << 10;

impl Reader<'_> {
    pub(super) fn distrust(&self, path: &Path, metadata: &Metadata) -> Option<Distrust> {
        self.trust.judge(path, metadata)
    }

    /// Whether a file or folder is trusted; reports a problem if not.
    pub(super) fn trusted(&mut self, shown: &Path, path: &Path, metadata: &Metadata) -> bool {
        let Some(distrust) = self.distrust(path, metadata) else {
            return true;
        };
        let fix = match distrust {
            Distrust::Writable(_) => Some(Fix::MakePrivate(path.to_owned())),
            Distrust::Foreign(_) => None,
        };
        let problem = self.error(shown, format!("is left out: {distrust}"));
        problem.hint = Some(distrust.hint().to_owned());
        problem.fix = fix;
        false
    }

    /// The text of a small file, without a byte order mark.
    pub(super) fn text(&mut self, item: &Item) -> Option<String> {
        if !self.trusted(&item.shown, &item.path, &item.metadata) {
            return None;
        }
        self.weight += item.metadata.len();
        if item.metadata.len() > LARGEST || self.weight > TOTAL {
            let text = if item.metadata.len() > LARGEST {
                format!("is larger than {} MiB", LARGEST >> 20)
            } else {
                format!("all metadata together is larger than {} MiB", TOTAL >> 20)
            };
            self.error(&item.shown, text);
            return None;
        }
        let mut bytes = Vec::with_capacity(item.metadata.len() as usize);
        let read =
            File::open(&item.path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
        if let Err(error) = read {
            self.error(&item.shown, format!("cannot be read: {error}"));
            return None;
        }
        match String::from_utf8(bytes) {
            Ok(text) => Some(match text.strip_prefix('\u{feff}') {
                Some(text) => text.to_owned(),
                None => text,
            }),
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                let before = &error.as_bytes()[..offset];
                let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
                let text = format!("is not UTF-8 at byte {offset}");
                self.tell(Severity::Error, &item.shown, Some(line), text);
                None
            }
        }
    }

    /// The beginning of a program.
    pub(super) fn script(&mut self, item: &Item) -> Option<Script> {
        let mut script = self.head(item, HEAD)?;
        let cut = item.metadata.len() > HEAD as u64;
        if cut && script.inline.is_some() {
            script = self.head(item, LARGEST as usize)?;
        }
        Some(script)
    }

    fn head(&mut self, item: &Item, most: usize) -> Option<Script> {
        let mut head = vec![0; most.min(item.metadata.len() as usize)];
        let read = File::open(&item.path).and_then(|mut file| read_up_to(&mut file, &mut head));
        match read {
            Ok(length) => Some(Script::of(&head[..length])),
            // A file can be executable without being readable.
            Err(error) => {
                let text = format!("cannot be read: {error}");
                self.error(&item.shown, text);
                None
            }
        }
    }
}

/// Reads until the buffer is full or the file ends.
pub(super) fn read_up_to(file: &mut File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..])? {
            0 => break,
            more => length += more,
        }
    }
    Ok(length)
}

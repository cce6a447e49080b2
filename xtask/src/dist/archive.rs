//! Archives that depend on their contents only: entries in order, one time, no owner.

use std::collections::BTreeSet;
use std::io::{Cursor, Write as _};

use flate2::{Compression, GzBuilder};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// The mode of a file that is run.
pub const RUN: u32 = 0o755;
/// The mode of a file that is read.
pub const READ: u32 = 0o644;

/// A file of an archive.
#[derive(Clone, Debug)]
pub struct Entry {
    /// With `/`, relative.
    pub path: String,
    pub mode: u32,
    pub bytes: Vec<u8>,
}

impl Entry {
    pub fn read(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(path, READ, bytes)
    }

    pub fn run(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(path, RUN, bytes)
    }

    fn new(path: impl Into<String>, mode: u32, bytes: impl Into<Vec<u8>>) -> Self {
        let (path, bytes) = (path.into(), bytes.into());
        Self { path, mode, bytes }
    }

    /// The same file in a folder.
    pub fn below(&self, folder: &str) -> Self {
        let path = format!("{folder}/{}", self.path);
        Self {
            path,
            ..self.clone()
        }
    }
}

/// A gzipped tar file, with an entry for each folder; `time` is in seconds since 1970.
pub fn tar_gz(entries: &[Entry], time: u64) -> Result<Vec<u8>, String> {
    tar(entries, time)
        .and_then(|tar| gzip(&tar))
        .map_err(|error| format!("cannot write an archive: {error}"))
}

/// Without a name and a time in its header.
pub fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().write(Vec::new(), Compression::default());
    gzip.write_all(bytes)?;
    gzip.finish()
}

fn tar(entries: &[Entry], time: u64) -> std::io::Result<Vec<u8>> {
    let mut builder = tar::Builder::new(Vec::new());
    let header = |kind: tar::EntryType, mode: u32, size: usize| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(size as u64);
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        header
    };
    for folder in folders(entries) {
        let mut header = header(tar::EntryType::Directory, RUN, 0);
        builder.append_data(&mut header, folder, std::io::empty())?;
    }
    for entry in sorted(entries) {
        let mut header = header(tar::EntryType::Regular, entry.mode, entry.bytes.len());
        builder.append_data(&mut header, &entry.path, entry.bytes.as_slice())?;
    }
    builder.into_inner()
}

/// A zip file; `time` is in seconds since 1970.
pub fn zip(entries: &[Entry], time: u64) -> Result<Vec<u8>, String> {
    let write = || -> zip::result::ZipResult<Vec<u8>> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(6))
            .last_modified_time(dos_time(time));
        for entry in sorted(entries) {
            writer.start_file(&*entry.path, options.unix_permissions(entry.mode))?;
            writer.write_all(&entry.bytes)?;
        }
        Ok(writer.finish()?.into_inner())
    };
    write().map_err(|error| format!("cannot write an archive: {error}"))
}

/// In UTC; 1980 for what the format cannot say.
fn dos_time(time: u64) -> DateTime {
    let seconds = i64::try_from(time).unwrap_or_default();
    let at = Timestamp::from_second(seconds).unwrap_or_default();
    let at = at.to_zoned(TimeZone::UTC);
    let part = |part: i8| part.unsigned_abs();
    let year = at.year().unsigned_abs();
    let (month, day) = (part(at.month()), part(at.day()));
    let (hour, minute, second) = (part(at.hour()), part(at.minute()), part(at.second()));
    DateTime::from_date_and_time(year, month, day, hour, minute, second).unwrap_or_default()
}

fn sorted(entries: &[Entry]) -> Vec<&Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    sorted
}

/// The folders above the entries, each before what is in it.
fn folders(entries: &[Entry]) -> BTreeSet<String> {
    let above = entries.iter().flat_map(|entry| {
        let ends = entry.path.match_indices('/');
        ends.map(|(end, _)| entry.path[..=end].to_owned())
    });
    above.collect()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    const TIME: u64 = 1_700_000_000;

    fn entries() -> Vec<Entry> {
        vec![
            Entry::run("linkspan-1/linkspan", "program"),
            Entry::read("linkspan-1/completions/_linkspan", "zsh"),
            Entry::read("linkspan-1/LICENSE-MIT", "terms"),
        ]
    }

    #[test]
    fn an_archive_does_not_depend_on_the_order_of_its_entries() {
        let mut turned = entries();
        turned.reverse();
        assert_eq!(tar_gz(&entries(), TIME), tar_gz(&turned, TIME));
        assert_eq!(zip(&entries(), TIME), zip(&turned, TIME));
    }

    #[test]
    fn a_tar_file_has_folders_modes_one_time_and_no_owner() {
        let bytes = tar(&entries(), TIME).unwrap();
        let mut archive = tar::Archive::new(bytes.as_slice());
        let mut seen = Vec::new();
        for entry in archive.entries().unwrap() {
            let entry = entry.unwrap();
            let header = entry.header();
            assert_eq!(header.mtime().unwrap(), TIME);
            assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
            let path = entry.path().unwrap().to_string_lossy().into_owned();
            seen.push(format!("{:o} {path}", header.mode().unwrap()));
        }
        let expected = [
            "755 linkspan-1/",
            "755 linkspan-1/completions/",
            "644 linkspan-1/LICENSE-MIT",
            "644 linkspan-1/completions/_linkspan",
            "755 linkspan-1/linkspan",
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_zip_file_keeps_modes_and_has_one_time() {
        let bytes = zip(&entries(), TIME).unwrap();
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut program = archive.by_name("linkspan-1/linkspan").unwrap();
        assert_eq!(program.unix_mode().map(|mode| mode & 0o777), Some(RUN));
        let time = program.last_modified().unwrap();
        assert_eq!((time.year(), time.month(), time.day()), (2023, 11, 14));
        let mut text = String::new();
        program.read_to_string(&mut text).unwrap();
        assert_eq!(text, "program");
    }
}

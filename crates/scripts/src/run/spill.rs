//! Stores output above the limit of an answer for a while, to be read piece by piece.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

/// How long an output is stored.
const KEPT: Duration = Duration::from_secs(15 * 60);
/// Limit of stored outputs; the oldest is removed first.
const MOST: usize = 32;
/// The size limit of a stored output, as a multiple of the answer limit.
pub(crate) const TIMES: usize = 8;
/// The size limit of one read.
const PIECE: u64 = 1 << 20;

const SCHEME: &str = "output://";

/// The stored outputs.
pub(crate) struct Spills {
    folder: PathBuf,
    kept: Mutex<HashMap<String, Spill>>,
}

struct Spill {
    path: PathBuf,
    since: Instant,
}

/// A file that is being written. Removed on drop unless it was kept.
pub(crate) struct Unfinished {
    name: String,
    path: PathBuf,
    file: File,
    done: bool,
}

impl Unfinished {
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A piece of a stored output.
pub(crate) struct Piece {
    pub(crate) bytes: Vec<u8>,
    pub(crate) from: u64,
    pub(crate) size: u64,
}

impl Spills {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            kept: Mutex::default(),
        }
    }

    pub(crate) fn begin(&self) -> io::Result<Unfinished> {
        let name = super::random_name();
        let path = self.folder.join(format!("output-{name}"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        Ok(Unfinished {
            name,
            path,
            file,
            done: false,
        })
    }

    /// Keeps the file; returns its URI.
    pub(crate) fn keep(&self, mut spill: Unfinished) -> String {
        spill.done = true;
        let mut kept = self.lock();
        expire(&mut kept);
        if kept.len() >= MOST {
            let oldest = kept.iter().min_by_key(|(_, spill)| spill.since);
            if let Some(name) = oldest.map(|(name, _)| name.clone()) {
                remove(&mut kept, &name);
            }
        }
        let since = Instant::now();
        let path = spill.path.clone();
        kept.insert(spill.name.clone(), Spill { path, since });
        format!("{SCHEME}{}", spill.name)
    }

    /// Reads `output://NAME`, or a piece of it: `output://NAME?from=BYTE&to=BYTE`. `None` if there is no such
    /// output.
    pub(crate) fn read(&self, uri: &str) -> Option<io::Result<Piece>> {
        let rest = uri.strip_prefix(SCHEME)?;
        let (name, query) = rest.split_once('?').unwrap_or((rest, ""));
        let path = {
            let mut kept = self.lock();
            expire(&mut kept);
            kept.get(name)?.path.clone()
        };
        let number = |key: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(k, _)| *k == key)?.1.parse::<u64>().ok()
        };
        Some(piece(&path, number("from"), number("to")))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Spill>> {
        self.kept.lock()
    }
}

/// Whether the URI belongs to a stored output.
pub(crate) fn is_spill(uri: &str) -> bool {
    uri.starts_with(SCHEME)
}

fn piece(path: &std::path::Path, from: Option<u64>, to: Option<u64>) -> io::Result<Piece> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let from = from.unwrap_or(0).min(size);
    let to = to.unwrap_or(size).clamp(from, size).min(from + PIECE);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(to - from).read_to_end(&mut bytes)?;
    Ok(Piece { bytes, from, size })
}

fn expire(kept: &mut HashMap<String, Spill>) {
    let old: Vec<String> = kept
        .iter()
        .filter(|(_, spill)| spill.since.elapsed() >= KEPT)
        .map(|(name, _)| name.clone())
        .collect();
    for name in old {
        remove(kept, &name);
    }
}

fn remove(kept: &mut HashMap<String, Spill>, name: &str) {
    if let Some(spill) = kept.remove(name) {
        let _ = fs::remove_file(spill.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(spills: &Spills, bytes: &[u8]) -> String {
        let mut spill = spills.begin().unwrap();
        spill.write(bytes).unwrap();
        spills.keep(spill)
    }

    #[tokio::test(start_paused = true)]
    async fn stored_output_is_read_in_pieces_until_it_expires() {
        let folder = tempfile::tempdir().unwrap();
        let spills = Spills::new(folder.path().to_owned());
        let uri = kept(&spills, b"0123456789");
        let read = |uri: &str| spills.read(uri).map(|piece| piece.unwrap().bytes);
        assert_eq!(read(&uri).unwrap(), b"0123456789");
        assert_eq!(read(&format!("{uri}?from=2&to=5")).unwrap(), b"234");
        assert_eq!(read(&format!("{uri}?from=8")).unwrap(), b"89");
        assert_eq!(read(&format!("{uri}?from=99&to=3")).unwrap(), b"");
        assert_eq!(read("output://other"), None);
        assert_eq!(read("output://../../etc/passwd"), None);
        tokio::time::advance(KEPT).await;
        assert_eq!(read(&uri), None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_oldest_output_is_evicted_and_unfinished_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let spills = Spills::new(folder.path().to_owned());
        let first = kept(&spills, b"x");
        for _ in 0..MOST {
            kept(&spills, b"y");
        }
        drop(spills.begin().unwrap());
        assert!(spills.read(&first).is_none());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), MOST);
    }
}

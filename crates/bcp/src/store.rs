//! Bodies that lie outside of a file, by their hashes.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use crate::bodies::{Hash, hash};

/// Where the bodies are that a file refers to and does not contain.
pub trait Store {
    /// The body with this hash, if it is there and has no more than `limit` bytes. `before` is where
    /// the reference lies in its own file, for a store that is that file: a block can only refer to
    /// those before it.
    fn get(&self, hash: &Hash, limit: u64, before: u64) -> Option<Vec<u8>>;
}

/// A folder with one file for each body, named by its hash.
#[derive(Debug, Clone)]
pub struct FolderStore {
    folder: PathBuf,
}

impl FolderStore {
    /// The folder need not exist; then nothing is in it.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Where a body lies or would lie.
    pub fn path(&self, hash: &Hash) -> PathBuf {
        let name: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(name)
    }

    /// The hashes of all bodies that are there.
    pub fn hashes(&self) -> std::io::Result<Vec<Hash>> {
        let names = match fs::read_dir(&self.folder) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            names => names?,
        };
        let mut hashes = Vec::new();
        for name in names {
            hashes.extend(name?.file_name().to_str().and_then(from_hex));
        }
        Ok(hashes)
    }

    /// Puts a body there, unless it is there already.
    pub fn put(&self, body: &[u8]) -> std::io::Result<Hash> {
        let hash = hash(body);
        let path = self.path(&hash);
        if !path.exists() {
            fs::create_dir_all(&self.folder)?;
            // Renamed when it is complete, so that readers never see a part of it.
            let half = path.with_extension(format!("{}.part", std::process::id()));
            fs::write(&half, body)?;
            fs::rename(&half, &path)?;
        }
        Ok(hash)
    }
}

impl Store for FolderStore {
    fn get(&self, wanted: &Hash, limit: u64, _: u64) -> Option<Vec<u8>> {
        let file = fs::File::open(self.path(wanted)).ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut body = Vec::new();
        file.take(limit.saturating_add(1))
            .read_to_end(&mut body)
            .ok()?;
        // A body that was changed has another hash.
        (body.len() as u64 <= limit && hash(&body) == *wanted).then_some(body)
    }
}

fn from_hex(name: &str) -> Option<Hash> {
    let mut hash = [0; 32];
    if name.len() != 64 || !name.is_ascii() {
        return None;
    }
    for (i, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&name[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(hash)
}

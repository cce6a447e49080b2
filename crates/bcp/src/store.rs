//! Stores of bodies outside of a file, by their hashes.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use crate::bodies::{Hash, hash};

/// A store of the bodies that a file refers to without containing them.
pub trait Store {
    /// The body with this hash, if the store has it with at most `limit` bytes. `before` is the position of
    /// the reference in its file, for a store that is the file itself: a block can only refer to earlier
    /// ones.
    fn get(&self, hash: &Hash, limit: u64, before: u64) -> Option<Vec<u8>>;
}

/// A folder with one file per body, named by its hash.
#[derive(Debug, Clone)]
pub struct FolderStore {
    folder: PathBuf,
}

impl FolderStore {
    /// A store in this folder, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// The path for a body.
    pub fn path(&self, hash: &Hash) -> PathBuf {
        let name: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(name)
    }

    /// The hashes of all stored bodies.
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

    /// Stores a body, unless it is there already.
    pub fn put(&self, body: &[u8]) -> std::io::Result<Hash> {
        let hash = hash(body);
        let path = self.path(&hash);
        if !path.exists() {
            fs::create_dir_all(&self.folder)?;
            // Renamed when complete, so that readers never see a partial file.
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
        // A modified body has another hash.
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

//! Input files: the vectors, and a folder for each test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of the vectors.
pub fn vectors(folder: &str) -> PathBuf {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bcp/tests/vectors");
    all.join(folder)
        .canonicalize()
        .expect("the vectors are there")
}

/// The path of a vector.
pub fn vector(folder: &str, name: &str) -> String {
    text(&vectors(folder).join(name))
}

/// The bytes of a vector.
#[track_caller]
pub fn bytes(folder: &str, name: &str) -> Vec<u8> {
    fs::read(vector(folder, name)).unwrap_or_else(|error| panic!("{folder}/{name}: {error}"))
}

/// The names in a folder of the vectors with this suffix, without the suffix, in order.
pub fn names(folder: &str, end: &str) -> Vec<String> {
    let entries = fs::read_dir(vectors(folder)).expect("a folder of vectors");
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(end).map(str::to_owned))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no *{end} in {folder}");
    names
}

/// A folder for one test, removed after it.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // Outside of any repository, so that no `.gitignore` applies.
        let name = format!("linkspan-bcp-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("the folder can be made");
        Self(path.canonicalize().expect("it is there"))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: &str) -> String {
        text(&self.0.join(name))
    }

    /// Writes a file, creating its folders.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let file = self.0.join(name);
        fs::create_dir_all(file.parent().expect("it has a folder")).expect("it can be made");
        fs::write(&file, content).expect("the file can be written");
        text(&file)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names in the folder, in order.
    pub fn listing(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(path: &Path) -> String {
    path.to_str().expect("our names are text").to_owned()
}

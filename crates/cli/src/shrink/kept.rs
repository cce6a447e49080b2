//! Originals that a client may ask for: the last ones in memory, all of them in a folder if there is one.

use std::collections::VecDeque;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use linkspan_shrink::{Gate, Keep, detect, document, original};

/// Bytes of originals in memory; what was kept first goes first.
const MOST: usize = 64 << 20;
/// Letters of an id as a model sees it.
const ID: usize = 12;

/// Where originals are kept. Clones are the same.
#[derive(Clone)]
pub(crate) struct Shelf(Arc<Inner>);

struct Inner {
    folder: Option<PathBuf>,
    gate: Gate,
    recent: Mutex<Recent>,
}

#[derive(Default)]
struct Recent {
    /// The newest last.
    texts: VecDeque<(String, Arc<str>)>,
    bytes: usize,
}

impl Shelf {
    /// With a folder for everything, which is made if it is not there.
    pub(crate) fn new(folder: Option<PathBuf>, gate: Gate) -> std::io::Result<Self> {
        if let Some(folder) = &folder {
            fs::create_dir_all(folder)?;
        }
        Ok(Self(Arc::new(Inner {
            folder,
            gate,
            recent: Mutex::default(),
        })))
    }

    /// The original with this id, or one that begins like it.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<str>> {
        if id.len() < ID || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let id = id.to_ascii_lowercase();
        let recent = self.recent();
        let found = recent.texts.iter().find(|(name, _)| name.starts_with(&id));
        if let Some((_, text)) = found {
            return Some(text.clone());
        }
        drop(recent);
        let folder = self.0.folder.as_deref()?;
        let file = fs::read_dir(folder).ok()?.flatten().find(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(&id) && name.ends_with(".bcp")
        })?;
        let bytes = fs::read(file.path()).ok()?;
        match original(&bytes) {
            Ok(text) => Some(text.into()),
            Err(why) => {
                tracing::warn!("{}: {why}", file.path().display());
                None
            }
        }
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        self.0.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, folder: &Path, name: &str, tool: &str, text: &str) -> std::io::Result<()> {
        let path = folder.join(format!("{name}.bcp"));
        if path.exists() {
            return Ok(());
        }
        let bytes = document(text, &detect(text, self.0.gate.threshold), tool);
        // Somebody may read it at any time, and somebody else may write the same.
        let mut temporary = path.clone().into_os_string();
        temporary.push(format!(".{}.tmp", std::process::id()));
        let mut file = fs::File::create(&temporary)?;
        let written = file
            .write_all(&bytes)
            .and_then(|()| fs::rename(&temporary, &path));
        written.inspect_err(|_| drop(fs::remove_file(&temporary)))
    }
}

/// What a text is known by: a hash of it, in hexadecimal digits.
pub(crate) fn name_of(text: &str) -> String {
    let hash = linkspan_bcp::hash(text.as_bytes());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Keep for Shelf {
    fn keep(&self, tool: &str, text: &str) -> Option<String> {
        let name = name_of(text);
        if let Some(folder) = &self.0.folder
            && let Err(e) = self.write(folder, &name, tool, text)
        {
            tracing::warn!("cannot keep a result in {}: {e}", folder.display());
        }
        let id = name[..ID].to_owned();
        if text.len() > MOST {
            return self.0.folder.is_some().then_some(id);
        }
        let mut recent = self.recent();
        if !recent.texts.iter().any(|(kept, _)| *kept == name) {
            recent.bytes += text.len();
            recent.texts.push_back((name, text.into()));
        }
        while recent.bytes > MOST {
            let Some((_, gone)) = recent.texts.pop_front() else {
                break;
            };
            recent.bytes -= gone.len();
        }
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(folder: Option<PathBuf>) -> Shelf {
        Shelf::new(folder, Gate::default()).unwrap()
    }

    #[test]
    fn what_was_kept_is_found_by_its_id() {
        let shelf = shelf(None);
        let id = shelf.keep("t", "hello").unwrap();
        assert_eq!(&*shelf.find(&id).unwrap(), "hello");
        assert_eq!(shelf.find("000000000000"), None);
        assert_eq!(shelf.find("../../etc/pa"), None);
        assert_eq!(shelf.find(""), None);
    }

    #[test]
    fn memory_is_bounded_and_the_oldest_goes_first() {
        let shelf = shelf(None);
        let large = |letter: &str| letter.repeat(MOST / 2);
        let ids: Vec<_> = ["a", "b", "c"]
            .iter()
            .map(|letter| shelf.keep("t", &large(letter)).unwrap())
            .collect();
        assert_eq!(shelf.find(&ids[0]), None);
        assert!(shelf.find(&ids[1]).is_some() && shelf.find(&ids[2]).is_some());
    }

    #[test]
    fn a_folder_keeps_everything() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("new");
        let text = "{\"a\": [1, 2.50]}\r\nand more\n";
        let id = shelf(Some(place.clone())).keep("t", text).unwrap();
        assert_eq!(&*shelf(Some(place.clone())).find(&id).unwrap(), text);
        assert_eq!(fs::read_dir(place).unwrap().count(), 1);
    }
}

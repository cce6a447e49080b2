//! Originals that a client may fetch: the most recent in memory, all of them in a folder if there is one.
//!
//! Each principal has its own. An id is derived from the text, the principal and a secret: it cannot be guessed, and
//! the same text has different ids for different principals.

mod folder;

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use linkspan_ports::Principal;
use linkspan_shrink::{Keep, Thresholds, detect, document};
use parking_lot::Mutex;

use self::folder::Folder;

/// Limit on the bytes of originals in memory; the oldest is dropped first.
const MOST: usize = 64 << 20;
/// Length of an id in bytes.
const ID: usize = 16;

/// A hash or a key.
type Bytes = [u8; 32];

/// The originals of all principals. Clones share their state.
#[derive(Clone)]
pub(crate) struct OriginalStore(Arc<Inner>);

struct Inner {
    folder: Option<Folder>,
    /// The secret that ids are derived from.
    key: Bytes,
    thresholds: Thresholds,
    recent: Mutex<Recent>,
}

#[derive(Default)]
struct Recent {
    /// Newest last.
    texts: VecDeque<Kept>,
    bytes: usize,
}

struct Kept {
    owner: Bytes,
    id: String,
    text: Arc<str>,
}

impl OriginalStore {
    /// Stores in memory and, if given, in `folder`, which is created if missing.
    pub(crate) fn new(folder: Option<PathBuf>, thresholds: Thresholds) -> io::Result<Self> {
        let folder = folder.map(Folder::open).transpose()?;
        let key = match &folder {
            Some(folder) => folder.key()?,
            None => folder::random()?,
        };
        Ok(Self(Arc::new(Inner {
            folder,
            key,
            thresholds,
            recent: Mutex::default(),
        })))
    }

    /// The originals of one principal.
    pub(crate) fn of(&self, principal: &Principal) -> Originals {
        let who = principal.key().unwrap_or_default();
        let known = u8::from(principal.key().is_some());
        let owner = hash(&[&self.0.key, &[known], who]);
        Originals {
            store: self.clone(),
            owner,
        }
    }
}

/// Originals of one principal.
#[derive(Clone)]
pub(crate) struct Originals {
    store: OriginalStore,
    owner: Bytes,
}

impl Originals {
    /// The original with this id, if it belongs to this principal.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<str>> {
        if id.len() != 2 * ID || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let id = id.to_ascii_lowercase();
        let recent = self.store.0.recent.lock();
        let is_it = |kept: &&Kept| kept.owner == self.owner && kept.id == id;
        if let Some(kept) = recent.texts.iter().find(is_it) {
            return Some(kept.text.clone());
        }
        drop(recent);
        let text = self.store.0.folder.as_ref()?.read(&id)?;
        // The file may belong to another principal, or be damaged.
        (self.id_of(&text) == id).then(|| text.into())
    }

    fn id_of(&self, text: &str) -> String {
        let text = linkspan_bcp::hash(text.as_bytes());
        hex(&hash(&[&self.store.0.key, &self.owner, &text])[..ID])
    }
}

/// The hash of a text, as hex digits.
pub(crate) fn hash_of(text: &str) -> String {
    hex(&linkspan_bcp::hash(text.as_bytes()))
}

fn hash(parts: &[&[u8]]) -> Bytes {
    linkspan_bcp::hash(&parts.concat())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Keep for Originals {
    fn keep(&self, tool: &str, text: &str) -> Option<String> {
        let id = self.id_of(text);
        let inner = &self.store.0;
        if let Some(folder) = &inner.folder {
            let bytes = || document(text, &detect(text, inner.thresholds.confidence), tool);
            if let Err(e) = folder.write(&id, bytes) {
                tracing::warn!("cannot keep a result in {}: {e}", folder.path().display());
            }
        }
        if text.len() > MOST {
            return inner.folder.is_some().then_some(id);
        }
        let mut recent = inner.recent.lock();
        if !recent.texts.iter().any(|kept| kept.id == id) {
            recent.bytes += text.len();
            recent.texts.push_back(Kept {
                owner: self.owner,
                id: id.clone(),
                text: text.into(),
            });
        }
        while recent.bytes > MOST {
            let Some(gone) = recent.texts.pop_front() else {
                break;
            };
            recent.bytes -= gone.text.len();
        }
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn store(folder: Option<&Path>) -> OriginalStore {
        OriginalStore::new(folder.map(Path::to_owned), Thresholds::default()).unwrap()
    }

    fn principal(name: &str) -> Principal {
        Principal::of_credentials(name.as_bytes())
    }

    #[test]
    fn an_original_is_found_by_its_id() {
        let originals = store(None).of(&Principal::anonymous());
        let id = originals.keep("t", "hello").unwrap();
        assert_eq!(&*originals.find(&id).unwrap(), "hello");
        for wrong in [&"0".repeat(32), "../../etc/passwd", "", &id[..12]] {
            assert_eq!(originals.find(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_id_belongs_to_one_principal_and_cannot_be_computed_from_the_text() {
        let folder = tempfile::tempdir().unwrap();
        for store in [store(None), store(Some(&folder.path().join("s")))] {
            let (one, other) = (store.of(&principal("one")), store.of(&principal("other")));
            let (id, same) = (
                one.keep("t", "hello").unwrap(),
                other.keep("t", "hello").unwrap(),
            );
            assert_ne!(id, same);
            assert_eq!((one.find(&same), other.find(&id)), (None, None));
            assert_eq!(store.of(&Principal::anonymous()).find(&id), None);
            assert!(!hash_of("hello").starts_with(&id), "{id}");
            assert!(one.find(&id).is_some());
        }
        let another = self::store(None).of(&principal("one")).keep("t", "hello");
        assert_ne!(
            another,
            self::store(None).of(&principal("one")).keep("t", "hello")
        );
    }

    #[test]
    fn memory_is_bounded_and_the_oldest_original_is_dropped_first() {
        let originals = store(None).of(&Principal::anonymous());
        let large = |letter: &str| letter.repeat(MOST / 2);
        let ids: Vec<_> = ["a", "b", "c"]
            .iter()
            .map(|letter| originals.keep("t", &large(letter)).unwrap())
            .collect();
        assert_eq!(originals.find(&ids[0]), None);
        assert!(originals.find(&ids[1]).is_some() && originals.find(&ids[2]).is_some());
    }

    #[test]
    fn originals_in_a_folder_outlive_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("new/deep");
        let text = "{\"a\": [1, 2.50]}\r\nand more\n";
        let id = store(Some(&place))
            .of(&principal("one"))
            .keep("t", text)
            .unwrap();
        let again = store(Some(&place));
        assert_eq!(&*again.of(&principal("one")).find(&id).unwrap(), text);
        assert_eq!(again.of(&principal("other")).find(&id), None);
        let results = fs::read_dir(place).unwrap().flatten();
        let results = results.filter(|entry| entry.path().extension().is_some_and(|e| e == "bcp"));
        assert_eq!(results.count(), 1);
    }
}

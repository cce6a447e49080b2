//! Originals that a client may ask for: the last ones in memory, all of them in a folder if there is one.
//!
//! Each principal has its own. An id says nothing about its text: it is made with a secret, so that it cannot be
//! guessed, and the same text has another id for another principal.

mod folder;

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use linkspan_ports::Principal;
use linkspan_shrink::{Gate, Keep, detect, document};

use self::folder::Folder;

/// Bytes of originals in memory; what was kept first goes first.
const MOST: usize = 64 << 20;
/// Bytes of an id: too many to be guessed.
const ID: usize = 16;

/// 32 bytes, of which some are secret.
type Bytes = [u8; 32];

/// Where originals are kept. Clones are the same.
#[derive(Clone)]
pub(crate) struct Shelf(Arc<Inner>);

struct Inner {
    folder: Option<Folder>,
    /// What ids are made with.
    key: Bytes,
    gate: Gate,
    recent: Mutex<Recent>,
}

#[derive(Default)]
struct Recent {
    /// The newest last.
    texts: VecDeque<Kept>,
    bytes: usize,
}

struct Kept {
    owner: Bytes,
    id: String,
    text: Arc<str>,
}

impl Shelf {
    /// With a folder for everything, which is made if it is not there.
    pub(crate) fn new(folder: Option<PathBuf>, gate: Gate) -> io::Result<Self> {
        let folder = folder.map(Folder::open).transpose()?;
        let key = match &folder {
            Some(folder) => folder.key()?,
            None => folder::random()?,
        };
        Ok(Self(Arc::new(Inner {
            folder,
            key,
            gate,
            recent: Mutex::default(),
        })))
    }

    /// The part of it that belongs to one principal.
    pub(crate) fn of(&self, principal: &Principal) -> Originals {
        let who = principal.0.as_deref().unwrap_or_default();
        let known = u8::from(principal.0.is_some());
        let owner = hash(&[&self.0.key, &[known], who]);
        Originals {
            shelf: self.clone(),
            owner,
        }
    }
}

/// Originals of one principal.
#[derive(Clone)]
pub(crate) struct Originals {
    shelf: Shelf,
    owner: Bytes,
}

impl Originals {
    /// The original with this id, if it is one of this principal's.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<str>> {
        if id.len() != 2 * ID || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let id = id.to_ascii_lowercase();
        let recent = self.recent();
        let is_it = |kept: &&Kept| kept.owner == self.owner && kept.id == id;
        if let Some(kept) = recent.texts.iter().find(is_it) {
            return Some(kept.text.clone());
        }
        drop(recent);
        let text = self.shelf.0.folder.as_ref()?.read(&id)?;
        // It may be another principal's, or damaged.
        (self.id_of(&text) == id).then(|| text.into())
    }

    fn id_of(&self, text: &str) -> String {
        let text = linkspan_bcp::hash(text.as_bytes());
        hex(&hash(&[&self.shelf.0.key, &self.owner, &text])[..ID])
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        let recent = self.shelf.0.recent.lock();
        recent.unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a text is known by within a session: a hash of it.
pub(crate) fn name_of(text: &str) -> String {
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
        let inner = &self.shelf.0;
        if let Some(folder) = &inner.folder {
            let bytes = || document(text, &detect(text, inner.gate.threshold), tool);
            if let Err(e) = folder.write(&id, bytes) {
                tracing::warn!("cannot keep a result in {}: {e}", folder.path().display());
            }
        }
        if text.len() > MOST {
            return inner.folder.is_some().then_some(id);
        }
        let mut recent = self.recent();
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

    fn shelf(folder: Option<&Path>) -> Shelf {
        Shelf::new(folder.map(Path::to_owned), Gate::default()).unwrap()
    }

    fn principal(name: &str) -> Principal {
        Principal(Some(name.as_bytes().into()))
    }

    #[test]
    fn what_was_kept_is_found_by_its_id() {
        let originals = shelf(None).of(&Principal(None));
        let id = originals.keep("t", "hello").unwrap();
        assert_eq!(&*originals.find(&id).unwrap(), "hello");
        for wrong in [&"0".repeat(32), "../../etc/passwd", "", &id[..12]] {
            assert_eq!(originals.find(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_id_is_one_principals_and_cannot_be_computed_from_the_text() {
        let folder = tempfile::tempdir().unwrap();
        for shelf in [shelf(None), shelf(Some(&folder.path().join("s")))] {
            let (one, other) = (shelf.of(&principal("one")), shelf.of(&principal("other")));
            let (id, same) = (
                one.keep("t", "hello").unwrap(),
                other.keep("t", "hello").unwrap(),
            );
            assert_ne!(id, same);
            assert_eq!((one.find(&same), other.find(&id)), (None, None));
            assert_eq!(shelf.of(&Principal(None)).find(&id), None);
            assert!(!name_of("hello").starts_with(&id), "{id}");
            assert!(one.find(&id).is_some());
        }
        let another = self::shelf(None).of(&principal("one")).keep("t", "hello");
        assert_ne!(
            another,
            self::shelf(None).of(&principal("one")).keep("t", "hello")
        );
    }

    #[test]
    fn memory_is_bounded_and_the_oldest_goes_first() {
        let originals = shelf(None).of(&Principal(None));
        let large = |letter: &str| letter.repeat(MOST / 2);
        let ids: Vec<_> = ["a", "b", "c"]
            .iter()
            .map(|letter| originals.keep("t", &large(letter)).unwrap())
            .collect();
        assert_eq!(originals.find(&ids[0]), None);
        assert!(originals.find(&ids[1]).is_some() && originals.find(&ids[2]).is_some());
    }

    #[test]
    fn a_folder_keeps_everything() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("new/deep");
        let text = "{\"a\": [1, 2.50]}\r\nand more\n";
        let id = shelf(Some(&place))
            .of(&principal("one"))
            .keep("t", text)
            .unwrap();
        let again = shelf(Some(&place));
        assert_eq!(&*again.of(&principal("one")).find(&id).unwrap(), text);
        assert_eq!(again.of(&principal("other")).find(&id), None);
        let results = fs::read_dir(place).unwrap().flatten();
        let results = results.filter(|entry| entry.path().extension().is_some_and(|e| e == "bcp"));
        assert_eq!(results.count(), 1);
    }
}

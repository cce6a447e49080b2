//! The file of API keys, which an operator may change while it is used.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use linkspan_auth::Timestamp;
use linkspan_auth::resource::{ApiKeys, ApiKeysError};
use parking_lot::Mutex;

use super::read_trusted;

/// API keys; those of a file are read again when it changes.
#[derive(Debug, Default)]
pub struct KeyFile {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    keys: Arc<ApiKeys>,
    seen: Option<Stamp>,
    looked: Option<Timestamp>,
}

/// What differs between two versions of a file.
type Stamp = (SystemTime, u64);

/// Why a file of keys cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// It has a mistake.
    #[error(transparent)]
    Keys(#[from] ApiKeysError),
}

impl KeyFileError {
    /// What the operator can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Read(_) => "it must be a file that you can read and no other user can write",
            Self::Keys(_) => {
                r#"--keys takes a JSON file such as {"ci": {"hash": "sha256:…", "scopes": ["read"]}}"#
            }
        }
    }
}

impl KeyFile {
    /// Reads the file for the first time.
    pub fn open(path: &Path) -> Result<Self, KeyFileError> {
        // The stamp comes first: a change in between is seen by the next look.
        let seen = stamp(path);
        let keys = Arc::new(ApiKeys::parse(&read_trusted(path)?)?);
        let state = State {
            keys,
            seen,
            looked: None,
        };
        Ok(Self {
            path: path.to_owned(),
            state: Mutex::new(state),
        })
    }

    /// The keys as they are now. The file is looked at once a second; while it cannot be used, the old keys count.
    pub(super) fn current(&self, now: Timestamp) -> Arc<ApiKeys> {
        let mut state = self.state.lock();
        if state.looked == Some(now) || self.path.as_os_str().is_empty() {
            return Arc::clone(&state.keys);
        }
        state.looked = Some(now);
        let stamp = stamp(&self.path);
        if stamp != state.seen {
            state.seen = stamp;
            match self.read_again() {
                Ok(keys) => state.keys = Arc::new(keys),
                Err(error) => {
                    let path = self.path.display().to_string();
                    tracing::warn!(path, "the old API keys stay in force: {error}");
                }
            }
        }
        Arc::clone(&state.keys)
    }

    fn read_again(&self) -> Result<ApiKeys, KeyFileError> {
        match ApiKeys::parse(&read_trusted(&self.path)?) {
            // The last key was revoked.
            Err(ApiKeysError::Empty) => Ok(ApiKeys::default()),
            read => Ok(read?),
        }
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

#[cfg(test)]
mod tests {
    use linkspan_auth::resource::digest;

    use super::*;

    const NONE: &str = "{}";

    fn file(keys: &[&str]) -> String {
        let entry = |key: &&str| {
            let hash: String = digest(key.as_bytes())
                .map(|byte| format!("{byte:02x}"))
                .concat();
            format!(r#""{key}":{{"hash":"{hash}"}}"#)
        };
        let entries: Vec<_> = keys.iter().map(entry).collect();
        format!("{{{}}}", entries.join(","))
    }

    #[test]
    fn a_change_counts_and_a_mistake_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        fs::write(&path, file(&["one"])).unwrap();
        let keys = KeyFile::open(&path).unwrap();
        let mut now = Timestamp(1_800_000_000);
        let mut are = |text: Option<&str>| {
            match text {
                Some(text) => fs::write(&path, text).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            now.0 += 1;
            let keys = keys.current(now);
            ["one", "two"].map(|key| keys.find(key).is_some())
        };
        assert_eq!(are(Some(&file(&["one"]))), [true, false]);
        assert_eq!(are(Some(&file(&["one", "two"]))), [true, true]);
        assert_eq!(are(Some(&file(&["two"]))), [false, true]);
        assert_eq!(are(Some("not JSON")), [false, true]);
        assert_eq!(are(None), [false, true]);
        assert_eq!(are(Some(NONE)), [false, false], "the last one was revoked");
        assert_eq!(are(Some(&file(&["one"]))), [true, false]);
    }

    #[test]
    fn the_file_has_to_be_in_order_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        assert!(matches!(KeyFile::open(&path), Err(KeyFileError::Read(_))));
        fs::write(&path, NONE).unwrap();
        assert!(matches!(KeyFile::open(&path), Err(KeyFileError::Keys(_))));
    }
}

//! The file of pins, which all processes of a user share.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use linkspan_gateway::pins::{Checked, ItemId, Pins, PinsError, diff};

use crate::file::{beside, lock_within, open_or_create, read, replace};

/// Bytes of the file. The pins of one server need at most a few megabytes.
const LARGEST: u64 = 256 << 20;
/// How long another process may take to rewrite the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why pins cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinsFileError {
    /// The system's error.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The text is not that of pins.
    #[error("{}: {source}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: PinsError,
    },
    /// A server has no pins.
    #[error("there are no pins of `{0}`")]
    NoServer(String),
    /// There is nothing to accept of an item.
    #[error("`{item}` of `{server}` does not differ from what was accepted")]
    NoChange {
        /// The server.
        server: String,
        /// The item.
        item: ItemId,
    },
}

impl PinsFileError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io { .. } => "make the file and its folder writable, or name another file",
            Self::Invalid { source, .. } => source.hint(),
            Self::NoServer(_) => "`linkspan pins list` lists the servers",
            Self::NoChange { .. } => "`linkspan pins diff` shows what differs",
        }
    }

    /// Whether a name on the command line is wrong.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NoServer(_) | Self::NoChange { .. })
    }
}

type Result<T> = std::result::Result<T, PinsFileError>;
/// Differs between versions of a file, up to the resolution of the file system's clock; `None` if there is no file.
type Version = Option<(SystemTime, u64)>;

/// The file of pins.
#[derive(Debug, Clone)]
pub struct PinsFile {
    path: PathBuf,
}

impl PinsFile {
    /// The file at this path, which need not exist.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it contains; nothing if there is no file. No lock is needed, because the file is replaced whole.
    pub fn load(&self) -> Result<Pins> {
        let text = read(&self.path, LARGEST).map_err(self.io("read"))?;
        let read = text.as_deref().map(Pins::from_json).transpose();
        let pins = read.map_err(|source| PinsFileError::Invalid {
            path: self.path.clone(),
            source,
        })?;
        Ok(pins.unwrap_or_default())
    }

    /// Changes what it contains, under a lock. An unchanged file is not written.
    pub fn update<T>(&self, change: impl FnOnce(&mut Pins) -> T) -> Result<T> {
        self.update_version(change).map(|(result, _)| result)
    }

    /// The same; returns the version of the file before and after it as well.
    fn update_version<T>(&self, change: impl FnOnce(&mut Pins) -> T) -> Result<(T, [Version; 2])> {
        let lock = open_or_create(&beside(&self.path, ".lock")).map_err(self.io("lock"))?;
        lock_within(&lock, PATIENCE).map_err(self.io("lock"))?;
        let version = self.version();
        let before = self.load()?;
        let mut pins = before.clone();
        let result = change(&mut pins);
        if pins != before {
            let text = pins.to_json();
            if text.len() as u64 > LARGEST {
                return Err(self.io("write")(io::ErrorKind::FileTooLarge.into()));
            }
            replace(&self.path, &text).map_err(self.io("write"))?;
        }
        let versions = [version, self.version()];
        // Closing is not enough: a child process may have inherited the file and not reached `exec` yet.
        let _ = lock.unlock();
        Ok((result, versions))
    }

    /// The servers, or one of them, as lines.
    pub fn listing(&self, server: Option<&str>) -> Result<Vec<String>> {
        Ok(known(&self.load()?, server)?.listing(server))
    }

    /// How servers differ from what was accepted, as lines.
    pub fn difference(&self, server: Option<&str>, item: Option<&str>) -> Result<Vec<String>> {
        let item = item.map(ItemId::parse);
        Ok(known(&self.load()?, server)?.difference(server, item.as_ref()))
    }

    /// Accepts what a server offers now, of one item or of all; returns it as lines.
    pub fn accept(&self, server: &str, item: Option<&str>) -> Result<Vec<String>> {
        let item = item.map(ItemId::parse);
        let accepted = self.update(|pins| {
            known(pins, Some(server))?;
            Ok(pins.accept(server, item.as_ref()))
        })??;
        match item {
            Some(item) if accepted.is_empty() => {
                let server = server.to_owned();
                Err(PinsFileError::NoChange { server, item })
            }
            _ => Ok(diff(&accepted)),
        }
    }

    fn version(&self) -> Version {
        let metadata = fs::metadata(&self.path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    }

    fn io(&self, action: &'static str) -> impl FnOnce(io::Error) -> PinsFileError {
        let path = self.path.clone();
        move |source| PinsFileError::Io {
            action,
            path,
            source,
        }
    }
}

/// The pins, if they have this server.
fn known<'a>(pins: &'a Pins, server: Option<&str>) -> Result<&'a Pins> {
    match server.filter(|server| !pins.has(server)) {
        Some(server) => Err(PinsFileError::NoServer(server.to_owned())),
        None => Ok(pins),
    }
}

/// The pins of a gateway: in memory, and in the file when they change.
#[derive(Debug)]
pub struct PinStore {
    file: PinsFile,
    pins: Pins,
    version: Version,
    /// What another process has changed was read during a check.
    has_news: bool,
}

impl PinStore {
    /// Reads the file.
    pub fn open(file: PinsFile) -> Result<Self> {
        let version = file.version();
        let pins = file.load()?;
        Ok(Self {
            file,
            pins,
            version,
            has_news: false,
        })
    }

    /// Runs a check on the pins, and writes what it has altered. If that fails, the check counts for this process.
    pub fn check(
        &mut self,
        check: impl Fn(&mut Pins) -> Checked,
    ) -> (Checked, Option<PinsFileError>) {
        let checked = check(&mut self.pins);
        if !checked.is_altered {
            return (checked, None);
        }
        // Other processes may have written meanwhile; what they have accepted counts.
        let again = |pins: &mut Pins| (check(pins), pins.clone());
        match self.file.update_version(again) {
            Ok(((checked, pins), [before, after])) => {
                self.has_news |= before != self.version;
                (self.pins, self.version) = (pins, after);
                (checked, None)
            }
            Err(error) => (checked, Some(error)),
        }
    }

    /// Reads the file again if it is another one, since a person may have accepted changes. Says whether it was.
    pub fn refresh(&mut self) -> Result<bool> {
        let version = self.file.version();
        // Without a file, what was seen is kept in memory.
        if version.is_none() || version == self.version {
            return Ok(std::mem::take(&mut self.has_news));
        }
        self.pins = self.file.load()?;
        self.version = version;
        self.has_news = false;
        Ok(true)
    }

    /// The pins.
    pub fn pins(&self) -> &Pins {
        &self.pins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instructions(text: &str) -> impl Fn(&mut Pins) -> Checked {
        move |pins| pins.check_instructions("s", Some(text))
    }

    fn store(folder: &Path) -> PinStore {
        PinStore::open(PinsFile::new(folder.join("state/pins.json"))).unwrap()
    }

    #[test]
    fn what_one_process_accepts_another_one_reads() {
        let folder = tempfile::tempdir().unwrap();
        let mut gateway = store(folder.path());
        assert!(gateway.check(instructions("one")).0.is_first);
        let (checked, error) = gateway.check(instructions("two"));
        assert!(error.is_none());
        assert_eq!(checked.changes.len(), 1);
        assert!(!gateway.refresh().unwrap());
        let accepted = |pins: &mut Pins| pins.accept("s", Some(&ItemId::instructions()));
        assert_eq!(gateway.file.update(accepted).unwrap().len(), 1);
        assert!(gateway.refresh().unwrap());
        assert_eq!(gateway.check(instructions("two")).0, Checked::default());
    }

    #[test]
    fn what_was_accepted_right_before_a_check_is_news_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let mut gateway = store(folder.path());
        gateway.check(instructions("one"));
        gateway.check(instructions("two"));
        let accepted = |pins: &mut Pins| pins.accept("s", None);
        gateway.file.update(accepted).unwrap();
        gateway.check(|pins| pins.check_instructions("other", Some("x")));
        assert!(gateway.refresh().unwrap());
        assert!(!gateway.refresh().unwrap());
    }

    #[test]
    fn two_gateways_do_not_lose_each_others_pins() {
        let folder = tempfile::tempdir().unwrap();
        let mut gateways = [store(folder.path()), store(folder.path())];
        for (name, gateway) in ["a", "b"].into_iter().zip(&mut gateways) {
            gateway.check(|pins| pins.check_instructions(name, Some("x")));
        }
        let pins = gateways[0].file.load().unwrap();
        assert!(pins.has("a") && pins.has("b"));
        // A server that one of them has pinned is not at its first use for the other one.
        let (checked, _) = gateways[0].check(|pins| pins.check_instructions("b", Some("y")));
        assert_eq!((checked.is_first, checked.changes.len()), (false, 1));
    }

    #[test]
    fn a_file_that_cannot_be_written_does_not_stop_checks() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("state"), "a file in place of the folder").unwrap();
        let path = folder.path().join("state/pins.json");
        let mut gateway = PinStore {
            file: PinsFile::new(path),
            pins: Pins::default(),
            version: None,
            has_news: false,
        };
        let (checked, error) = gateway.check(instructions("one"));
        assert!(checked.is_first);
        assert!(matches!(
            error,
            Some(PinsFileError::Io { action: "lock", .. })
        ));
        assert_eq!(gateway.check(instructions("two")).0.changes.len(), 1);
    }

    #[test]
    fn a_damaged_file_is_an_error_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pins.json");
        fs::write(&path, "{}").unwrap();
        let file = PinsFile::new(path.clone());
        let error = file.update(|_| ()).unwrap_err();
        assert!(matches!(
            error,
            PinsFileError::Invalid {
                source: PinsError::NotPins,
                ..
            }
        ));
        assert_eq!(fs::read_to_string(path).unwrap(), "{}");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_file_and_a_link_to_it_stays() {
        use std::os::unix::fs::MetadataExt as _;
        let folder = tempfile::tempdir().unwrap();
        store(folder.path()).check(instructions("one"));
        let path = folder.path().join("state/pins.json");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        let link = folder.path().join("link.json");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let file = PinsFile::new(link.clone());
        file.update(|pins| pins.check_instructions("t", Some("x")))
            .unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(PinsFile::new(path).load().unwrap().has("t"));
    }
}

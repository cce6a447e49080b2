//! Where a command writes to: a file that is whole or not there, or whatever takes bytes.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::unfinished::Unfinished;
use super::within::Within;
use super::{DASH, Identity, Links, Place, without_waiting};
use crate::exit::{Exit, Failure};
use crate::show::{self, on_one_line};

const BUFFER: usize = 16 << 10;

/// Something to write into. A file gets its name only by [`Output::commit`]; without that it is as
/// if nothing had been written.
#[derive(Debug)]
pub(crate) struct Output {
    name: String,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// A file that becomes `target`.
    File {
        file: BufWriter<File>,
        unfinished: Unfinished,
        target: PathBuf,
    },
    /// A file in a folder that is held open.
    Within(Within),
    /// A pipe or a device: it has no whole to wait for.
    Direct(BufWriter<File>),
    Stdout(BufWriter<Stdout>),
}

impl Output {
    /// `-` is stdout. A link is followed: the file that it leads to is replaced, not the link.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        if path == Path::new(DASH) || path == Path::new("/dev/stdout") {
            let sink = Sink::Stdout(BufWriter::with_capacity(BUFFER, Stdout::default()));
            return Ok(Self { name, sink });
        }
        let sink = Sink::open(path).map_err(|e| cannot_write(&on_one_line(&name), &e))?;
        Ok(Self { name, sink })
    }

    /// A file in a place that was checked. No link is followed.
    pub(crate) fn within(place: &Place) -> Result<Self, Failure> {
        let name = place.path().display().to_string();
        let made = Within::create(place.folder.clone(), &place.name, BUFFER);
        let sink = Sink::Within(made.map_err(|e| cannot_write(&name, &e))?);
        Ok(Self { name, sink })
    }

    /// What the user called it, to the letter.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What a message calls it.
    pub(crate) fn called(&self) -> String {
        match self.is_stdout() {
            true => "stdout".to_owned(),
            false => on_one_line(&self.name),
        }
    }

    /// Not all of it could be written.
    pub(crate) fn torn(&self, e: &io::Error) -> Failure {
        torn(&self.called(), self.is_atomic(), e)
    }

    /// Whether it is stdout, so that nothing else may be printed there.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self.sink, Sink::Stdout(_))
    }

    /// Whether nobody sees anything of it before it is committed.
    pub(crate) fn is_atomic(&self) -> bool {
        matches!(self.sink, Sink::File { .. } | Sink::Within(_))
    }

    /// The files that must not be read as input: the one that is written, and the one that it will
    /// replace.
    pub(crate) fn identities(&self) -> Vec<Identity> {
        match &self.sink {
            Sink::File {
                unfinished, target, ..
            } => [unfinished.path(), target]
                .into_iter()
                .filter_map(Identity::of)
                .collect(),
            _ => Vec::new(),
        }
    }

    /// A file without a name, for what has to be read again before it can be written. It lies where
    /// the output lies, because there must be room for that anyway.
    pub(crate) fn spool(&self) -> Result<File, Failure> {
        let near = match &self.sink {
            Sink::File { target, .. } => target.clone(),
            _ => std::env::temp_dir().join("linkspan"),
        };
        let mut options = OpenOptions::new();
        private(options.read(true));
        let made = Unfinished::create(&near, &mut options);
        // The guard removes the name; the file lives until it is closed.
        made.map(|(_, file)| file)
            .map_err(|e| cannot_write(&show::path(&near), &e))
    }

    /// Everything is written. Bytes are not forced onto the disk first: what this guards against is
    /// our own failing, and syncing 50 MB takes longer than writing them.
    pub(crate) fn commit(mut self) -> Result<(), Failure> {
        let (called, atomic) = (self.called(), self.is_atomic());
        self.flush()
            .and_then(|()| match self.sink {
                Sink::File {
                    file,
                    unfinished,
                    target,
                } => {
                    // Some systems do not rename a file that is open.
                    drop(file);
                    unfinished.finish(&target)
                }
                Sink::Within(file) => file.finish(),
                _ => Ok(()),
            })
            .map_err(|e| torn(&called, atomic, &e))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::File { file, .. } | Sink::Direct(file) => file.write(bytes),
            Sink::Within(file) => file.write(bytes),
            Sink::Stdout(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::File { file, .. } | Sink::Direct(file) => file.flush(),
            Sink::Within(file) => file.flush(),
            Sink::Stdout(out) => out.flush(),
        }
    }
}

impl Sink {
    fn open(path: &Path) -> io::Result<Self> {
        let target = follow(path)?;
        let old = match fs::metadata(&target) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            old => Some(old?),
        };
        let special = |old: &Metadata| !old.is_file() && !old.is_dir();
        if is_descriptor(&target) || old.as_ref().is_some_and(special) {
            let file = OpenOptions::new().write(true).open(&target)?;
            return Ok(Self::Direct(BufWriter::with_capacity(BUFFER, file)));
        }
        if target.file_name().is_none() || old.as_ref().is_some_and(Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let (unfinished, file) = match old {
            None => Unfinished::create(&target, &mut OpenOptions::new())?,
            Some(old) => {
                // A file that may not be written may not be replaced either.
                without_waiting(OpenOptions::new().write(true), Links::Refuse).open(&target)?;
                replacement(&target, &old)?
            }
        };
        Ok(Self::File {
            file: BufWriter::with_capacity(BUFFER, file),
            unfinished,
            target,
        })
    }
}

/// Where a path leads to, if the links at its end are followed; the last one may lead to nothing.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        // What these say is no path: `pipe:[123]`.
        if is_descriptor(&path) {
            return Ok(path);
        }
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}

/// Whether a path stands for something that a process has open.
fn is_descriptor(path: &Path) -> bool {
    path.starts_with("/dev/fd") || path.starts_with("/proc")
}

/// A file that can be what `old` was to others: same mode, and same owner where we may give it away.
#[cfg(unix)]
fn replacement(target: &Path, old: &Metadata) -> io::Result<(Unfinished, File)> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    // From the first moment not readable by more people than the old one was.
    let mut options = OpenOptions::new();
    options.mode(old.mode() & 0o777);
    let (unfinished, file) = Unfinished::create(target, &mut options)?;
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        let _ = std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()));
    }
    // Some file systems have no modes.
    let _ = file.set_permissions(old.permissions());
    Ok((unfinished, file))
}

#[cfg(not(unix))]
fn replacement(target: &Path, _: &Metadata) -> io::Result<(Unfinished, File)> {
    Unfinished::create(target, &mut OpenOptions::new())
}

/// stdout; a reader that has gone away (`| head`) is no error.
#[derive(Debug, Default)]
struct Stdout {
    gone: bool,
}

impl Stdout {
    fn forgive<T>(&mut self, result: io::Result<T>, instead: T) -> io::Result<T> {
        match result {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                self.gone = true;
                Ok(instead)
            }
            other => other,
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gone {
            return Ok(bytes.len());
        }
        let written = io::stdout().write(bytes);
        self.forgive(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = io::stdout().flush();
        self.forgive(flushed, ())
    }
}

fn torn(name: &str, atomic: bool, e: &io::Error) -> Failure {
    let what = format!("cannot write {name}: {e}");
    Failure::new(Exit::Invalid, what).hint(match atomic {
        true => "is the disk full? nothing was left behind",
        false => "is the disk full? what was written is not all of it",
    })
}

fn cannot_write(name: &str, e: &io::Error) -> Failure {
    let failure = |why: &str| Failure::new(Exit::Invalid, format!("cannot write {name}: {why}"));
    match e.kind() {
        io::ErrorKind::NotFound => {
            failure("its folder does not exist").hint("make the folder first, or choose another")
        }
        io::ErrorKind::IsADirectory => {
            failure("it is a folder").hint("give the name of a file, for example ctx.bcp")
        }
        io::ErrorKind::PermissionDenied => failure("permission denied")
            .hint("the file and its folder must be writable: a new file is made there and renamed"),
        _ => failure(&e.to_string()),
    }
}

/// Only the owner can read the file.
#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn private(_: &mut OpenOptions) {}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;

//! The output of a command: a file that appears when it is complete, or a stream.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use linkspan_wire::escape_line;

use super::open_ended::OpenEnded;
use super::partial::{PartialFiles, Unfinished};
use super::within::Within;
use super::{DASH, Identity, Links, OutputPath, without_waiting};
use crate::error::{BcpError, Result, path_name};

const BUFFER: usize = 16 << 10;

/// An output. A file gets its name only in [`Output::commit`]; without that, no file appears.
pub struct Output {
    name: String,
    sink: Sink,
    partial: PartialFiles,
}

enum Sink {
    /// A file that becomes `target`.
    File {
        file: BufWriter<File>,
        unfinished: Unfinished,
        target: PathBuf,
    },
    /// A file in a folder that is held open.
    Within(Within),
    /// A pipe or a device, which is written directly.
    Direct(BufWriter<File>),
    Stream(BufWriter<Box<dyn Write>>),
}

impl Output {
    /// A file, or the stream of the caller: `-` and `/dev/stdout` are `stdout`, whose reader may leave before its end.
    pub fn open(path: &Path, stdout: impl Write + 'static, partial: &PartialFiles) -> Result<Self> {
        if path == Path::new(DASH) || path == Path::new("/dev/stdout") {
            let out = Box::new(OpenEnded::new(stdout));
            return Ok(Self::stream("stdout", out, partial));
        }
        Self::create(path, partial)
    }

    /// A file. A link is followed: its target is replaced, not the link.
    pub fn create(path: &Path, partial: &PartialFiles) -> Result<Self> {
        let name = path.display().to_string();
        let partial = partial.clone();
        match Sink::open(path, &partial) {
            Ok(sink) => Ok(Self {
                name,
                sink,
                partial,
            }),
            Err(error) => Err(cannot_create(path_name(path), error)),
        }
    }

    /// A file at a checked path. No link is followed.
    pub fn within(place: &OutputPath, partial: &PartialFiles) -> Result<Self> {
        let name = place.path().display().to_string();
        let partial = partial.clone();
        match Within::create(&partial, place.folder.clone(), &place.name, BUFFER) {
            Ok(file) => Ok(Self {
                name,
                sink: Sink::Within(file),
                partial,
            }),
            Err(error) => Err(cannot_create(name, error)),
        }
    }

    /// A stream with this name in messages, for example stdout.
    pub fn stream(name: &str, out: Box<dyn Write>, partial: &PartialFiles) -> Self {
        Self {
            name: name.to_owned(),
            sink: Sink::Stream(BufWriter::with_capacity(BUFFER, out)),
            partial: partial.clone(),
        }
    }

    /// The name as given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The error for an output that could not be written completely.
    pub fn incomplete(&self, error: io::Error) -> BcpError {
        BcpError::Write {
            name: escape_line(&self.name).into_owned(),
            atomic: self.is_atomic(),
            error,
        }
    }

    /// Refuses an input that is this output: replacing an input is hardly intended.
    pub fn refuse_input(&self, input: &Path) -> Result<()> {
        let is_output = |input| self.identities().contains(&input);
        if input != Path::new(DASH) && Identity::of(input).is_some_and(is_output) {
            return Err(BcpError::SameFile(input.to_owned()));
        }
        Ok(())
    }

    /// Whether it is a stream of the caller.
    pub fn is_stream(&self) -> bool {
        matches!(self.sink, Sink::Stream(_))
    }

    /// Whether no part of it is visible before it is committed.
    pub fn is_atomic(&self) -> bool {
        matches!(self.sink, Sink::File { .. } | Sink::Within(_))
    }

    /// The files that must not be read as input: the one being written, and the one that it replaces.
    pub fn identities(&self) -> Vec<Identity> {
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

    /// An unnamed temporary file for data that is read again. It is in the folder of the output, which needs
    /// that space anyway.
    pub fn spool(&self) -> Result<File> {
        let near = match &self.sink {
            Sink::File { target, .. } => target.clone(),
            _ => self.partial.temp().join("linkspan"),
        };
        let mut options = OpenOptions::new();
        private(options.read(true));
        match Unfinished::create(&self.partial, &near, &mut options) {
            // The guard removes the name; the file exists until it is closed.
            Ok((_, file)) => Ok(file),
            Err(error) => Err(cannot_create(path_name(&near), error)),
        }
    }

    /// Completes the output. Does not sync to disk: this protects against errors of this process only, and
    /// syncing 50 MB takes longer than writing them.
    pub fn commit(mut self) -> Result<()> {
        let (name, atomic) = (escape_line(&self.name).into_owned(), self.is_atomic());
        self.flush()
            .and_then(|()| match self.sink {
                Sink::File {
                    file,
                    unfinished,
                    target,
                } => {
                    // Some systems cannot rename an open file.
                    drop(file);
                    unfinished.finish(&target)
                }
                Sink::Within(file) => file.finish(),
                _ => Ok(()),
            })
            .map_err(|error| BcpError::Write {
                name,
                atomic,
                error,
            })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::File { file, .. } | Sink::Direct(file) => file.write(bytes),
            Sink::Within(file) => file.write(bytes),
            Sink::Stream(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::File { file, .. } | Sink::Direct(file) => file.flush(),
            Sink::Within(file) => file.flush(),
            Sink::Stream(out) => out.flush(),
        }
    }
}

impl Sink {
    fn open(path: &Path, partial: &PartialFiles) -> io::Result<Self> {
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
            None => Unfinished::create(partial, &target, &mut OpenOptions::new())?,
            Some(old) => {
                // A file without write permission may not be replaced either.
                without_waiting(OpenOptions::new().write(true), Links::Refuse).open(&target)?;
                replacement(partial, &target, &old)?
            }
        };
        Ok(Self::File {
            file: BufWriter::with_capacity(BUFFER, file),
            unfinished,
            target,
        })
    }
}

/// Follows the links at the end of a path; the last target need not exist.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..40 {
        // The target of these links is not a path: `pipe:[123]`.
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

/// Whether a path refers to an open file of a process.
fn is_descriptor(path: &Path) -> bool {
    path.starts_with("/dev/fd") || path.starts_with("/proc")
}

/// A new file with the mode of `old`, and its owner if that is permitted.
#[cfg(unix)]
fn replacement(
    partial: &PartialFiles,
    target: &Path,
    old: &Metadata,
) -> io::Result<(Unfinished, File)> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    // Never readable by more users than the old file.
    let mut options = OpenOptions::new();
    options.mode(old.mode() & 0o777);
    let (unfinished, file) = Unfinished::create(partial, target, &mut options)?;
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        let _ = std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()));
    }
    // Some file systems have no modes.
    let _ = file.set_permissions(old.permissions());
    Ok((unfinished, file))
}

#[cfg(not(unix))]
fn replacement(
    partial: &PartialFiles,
    target: &Path,
    _: &Metadata,
) -> io::Result<(Unfinished, File)> {
    Unfinished::create(partial, target, &mut OpenOptions::new())
}

/// Makes the file readable by its owner only.
#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn private(_: &mut OpenOptions) {}

fn cannot_create(name: String, error: io::Error) -> BcpError {
    BcpError::Create { name, error }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;

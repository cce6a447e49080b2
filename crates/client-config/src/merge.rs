//! Adding a server to a configuration file.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::file::{self, ReadError};
use crate::jsonc::{self, EditError};
use crate::server::shown;

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// The location of this client's configuration is unknown.
    #[error("the location of the configuration of {0} is unknown")]
    NoFile(&'static str),
    /// The file cannot be read.
    #[error("cannot read {}: {source}", shown(file))]
    Read {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: ReadError,
    },
    /// The text of the file cannot be edited.
    #[error("{}", not_edited(file, source))]
    Edit {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: EditError,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {source}", shown(file))]
    Write {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl MergeError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoFile(_) => "name the file with --file FILE",
            Self::Read { .. } => "nothing was changed; leave out --write to print the entry",
            Self::Edit { .. } => {
                "nothing was changed; fix the file, or leave out --write and add the printed entry by hand"
            }
            Self::Write { .. } => {
                "nothing was changed; leave out --write and add the printed entry by hand"
            }
        }
    }
}

fn not_edited(file: &Path, why: &EditError) -> String {
    let file = shown(file);
    match why {
        EditError::Syntax(why) => format!("{file} is not JSON: {why}"),
        EditError::NoObject(what) => format!("{what} in {file} is not an object"),
        EditError::Duplicate(name) => format!("`{name}` occurs more than once in {file}"),
        EditError::Unsafe => format!("{file} has a form that linkspan cannot edit"),
    }
}

/// The result of a merge.
#[derive(Debug, PartialEq, Eq)]
pub enum Merged {
    /// The file had the entry already.
    Unchanged,
    /// The file was created.
    Created,
    /// The file was changed; this is a copy of its previous contents.
    Changed(PathBuf),
}

/// Puts `entry` under `key` and `name` into a file, and keeps a copy of the previous file beside it.
///
/// # Errors If the file cannot be read, edited or written; then it is not changed.
pub fn merge(path: &Path, key: &str, name: &str, entry: &Value) -> Result<Merged, MergeError> {
    // A symbolic link to the file stays a link.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = file::text(&real).map_err(|source| MergeError::Read {
        file: real.clone(),
        source,
    })?;
    let after = jsonc::put(before.as_deref().unwrap_or_default(), key, name, entry);
    let after = after.map_err(|source| MergeError::Edit {
        file: path.to_owned(),
        source,
    })?;
    let Some(after) = after else {
        return Ok(Merged::Unchanged);
    };
    let cannot_write = |source| MergeError::Write {
        file: path.to_owned(),
        source,
    };
    let copy = before.map(|_| back_up(&real)).transpose();
    let copy = copy.map_err(cannot_write)?;
    replace(&real, &after).map_err(cannot_write)?;
    Ok(copy.map_or(Merged::Created, Merged::Changed))
}

/// Copies the file to a free name.
fn back_up(file: &Path) -> io::Result<PathBuf> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    for n in 0..1000 {
        let number = match n {
            0 => String::new(),
            n => format!(".{n}"),
        };
        let copy = file.with_file_name(format!("{name}.bak{number}"));
        match new_file(&copy) {
            Ok(mut out) => {
                out.write_all(&fs::read(file)?)?;
                fs::set_permissions(&copy, fs::metadata(file)?.permissions())?;
                return Ok(copy);
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::other("there are a thousand copies beside it"))
}

/// Replaces the file atomically.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    if let Some(above) = file.parent().filter(|above| !above.as_os_str().is_empty()) {
        fs::create_dir_all(above)?;
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let draft = file.with_file_name(format!(".{name}.linkspan-{}", std::process::id()));
    let written = (|| {
        let mut out = new_file(&draft)?;
        out.write_all(text.as_bytes())?;
        out.sync_all()?;
        match fs::metadata(file) {
            Ok(about) => fs::set_permissions(&draft, about.permissions())?,
            Err(_) => default_permissions(&draft)?,
        }
        fs::rename(&draft, file)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// The file may contain secrets: other users must not read it before it has the permissions of the original.
fn new_file(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn default_permissions(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    let _ = path;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn add(file: &Path, name: &str) -> Result<Merged, MergeError> {
        merge(file, "mcpServers", name, &json!({"command": "c"}))
    }

    #[test]
    fn a_file_is_created_then_changed_with_a_copy_then_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/mcp.json");
        assert_eq!(add(&file, "a").unwrap(), Merged::Created);
        let first = fs::read_to_string(&file).unwrap();
        let Merged::Changed(copy) = add(&file, "b").unwrap() else {
            panic!("not changed");
        };
        assert_eq!(fs::read_to_string(copy).unwrap(), first);
        assert_eq!(add(&file, "b").unwrap(), Merged::Unchanged);
        assert_eq!(fs::read_dir(folder.path().join("deep")).unwrap().count(), 2);
    }

    #[test]
    fn a_file_that_is_not_json_is_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        fs::write(&file, "{").unwrap();
        assert!(matches!(add(&file, "a"), Err(MergeError::Edit { .. })));
        assert_eq!(fs::read_to_string(&file).unwrap(), "{");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

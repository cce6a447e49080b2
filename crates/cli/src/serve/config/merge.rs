//! One server more in a client's configuration on disk.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::jsonc::{self, Trouble};
use crate::exit::{Exit, Failure};
use crate::show::path as shown;

/// The largest configuration that is read.
const MAX: u64 = 16 << 20;

/// What was done.
pub(crate) struct Done {
    pub(crate) changed: bool,
    /// The file as it was.
    pub(crate) backup: Option<PathBuf>,
}

/// Puts `entry` under `key` and `name`, and leaves a copy of the file as it was beside it.
pub(crate) fn into_file(
    file: &Path,
    key: &str,
    name: &str,
    entry: &Value,
) -> Result<Done, Failure> {
    // Whoever keeps configurations elsewhere and links to them keeps the link.
    let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let before = text(&real)?;
    let after = jsonc::put(before.as_deref().unwrap_or_default(), key, name, entry)
        .map_err(|trouble| explain(file, &trouble))?;
    let Some(after) = after else {
        return Ok(Done {
            changed: false,
            backup: None,
        });
    };
    let backup = match &before {
        Some(_) => Some(back_up(&real).map_err(|e| cannot_write(file, &e))?),
        None => None,
    };
    replace(&real, &after).map_err(|e| cannot_write(file, &e))?;
    Ok(Done {
        changed: true,
        backup,
    })
}

fn text(file: &Path) -> Result<Option<String>, Failure> {
    let cannot = |why: String| {
        Failure::new(Exit::Invalid, format!("cannot read {}: {why}", shown(file)))
            .hint("nothing was changed; without --write it is only printed")
    };
    match fs::metadata(file) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(cannot(e.to_string())),
        Ok(about) if !about.is_file() => return Err(cannot("it is not a file".to_owned())),
        Ok(about) if about.len() > MAX => return Err(cannot("it is too large".to_owned())),
        Ok(_) => {}
    }
    let text = fs::read_to_string(file).map_err(|e| cannot(e.to_string()))?;
    Ok(Some(text))
}

/// A copy under a name that is free.
fn back_up(file: &Path) -> io::Result<PathBuf> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    for n in 0..1000 {
        let ending = match n {
            0 => String::new(),
            n => format!(".{n}"),
        };
        let copy = file.with_file_name(format!("{name}.bak{ending}"));
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

/// A reader sees the file as it was, or as it will be.
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
            Err(_) => usual_permissions(&draft)?,
        }
        fs::rename(&draft, file)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

/// There may be secrets in it: nobody else reads it before it has the permissions of the original.
fn new_file(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn usual_permissions(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    let _ = path;
    Ok(())
}

fn explain(file: &Path, trouble: &Trouble) -> Failure {
    let file = shown(file);
    let what = match trouble {
        Trouble::Syntax(why) => format!("{file} is not JSON: {why}"),
        Trouble::NoObject(what) => format!("{what} in {file} is not an object"),
        Trouble::Twice(name) => format!("`{name}` stands in {file} more than once"),
        Trouble::Confused => format!("{file} is written in a way that we cannot add to"),
    };
    Failure::new(Exit::Invalid, what)
        .hint("nothing was changed; fix it, or add by hand what is printed without --write")
}

fn cannot_write(file: &Path, error: &io::Error) -> Failure {
    Failure::new(
        Exit::Invalid,
        format!("cannot write {}: {error}", shown(file)),
    )
    .hint("nothing was changed; add by hand what is printed without --write")
}

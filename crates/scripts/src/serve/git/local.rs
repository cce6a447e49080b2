//! Checks a repository of this machine: it and all its parts must be inside the readable folders.

use std::fs;
use std::path::{Path, PathBuf};

use crate::serve::options::NotFetched;

/// Files through which git would follow a path to another place.
const PARTS: &[&str] = &[
    "HEAD",
    "config",
    "objects",
    "objects/info",
    "objects/pack",
    "packed-refs",
    "refs",
];

/// The folder with the repository's own files. Blocks.
pub(super) fn git_dir(
    roots: &[PathBuf],
    folder: &Path,
    accept_writable: bool,
) -> Result<PathBuf, NotFetched> {
    let Ok(folder) = folder.canonicalize() else {
        // The client must not learn which paths exist outside of the roots.
        return Err(if is_inside(roots, folder) {
            NotFetched::NotFound
        } else {
            outside()
        });
    };
    if !is_inside(roots, &folder) {
        return Err(outside());
    }
    let dir = match folder.join(".git") {
        inner if inner.is_dir() => inner.canonicalize().map_err(|_| NotFetched::NotFound)?,
        inner if inner.exists() => {
            return Err(NotFetched::Unsupported(
                "this is a part of another repository: name that one".to_owned(),
            ));
        }
        _ => folder,
    };
    let is_one = dir.join("HEAD").exists() && dir.join("objects").is_dir();
    if !is_one {
        return Err(NotFetched::NotFound);
    }
    for part in PARTS.iter().map(|part| dir.join(part)).chain([dir.clone()]) {
        if !part.exists() && !part.is_symlink() {
            continue;
        }
        let real = part.canonicalize().map_err(|_| outside())?;
        if !is_inside(roots, &real) {
            return Err(outside());
        }
        if !accept_writable && !is_ours(&real) {
            return Err(NotFetched::Forbidden(
                "the repository belongs to another user, whose settings git would follow: copy it"
                    .to_owned(),
            ));
        }
    }
    let elsewhere = ["commondir", "objects/info/alternates"];
    if elsewhere.iter().any(|part| dir.join(part).exists()) {
        return Err(NotFetched::Forbidden(
            "the repository uses objects of another one: name that one, or make a complete copy"
                .to_owned(),
        ));
    }
    Ok(dir)
}

fn is_inside(roots: &[PathBuf], path: &Path) -> bool {
    let leaves = path
        .components()
        .any(|part| part == std::path::Component::ParentDir);
    !leaves && roots.iter().any(|root| path.starts_with(root))
}

fn outside() -> NotFetched {
    NotFetched::Forbidden(
        "the repository is in no folder that may be read: --root names one".to_owned(),
    )
}

#[cfg(unix)]
fn is_ours(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let me = rustix::process::geteuid().as_raw();
    fs::metadata(path).is_ok_and(|known| known.uid() == me || known.uid() == 0)
}

#[cfg(not(unix))]
fn is_ours(path: &Path) -> bool {
    fs::metadata(path).is_ok()
}

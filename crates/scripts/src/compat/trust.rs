//! Whose files are run: ours, and nobody else may have written to them.

use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::folder::{self, FolderError};

/// Why a file is not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distrust {
    /// Which one; it may be a folder above.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: Why,
}

/// What is wrong with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It points elsewhere.
    Symlink,
    /// Others can write to it.
    Writable,
    /// It belongs to somebody else.
    Owner,
    /// It is not there, or we may not look.
    Unreadable,
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        let name = name.to_string_lossy();
        match self.why {
            Why::Symlink => write!(f, "{name} is a symbolic link"),
            Why::Writable => write!(f, "{name} can be written by others"),
            Why::Owner => write!(f, "{name} belongs to somebody else"),
            Why::Unreadable => write!(f, "{name} cannot be looked at"),
        }
    }
}

/// Whether a script that we would read into a shell, its folder and the project are ours alone.
pub fn script(path: &Path, root: &Path) -> Result<(), Distrust> {
    let folder = path.parent().unwrap_or(root);
    for path in [path, folder, root] {
        alone(path)?;
    }
    Ok(())
}

/// Whether a tool is inside the folder of tools, and ours alone.
pub fn is_tool(path: &Path, tools: &Path) -> bool {
    let (Ok(real), Ok(tools)) = (path.canonicalize(), tools.canonicalize()) else {
        return false;
    };
    real.starts_with(tools) && real.metadata().is_ok_and(|m| judge(&m).is_none())
}

/// Whether a project may be served: it is ours, and not everybody can write to it. That its group can is
/// usual for projects of mcp-bash; what they run is looked at when it is run.
pub fn folder(root: &Path) -> Result<(), FolderError> {
    const STICKY: u32 = 0o1000;
    let meta = root.metadata().map_err(|source| FolderError::Unreadable {
        path: root.to_owned(),
        source,
    })?;
    let reason = match judge(&meta) {
        Some(Why::Owner) => folder::Distrust::Foreign(meta.uid()),
        Some(_) if meta.mode() & 0o002 != 0 && meta.mode() & STICKY == 0 => {
            folder::Distrust::Writable(meta.mode() & 0o7777)
        }
        _ => return Ok(()),
    };
    Err(FolderError::Untrusted {
        path: root.to_owned(),
        reason,
    })
}

fn alone(path: &Path) -> Result<(), Distrust> {
    let distrust = |why| Distrust {
        path: path.to_owned(),
        why,
    };
    let meta = path
        .symlink_metadata()
        .map_err(|_| distrust(Why::Unreadable))?;
    match judge(&meta) {
        None => Ok(()),
        Some(why) => Err(distrust(why)),
    }
}

fn judge(meta: &Metadata) -> Option<Why> {
    let us = rustix::process::geteuid().as_raw();
    if meta.file_type().is_symlink() {
        Some(Why::Symlink)
    } else if meta.uid() != us && meta.uid() != 0 {
        Some(Why::Owner)
    } else if meta.mode() & 0o022 != 0 {
        Some(Why::Writable)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_others_can_write_is_not_trusted() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("x.sh");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(script(&file, root.path()), Ok(()));
        assert!(is_tool(&file, root.path()));
        for mode in [0o666, 0o664, 0o646] {
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            assert_eq!(script(&file, root.path()).unwrap_err().why, Why::Writable);
            assert!(!is_tool(&file, root.path()));
        }
    }

    #[test]
    fn a_folder_above_counts_and_so_does_a_link() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("server.d");
        fs::create_dir(&folder).unwrap();
        let file = folder.join("policy.sh");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
        assert_eq!(script(&file, root.path()).unwrap_err().path, folder);
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        let link = folder.join("link.sh");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(script(&link, root.path()).unwrap_err().why, Why::Symlink);
        assert!(!is_tool(&file, &root.path().join("tools")));
    }
}

//! The embedded SDKs: a tool finds them in the folder of `MCP_SDK`.
//!
//! They are written once per content: the name of the folder is a hash of its contents, so servers of different
//! versions do not disturb each other, and servers of the same version share it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use linkspan_wire::escape_line;

use crate::os::{self, DirBuilderExt, MetadataExt, OpenOptionsExt, symlink};

/// A file of the SDK: path and text.
pub struct SdkFile {
    /// The path below the folder, with `/`.
    pub path: &'static str,
    /// The text.
    pub text: &'static str,
}

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(SdkFile { path: $path, text: include_str!(concat!("../sdk/", $path)) }),*]
    };
}

/// Every file. mcp-bash projects source those in `lib` by their place beside `sdk`.
pub const FILES: &[SdkFile] = files![
    "sdk/tool-sdk.sh",
    "sdk/ui-sdk.sh",
    "sdk/mcptool.py",
    "sdk/mcptool.mjs",
    "lib/path.sh",
    "lib/progress-passthrough.sh",
    "lib/resource_content.sh",
    "lib/truncate.sh",
    "lib/download.sh",
];

/// An installed SDK.
#[derive(Clone, Debug)]
pub struct Installed {
    /// The folder with everything (mcp-bash's home).
    pub home: PathBuf,
    /// For `MCP_SDK`.
    pub sdk: PathBuf,
    /// For `MCPBASH_JSON_TOOL_BIN`: a link named `jq` to our own program, which looks at its name.
    pub jq: PathBuf,
}

/// Writes the SDK into a folder of this user in `temp`, unless it exists. `exe` is this program.
pub fn install(exe: &Path, temp: &Path) -> io::Result<Installed> {
    install_in(&temp.join(format!("linkspan-{}", os::user())), exe)
}

/// As [`install`], below a folder that is created if necessary.
///
/// An existing folder is used only if it belongs to this user and no other user can write to it: tools run the
/// programs in it.
pub fn install_in(parent: &Path, exe: &Path) -> io::Result<Installed> {
    match DirBuilder::new().mode(0o700).create(parent) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
        other => other?,
    }
    check_ours(parent, &fs::symlink_metadata(parent)?, 0o022)?;
    let home = parent.join(format!("sdk-{:016x}", fingerprint(exe)));
    if !is_complete(&home, exe)? {
        place(parent, &home, exe)?;
    }
    Ok(Installed {
        sdk: home.join("sdk"),
        jq: home.join("bin/jq"),
        home,
    })
}

/// The first file of the SDK whose copy in a folder differs.
pub fn differing(folder: &Path) -> Option<PathBuf> {
    let mut paths = FILES.iter().map(|file| (folder.join(file.path), file.text));
    let found = paths.find(|(path, text)| fs::read(path).is_ok_and(|is| is != text.as_bytes()));
    found.map(|(path, _)| path)
}

/// Why the SDK is not written to a folder of the user.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file there is another one.
    #[error("{} exists and has other contents", shown(.0))]
    Differs(PathBuf),
    /// A file cannot be written.
    #[error("cannot write to {}: {source}", shown(folder))]
    Write {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl WriteError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Differs(_) => {
                "--force replaces it; the file may be from another version, or edited by hand"
            }
            Self::Write { .. } => "is the folder writable, and is there free disk space?",
        }
    }
}

/// Writes the files into a folder chosen by the user; returns their paths. Files that differ are replaced with `force`
/// only.
pub fn write_out(folder: &Path, force: bool) -> Result<Vec<PathBuf>, WriteError> {
    if let Some(path) = differing(folder).filter(|_| !force) {
        return Err(WriteError::Differs(path));
    }
    write_to(folder).map_err(|source| WriteError::Write {
        folder: folder.to_owned(),
        source,
    })
}

fn shown(path: &Path) -> String {
    escape_line(&path.to_string_lossy()).into_owned()
}

/// Writes the files into a folder chosen by the user; returns their paths. Existing files are replaced.
pub fn write_to(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let write = |file: &SdkFile| {
        let path = folder.join(file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, file.text)?;
        Ok(path)
    };
    FILES.iter().map(write).collect()
}

fn fingerprint(exe: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    exe.hash(&mut hasher);
    for file in FILES {
        (file.path, file.text).hash(&mut hasher);
    }
    hasher.finish()
}

/// Whether a folder contains the whole SDK. A folder that other users can write to is an error.
fn is_complete(home: &Path, exe: &Path) -> io::Result<bool> {
    let metadata = match fs::symlink_metadata(home) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    };
    check_ours(home, &metadata, 0o077)?;
    // Programs that clean up temporary folders take single files.
    let whole = |file: &SdkFile| {
        fs::metadata(home.join(file.path)).is_ok_and(|m| m.len() == file.text.len() as u64)
    };
    let jq = fs::read_link(home.join("bin/jq")).is_ok_and(|target| target == exe);
    Ok(jq && FILES.iter().all(whole))
}

/// Checks owner and permissions; `closed` are the bits that must not be set.
fn check_ours(folder: &Path, metadata: &fs::Metadata, closed: u32) -> io::Result<()> {
    let ours = metadata.is_dir() && metadata.uid() == os::user() && metadata.mode() & closed == 0;
    if ours {
        return Ok(());
    }
    let why = format!(
        "{} belongs to another user or can be accessed by others; remove it, or set TMPDIR",
        folder.display()
    );
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

/// Creates the folder under a temporary name first, so that no process sees it half-written.
fn place(parent: &Path, home: &Path, exe: &Path) -> io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let draft = parent.join(format!(".sdk-{}-{number}", std::process::id()));
    // A draft of a dead process with the same pid.
    remove(&draft)?;
    let written = write_draft(&draft, exe);
    let placed = written.and_then(|()| match fs::rename(&draft, home) {
        Err(_) if is_complete(home, exe)? => Ok(()),
        Err(_) => {
            // Moves an incomplete folder away and puts ours in its place.
            let old = parent.join(format!(".old-{}-{number}", std::process::id()));
            match fs::rename(home, &old) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => {}
            }
            let again = fs::rename(&draft, home);
            remove(&old)?;
            match again {
                Err(_) if is_complete(home, exe)? => Ok(()),
                other => other,
            }
        }
        Ok(()) => Ok(()),
    });
    let cleaned = remove(&draft);
    placed.and(cleaned)
}

fn write_draft(draft: &Path, exe: &Path) -> io::Result<()> {
    let folder = |path: &Path| DirBuilder::new().mode(0o700).create(path);
    folder(draft)?;
    for name in ["sdk", "lib", "bin"] {
        folder(&draft.join(name))?;
    }
    for file in FILES {
        let mut out: File = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(draft.join(file.path))?;
        out.write_all(file.text.as_bytes())?;
    }
    symlink(exe, draft.join("bin/jq"))
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_sdk_is_written_once_and_reused() {
        let parent = tempfile::tempdir().expect("a folder");
        let exe = Path::new("/bin/true");
        let first = install_in(parent.path(), exe).expect("installed");
        let written = fs::metadata(first.sdk.join("tool-sdk.sh"))
            .expect("there")
            .ino();
        let second = install_in(parent.path(), exe).expect("found");
        let found = fs::metadata(second.sdk.join("tool-sdk.sh"))
            .expect("there")
            .ino();
        assert_eq!((first.home, written), (second.home, found));
        assert_eq!(fs::read_link(first.jq).expect("a link"), exe);
        assert_eq!(fs::read_dir(parent.path()).expect("readable").count(), 1);
    }

    #[test]
    fn another_program_gets_a_folder_of_its_own() {
        let parent = tempfile::tempdir().expect("a folder");
        let one = install_in(parent.path(), Path::new("/bin/true")).expect("installed");
        let two = install_in(parent.path(), Path::new("/bin/false")).expect("installed");
        assert_ne!(one.home, two.home);
    }

    #[test]
    fn concurrent_servers_find_a_complete_sdk() {
        let parent = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            let starts: Vec<_> = (0..16)
                .map(|_| scope.spawn(|| install_in(parent.path(), Path::new("/bin/true"))))
                .collect();
            for start in starts {
                let sdk = start.join().expect("no panic").expect("installed");
                assert!(is_complete(&sdk.home, Path::new("/bin/true")).expect("private"));
            }
        });
        assert_eq!(fs::read_dir(parent.path()).expect("readable").count(), 1);
    }

    #[test]
    fn a_deleted_sdk_is_rewritten() {
        let parent = tempfile::tempdir().expect("a folder");
        let sdk = install_in(parent.path(), Path::new("/bin/true")).expect("installed");
        fs::remove_file(sdk.sdk.join("mcptool.py")).expect("removed");
        let again = install_in(parent.path(), Path::new("/bin/true")).expect("repaired");
        assert!(again.sdk.join("mcptool.py").exists());
        assert_eq!(fs::read_dir(parent.path()).expect("readable").count(), 1);
    }

    #[test]
    fn a_shared_sdk_folder_is_refused() {
        let parent = tempfile::tempdir().expect("a folder");
        let sdk = install_in(parent.path(), Path::new("/bin/true")).expect("installed");
        let mode = fs::metadata(&sdk.home).expect("there").mode() & 0o777;
        assert_eq!(mode, 0o700);
        fs::set_permissions(&sdk.home, fs::Permissions::from_mode(0o755)).expect("changed");
        let refused = install_in(parent.path(), Path::new("/bin/true")).expect_err("refused");
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
    }

    #[test]
    fn exported_sdks_have_no_link() {
        let folder = tempfile::tempdir().expect("a folder");
        let written = write_to(folder.path()).expect("written");
        assert_eq!(differing(folder.path()), None);
        assert_eq!(written.len(), FILES.len());
        assert!(folder.path().join("lib/path.sh").exists());
        assert!(!folder.path().join("bin").exists());
    }
}

//! A copy of an example in a temporary folder.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The folder of examples.
pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .canonicalize()
        .expect("examples")
}

/// Copies an example and sets the permissions, independent of the checkout.
pub fn copy(name: &str) -> tempfile::TempDir {
    let workspace = tempfile::tempdir().expect("a folder");
    copy_folder(&examples().join(name), workspace.path());
    workspace
}

fn copy_folder(from: &Path, to: &Path) {
    fs::set_permissions(to, fs::Permissions::from_mode(0o755)).expect("permissions");
    for entry in fs::read_dir(from).expect("readable") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            fs::create_dir(&target).expect("made");
            copy_folder(&entry.path(), &target);
        } else {
            let executable = entry.metadata().expect("metadata").permissions().mode() & 0o100;
            fs::copy(entry.path(), &target).expect("copied");
            let mode = if executable == 0 { 0o644 } else { 0o755 };
            fs::set_permissions(&target, fs::Permissions::from_mode(mode)).expect("permissions");
        }
    }
}

//! Finds code that other users can change and that no entry names: helper modules, libraries, and their
//! folders. A tool may read any of these; which ones is not known.

use std::collections::VecDeque;
use std::fs::{self, Metadata};
use std::path::Path;

use super::{Trust, Untrusted};
use crate::os::MetadataExt as _;

/// Folders whose contents are code by convention, at any depth.
const CODE_FOLDERS: [&str; 12] = [
    "tools",
    "prompts",
    "completions",
    "providers",
    "server.d",
    "lib",
    "sdk",
    "bin",
    "node_modules",
    "__pycache__",
    "venv",
    ".venv",
];

/// Files that interpreters read, executable or not.
const CODE: [&str; 20] = [
    "sh", "bash", "zsh", "py", "pyc", "pth", "js", "mjs", "cjs", "ts", "rb", "pl", "pm", "php",
    "lua", "awk", "jq", "so", "dylib", "node",
];

/// Never read by a tool as code; `.git` can be very large.
const SKIPPED: [&str; 2] = [".git", ".registry"];

/// The result of a scan.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) found: Vec<Untrusted>,
    /// Whether the limit was reached.
    pub(crate) cut: bool,
}

impl Trust {
    /// Scans at most `most` files and folders, breadth first. Links are not followed: targets inside the folder
    /// are scanned anyway.
    pub(crate) fn scan(&self, root: &Path, most: usize) -> Scan {
        let mut scan = Scan::default();
        if self.accept_writable {
            return scan;
        }
        let mut seen = 0;
        let mut folders = VecDeque::from([(root.to_owned(), false)]);
        while let Some((folder, is_code)) = folders.pop_front() {
            let mut has_code = false;
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                seen += 1;
                if seen > most {
                    scan.cut = true;
                    return scan;
                }
                let (path, name) = (entry.path(), entry.file_name());
                let Ok(metadata) = entry.metadata() else {
                    continue;
                };
                if metadata.is_dir() {
                    let named = |names: &[&str]| names.iter().any(|known| name == *known);
                    if !named(&SKIPPED) {
                        folders.push_back((path, is_code || named(&CODE_FOLDERS)));
                    }
                } else if metadata.is_file() && code(&path, &metadata) {
                    has_code = true;
                    self.note(&path, &metadata, &mut scan);
                }
            }
            if folder != root
                && (is_code || has_code)
                && let Ok(metadata) = fs::symlink_metadata(&folder)
            {
                self.note(&folder, &metadata, &mut scan);
            }
        }
        scan
    }

    fn note(&self, path: &Path, metadata: &Metadata, scan: &mut Scan) {
        if let Some(why) = self.judge(path, metadata) {
            scan.found.push(Untrusted {
                path: path.to_owned(),
                why,
            });
        }
    }
}

fn code(path: &Path, metadata: &Metadata) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    metadata.mode() & 0o111 != 0
        || extension.is_some_and(|extension| CODE.contains(&extension))
        || path.to_string_lossy().contains(".meta.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn code_writable_by_others_is_found_and_data_is_ignored() {
        let root = tempfile::tempdir().unwrap();
        let put = |path: &str, mode: u32| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "x").unwrap();
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        };
        let folder = |path: &str, mode: u32| {
            let path = root.path().join(path);
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        };
        put("tools/_common.sh", 0o666);
        put("tools/weather/helper.py", 0o646);
        put("tools/weather/data.csv", 0o666);
        put("shared/module.py", 0o644);
        put("cache/entry.txt", 0o666);
        put(".git/hook.sh", 0o777);
        folder("shared", 0o777);
        folder("cache", 0o777);
        folder("lib", 0o777);
        let trust = Trust::new(false);
        let scan = trust.scan(root.path(), 1000);
        let mut names: Vec<_> = scan
            .found
            .iter()
            .map(|found| {
                found
                    .path
                    .strip_prefix(root.path())
                    .unwrap()
                    .to_str()
                    .unwrap()
            })
            .collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                "lib",
                "shared",
                "tools/_common.sh",
                "tools/weather/helper.py"
            ]
        );
        assert!(!scan.cut);
        assert!(trust.scan(root.path(), 3).cut);
        assert!(Trust::new(true).scan(root.path(), 1000).found.is_empty());
    }
}

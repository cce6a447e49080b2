//! Checks a whole path: every folder and every symbolic link on it.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::{Distrust, Trust, Untrusted};
use crate::os::MetadataExt as _;

/// Limit of symbolic links, as in the kernel.
const LINKS: usize = 40;
const STICKY: u32 = 0o1000;

/// Why a path is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// Another user can change it.
    #[error(transparent)]
    Untrusted(#[from] Untrusted),
    /// It cannot be examined.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Trust {
    /// Checks an absolute path. What lies in `zone` is judged strictly; outside, sticky folders are accepted.
    pub fn walk(&self, path: &Path, zone: &Path) -> Result<(), WalkError> {
        if self.accept_writable {
            return Ok(());
        }
        let mut at = PathBuf::from("/");
        let mut left = parts(path);
        let mut links = 0;
        self.above(&at, &stat(&at)?)?;
        while let Some(part) = left.pop() {
            if part == ".." {
                at.pop();
                continue;
            }
            let next = at.join(&part);
            let metadata = stat(&next)?;
            if metadata.is_symlink() {
                self.owned(&next, &metadata)?;
                links += 1;
                let target = if links > LINKS {
                    Err(io::Error::other("too many symbolic links"))
                } else {
                    fs::read_link(&next)
                };
                let target = target.map_err(|source| WalkError::Io {
                    path: next.clone(),
                    source,
                })?;
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                left.extend(parts(&target));
                continue;
            }
            if next.starts_with(zone) {
                self.strictly(&next, &metadata)?
            } else {
                self.above(&next, &metadata)?
            }
            at = next;
        }
        Ok(())
    }

    fn strictly(&self, path: &Path, metadata: &Metadata) -> Result<(), Untrusted> {
        match self.judge(path, metadata) {
            None => Ok(()),
            Some(why) => Err(untrusted(path, why)),
        }
    }

    /// Checks a folder above the served one, or a program elsewhere. In a sticky folder other users cannot
    /// exchange files.
    fn above(&self, path: &Path, metadata: &Metadata) -> Result<(), Untrusted> {
        self.owned(path, metadata)?;
        let is_sticky = metadata.is_dir() && metadata.mode() & STICKY != 0;
        match self.writable(path, metadata) {
            Some(why) if !is_sticky => Err(untrusted(path, why)),
            _ => Ok(()),
        }
    }

    /// Checks the owner: in a sticky folder only the owner and root can exchange the file or change its
    /// permissions.
    fn owned(&self, path: &Path, metadata: &Metadata) -> Result<(), Untrusted> {
        let owner = metadata.uid();
        if owner == self.me || owner == 0 || unmapped() == Some(owner) {
            Ok(())
        } else {
            Err(untrusted(path, Distrust::Foreign(owner)))
        }
    }
}

fn untrusted(path: &Path, why: Distrust) -> Untrusted {
    Untrusted {
        path: path.to_owned(),
        why,
    }
}

fn stat(path: &Path) -> Result<Metadata, WalkError> {
    fs::symlink_metadata(path).map_err(|source| WalkError::Io {
        path: path.to_owned(),
        source,
    })
}

/// The components of a path, last one first.
fn parts(path: &Path) -> Vec<OsString> {
    let mut parts: Vec<OsString> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        })
        .collect();
    parts.reverse();
    parts
}

/// The owner that stands for root's files in a user namespace without a mapping for root.
fn unmapped() -> Option<u32> {
    let map = fs::read_to_string("/proc/self/uid_map").ok()?;
    let all_known = map.lines().any(|line| {
        let mut numbers = line.split_whitespace();
        numbers.next() == Some("0")
    });
    if all_known {
        return None;
    }
    let overflow = fs::read_to_string("/proc/sys/kernel/overflowuid").ok()?;
    overflow.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    struct TestFolder(tempfile::TempDir);

    impl TestFolder {
        /// `above/served/tools/x.sh`, all of it ours alone.
        fn new() -> Self {
            let this = Self(tempfile::tempdir().unwrap());
            fs::create_dir_all(this.at("above/served/tools")).unwrap();
            fs::write(this.at("above/served/tools/x.sh"), "").unwrap();
            for name in ["above", "above/served", "above/served/tools"] {
                this.mode(name, 0o755);
            }
            this.mode("above/served/tools/x.sh", 0o755);
            this
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        fn mode(&self, name: &str, mode: u32) {
            fs::set_permissions(self.at(name), Permissions::from_mode(mode)).unwrap();
        }

        fn walk(&self, name: &str) -> Result<(), WalkError> {
            Trust::new(false).walk(&self.at(name), &self.at("above/served"))
        }

        fn refused(&self, name: &str) -> PathBuf {
            match self.walk(name).unwrap_err() {
                WalkError::Untrusted(untrusted) => untrusted.path,
                other => panic!("{other}"),
            }
        }
    }

    const TOOL: &str = "above/served/tools/x.sh";

    #[test]
    fn a_file_is_trusted_if_its_whole_path_is() {
        let place = TestFolder::new();
        place.walk(TOOL).unwrap();
        for name in ["above", "above/served", "above/served/tools", TOOL] {
            place.mode(name, 0o757);
            assert_eq!(place.refused(TOOL), place.at(name));
            assert!(
                Trust::new(true)
                    .walk(&place.at(TOOL), Path::new("/"))
                    .is_ok()
            );
            place.mode(name, 0o755);
        }
    }

    #[test]
    fn a_sticky_folder_is_accepted_above_the_served_one_only() {
        let place = TestFolder::new();
        place.mode("above", 0o1777);
        place.walk(TOOL).unwrap();
        place.mode("above/served", 0o1777);
        assert_eq!(place.refused(TOOL), place.at("above/served"));
    }

    #[test]
    fn the_folders_of_links_are_checked() {
        let place = TestFolder::new();
        fs::create_dir(place.at("above/served/shared")).unwrap();
        symlink("../tools/x.sh", place.at("above/served/shared/middle")).unwrap();
        symlink("../shared/middle", place.at("above/served/tools/link")).unwrap();
        place.mode("above/served/shared", 0o755);
        place.walk("above/served/tools/link").unwrap();
        place.mode("above/served/shared", 0o777);
        let refused = place.refused("above/served/tools/link");
        assert_eq!(refused, place.at("above/served/shared"));
    }

    #[test]
    fn a_group_without_other_members_may_write_folders_above() {
        use std::os::unix::fs::{chown, lchown};
        let place = TestFolder::new();
        let me = rustix::process::geteuid().as_raw();
        // As `/usr/local/bin` of Debian is: root:staff with mode 2775.
        let empty = super::super::groups::without_others(me).pop();
        let given = empty.map(|group| chown(place.at("above"), None, Some(group)));
        let Some(Ok(())) = given else {
            eprintln!("not tested without root: a folder of a group without members");
            return;
        };
        place.mode("above", 0o2775);
        place.walk(TOOL).unwrap();
        let Ok(()) = chown(place.at("above"), None, Some(65_533)) else {
            eprintln!("not tested without root: a folder of another group");
            return;
        };
        assert_eq!(place.refused(TOOL), place.at("above"));
        place.mode("above", 0o755);
        symlink("x.sh", place.at("above/served/tools/link")).unwrap();
        lchown(place.at("above/served/tools/link"), Some(65_533), None).unwrap();
        let refused = place.refused("above/served/tools/link");
        assert_eq!(refused, place.at("above/served/tools/link"));
    }

    #[test]
    fn cyclic_links_end() {
        let place = TestFolder::new();
        symlink("b", place.at("above/served/a")).unwrap();
        symlink("a", place.at("above/served/b")).unwrap();
        let error = place.walk("above/served/a").unwrap_err();
        assert!(error.to_string().contains("too many"), "{error}");
    }
}

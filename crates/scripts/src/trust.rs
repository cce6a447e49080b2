//! The trust rule for every file that is executed, sourced or read as metadata.
//!
//! A file is trusted if no other user can change it: the file, the folders up to the served one, and the
//! symbolic links on its path belong to the effective user or to root, and are not writable by a group or by
//! all users. Folders above the served one follow the same rule, except that a sticky folder like `/tmp` is
//! accepted: other users cannot rename or remove files of others there.
//!
//! The rule is checked when a folder is read and again right before a program is started. It is checked by
//! path, not by descriptor: the kernel opens a script a second time, by its name, for the interpreter, and
//! `/dev/fd/N` in its place would change `$0`. A check by path is sound because every folder on the path has
//! passed the same rule: only trusted users could exchange the file in between.
//!
//! A group without other members (`umask 002` with a private group) does not count as another user: see
//! [`groups`]. The rule covers the programs of `PATH` and the interpreters of `#!` lines as well: see
//! [`program`].

mod env_words;
mod groups;
mod program;
mod scan;
mod walk;

pub use program::Start;
pub use walk::WalkError;

use std::cell::OnceCell;
use std::fmt;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::os::MetadataExt as _;

/// Why a file or folder is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distrust {
    /// Its group or all users can write it; with its permissions.
    Writable(u32),
    /// It belongs to this user, who is neither the effective user nor root.
    Foreign(u32),
}

impl Distrust {
    /// The result for a mode and an owner, for the user `me`.
    pub(crate) fn of(mode: u32, owner: u32, me: u32) -> Option<Self> {
        if owner != me && owner != 0 {
            return Some(Self::Foreign(owner));
        }
        (mode & 0o022 != 0).then_some(Self::Writable(mode & 0o7777))
    }

    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Writable(_) => "chmod go-w, or `linkspan validate --fix`",
            Self::Foreign(_) => "copy it, or change its owner",
        }
    }
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Writable(mode) => write!(f, "others can write it (mode {mode:04o})"),
            Self::Foreign(owner) => write!(f, "it belongs to another user (id {owner})"),
        }
    }
}

/// A path that violates the rule: the file, or a folder or link on its path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct Untrusted {
    /// Which one.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: Distrust,
}

impl Untrusted {
    /// The command that repairs it.
    pub fn repair(&self) -> String {
        let path = self.path.display();
        match self.why {
            Distrust::Writable(_) => format!("chmod go-w {path}"),
            Distrust::Foreign(_) => {
                format!("chown root {path}, or use a program of yours or root's")
            }
        }
    }
}

/// The rule for one user.
#[derive(Debug)]
pub struct Trust {
    me: u32,
    /// The operator accepts files that other users can write.
    accept_writable: bool,
    /// The groups without members other than this user and root; looked up on first use.
    own_groups: OnceCell<Vec<u32>>,
}

impl Trust {
    /// The rule for the effective user; `accept_writable` accepts files that other users can write.
    pub fn new(accept_writable: bool) -> Self {
        Self {
            me: crate::os::user(),
            accept_writable,
            own_groups: OnceCell::new(),
        }
    }

    /// Checks one file or folder of the served folder.
    pub fn judge(&self, path: &Path, metadata: &Metadata) -> Option<Distrust> {
        if self.accept_writable {
            return None;
        }
        match Distrust::of(metadata.mode(), metadata.uid(), self.me)? {
            Distrust::Writable(_) => self.writable(path, metadata),
            foreign => Some(foreign),
        }
    }

    /// Whether another user than the owner can write the file.
    fn writable(&self, path: &Path, metadata: &Metadata) -> Option<Distrust> {
        let mode = metadata.mode();
        let by_all = mode & 0o002 != 0;
        let by_group = mode & 0o020 != 0 && !self.is_own_group(path, metadata.gid());
        (by_all || by_group).then_some(Distrust::Writable(mode & 0o7777))
    }

    fn is_own_group(&self, path: &Path, group: u32) -> bool {
        let own = self
            .own_groups
            .get_or_init(|| groups::without_others(self.me));
        groups::administers(group) || own.contains(&group) && !groups::has_acl(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_user_and_root_are_trusted() {
        assert_eq!(Distrust::of(0o755, 1000, 1000), None);
        assert_eq!(Distrust::of(0o755, 0, 1000), None);
        assert_eq!(
            Distrust::of(0o755, 1001, 1000),
            Some(Distrust::Foreign(1001))
        );
        assert_eq!(
            Distrust::of(0o775, 1000, 1000),
            Some(Distrust::Writable(0o775))
        );
        assert_eq!(
            Distrust::of(0o757, 0, 1000),
            Some(Distrust::Writable(0o757))
        );
        assert_eq!(
            Distrust::of(0o100_602, 0, 0),
            Some(Distrust::Writable(0o602))
        );
        // A sticky folder lets others put new files into it.
        assert_eq!(Distrust::of(0o1777, 0, 0), Some(Distrust::Writable(0o1777)));
    }

    #[test]
    fn write_access_of_a_private_group_is_trusted() {
        use std::os::unix::fs::PermissionsExt as _;
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path();
        let judged = |mode: u32| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
            Trust::new(false).judge(path, &std::fs::metadata(path).unwrap())
        };
        assert_eq!(judged(0o644), None);
        assert_eq!(judged(0o666), Some(Distrust::Writable(0o666)));
        // The group of this file depends on the user who runs the test.
        let me = rustix::process::geteuid().as_raw();
        let group = std::fs::metadata(path).unwrap().gid();
        let private = groups::without_others(me).contains(&group);
        let expected = (!private).then_some(Distrust::Writable(0o664));
        assert_eq!(judged(0o664), expected);
    }
}

//! Whose files these are. Whoever can write a file here decides what we run, so that only the user
//! that we run as, and root, may.

use std::fmt;

/// Why a file or folder cannot be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distrust {
    /// Its group or everybody can write it; with its permissions.
    Writable(u32),
    /// It belongs to this user, who is neither us nor root.
    Foreign(u32),
}

impl Distrust {
    /// Judges permissions and an owner, as `me`.
    pub(super) fn of(mode: u32, owner: u32, me: u32) -> Option<Self> {
        if owner != me && owner != 0 {
            return Some(Self::Foreign(owner));
        }
        (mode & 0o022 != 0).then_some(Self::Writable(mode & 0o7777))
    }

    /// What to do about it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_we_and_root_may_own_and_write() {
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
}

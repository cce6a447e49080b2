//! The system calls that the server decides, and their arguments.

use std::cmp::Ordering;

use linkspan_spawn::notify::Request;
use rustix::io::Errno;

use super::memory::Memory;

/// Calls that `libc` does not know yet; new calls have the same number on all processors.
pub(in crate::sandbox::seccomp) const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;

/// Calls that the server decides.
#[cfg(target_arch = "x86_64")]
pub(in crate::sandbox::seccomp) const CALLS: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
];
#[cfg(not(target_arch = "x86_64"))]
pub(in crate::sandbox::seccomp) const CALLS: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
];

/// The file of a call.
pub(super) enum Target {
    Open(i32),
    Path {
        folder: i32,
        path: u64,
        follow: bool,
        /// Whether an empty path means the folder itself.
        empty: bool,
    },
}

/// The requested change.
pub(super) enum Change {
    Mode(u32),
    Owner(u32, u32),
    Times(Times),
    Attribute {
        name: u64,
        value: u64,
        size: u64,
        flags: u32,
    },
    NoAttribute {
        name: u64,
    },
}

/// The representation of the times, with their address.
pub(super) enum Times {
    Nanoseconds(u64),
    Microseconds(u64),
    Seconds(u64),
}

pub(super) const HERE: i32 = libc::AT_FDCWD;

/// The file and the change that a call requests.
pub(super) fn meant(request: &Request, memory: &Memory) -> Result<(Target, Change), Errno> {
    let argument = request.arguments;
    let [a, b, c, d, e, f] = argument;
    let number = |value: u64| value as u32;
    let fd = |value: u64| value as i32;
    let path = |path, follow| Target::Path {
        folder: HERE,
        path,
        follow,
        empty: false,
    };
    let at = |folder: u64, path: u64, flags: u64| {
        let flags = number(flags);
        let has = |flag: i32| flags & flag as u32 != 0;
        let empty = has(libc::AT_EMPTY_PATH);
        if empty && path == 0 {
            return Target::Open(fd(folder));
        }
        Target::Path {
            folder: fd(folder),
            path,
            follow: !has(libc::AT_SYMLINK_NOFOLLOW),
            empty,
        }
    };
    let attribute = |flags: u64| Change::Attribute {
        name: b,
        value: c,
        size: d,
        flags: number(flags),
    };
    Ok(match request.call {
        libc::SYS_fchmod => (Target::Open(fd(a)), Change::Mode(number(b))),
        libc::SYS_fchmodat => (at(a, b, 0), Change::Mode(number(c))),
        FCHMODAT2 => (at(a, b, d), Change::Mode(number(c))),
        libc::SYS_fchown => (Target::Open(fd(a)), Change::Owner(number(b), number(c))),
        libc::SYS_fchownat => (at(a, b, e), Change::Owner(number(c), number(d))),
        libc::SYS_utimensat => {
            let target = match b {
                0 => Target::Open(fd(a)),
                _ => at(a, b, d),
            };
            (target, Change::Times(Times::Nanoseconds(c)))
        }
        libc::SYS_setxattr => (path(a, true), attribute(e)),
        libc::SYS_lsetxattr => (path(a, false), attribute(e)),
        libc::SYS_fsetxattr => (Target::Open(fd(a)), attribute(e)),
        libc::SYS_removexattr => (path(a, true), Change::NoAttribute { name: b }),
        libc::SYS_lremovexattr => (path(a, false), Change::NoAttribute { name: b }),
        libc::SYS_fremovexattr => (Target::Open(fd(a)), Change::NoAttribute { name: b }),
        SETXATTRAT => (at(a, b, c), attribute_at(memory, d, e, f)?),
        REMOVEXATTRAT => (at(a, b, c), Change::NoAttribute { name: d }),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_chmod => (path(a, true), Change::Mode(number(b))),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_chown => (path(a, true), Change::Owner(number(b), number(c))),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_lchown => (path(a, false), Change::Owner(number(b), number(c))),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_utime => (path(a, true), Change::Times(Times::Seconds(b))),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_utimes => (path(a, true), Change::Times(Times::Microseconds(b))),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_futimesat => (at(a, b, 0), Change::Times(Times::Microseconds(c))),
        _ => return Err(Errno::NOSYS),
    })
}

/// The value, its size and the flags are in a `struct xattr_args`.
fn attribute_at(memory: &Memory, name: u64, at: u64, size: u64) -> Result<Change, Errno> {
    const KNOWN: u64 = 16;
    match size.cmp(&KNOWN) {
        Ordering::Less => return Err(Errno::INVAL),
        Ordering::Greater => return Err(Errno::TOOBIG),
        Ordering::Equal => {}
    }
    let bytes = memory.bytes(at, KNOWN as usize)?;
    let number = |at: usize| {
        let bytes = bytes[at..].first_chunk().copied();
        bytes.map_or(0, u32::from_ne_bytes)
    };
    let value = bytes.first_chunk().copied();
    Ok(Change::Attribute {
        name,
        value: value.map_or(0, u64::from_ne_bytes),
        size: number(8).into(),
        flags: number(12),
    })
}

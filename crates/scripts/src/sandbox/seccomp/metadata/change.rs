//! Makes an allowed change.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Gid, Mode, Timespec, Timestamps, Uid, XattrFlags, chmod, chownat, removexattr,
    setxattr, utimensat,
};
use rustix::io::Errno;

use super::memory::Memory;
use super::request::{Change, Times};

/// Size limits of names and values of attributes, as in the kernel.
const NAME: usize = 256;
const VALUE: u64 = 64 << 10;

impl Change {
    /// Makes it.
    pub(super) fn make(&self, file: &Path, memory: &Memory) -> Result<(), Errno> {
        match self {
            Self::Mode(mode) if mode & 0o6000 != 0 => Err(Errno::PERM),
            Self::Mode(mode) => chmod(file, Mode::from_raw_mode(mode & 0o7777)),
            Self::Owner(user, group) => own(file, *user, *group),
            Self::Times(times) => {
                let times = times.read(memory)?;
                utimensat(CWD, file, &times, AtFlags::empty())
            }
            Self::Attribute {
                name,
                value,
                size,
                flags,
            } => {
                let name = attribute(memory, *name)?;
                if *size > VALUE {
                    return Err(Errno::TOOBIG);
                }
                let value = memory.bytes(*value, *size as usize)?;
                let flags = XattrFlags::from_bits(*flags).ok_or(Errno::INVAL)?;
                setxattr(file, name, &value, flags)
            }
            Self::NoAttribute { name } => removexattr(file, attribute(memory, *name)?),
        }
    }
}

/// Changes the owner to this user; refuses any other.
fn own(file: &Path, user: u32, group: u32) -> Result<(), Errno> {
    let (us, ours) = (rustix::process::geteuid(), rustix::process::getegid());
    let is = |wanted: u32, own: u32| wanted == u32::MAX || wanted == own;
    if !is(user, us.as_raw()) || !is(group, ours.as_raw()) {
        return Err(Errno::PERM);
    }
    let user = (user != u32::MAX).then(|| Uid::from_raw(user));
    let group = (group != u32::MAX).then(|| Gid::from_raw(group));
    chownat(CWD, file, user, group, AtFlags::empty())
}

/// The name of an attribute that a tool may change.
fn attribute(memory: &Memory, at: u64) -> Result<OsString, Errno> {
    let name = memory.text(at, NAME)?;
    let known = name.starts_with(b"user.") || name.starts_with(b"system.posix_acl_");
    if known {
        Ok(OsString::from_vec(name))
    } else {
        Err(Errno::PERM)
    }
}

impl Times {
    fn read(&self, memory: &Memory) -> Result<Timestamps, Errno> {
        const NOW: i64 = libc::UTIME_NOW;
        let (at, scale) = match self {
            Self::Nanoseconds(at) => (*at, 1),
            Self::Microseconds(at) => (*at, 1000),
            Self::Seconds(at) => (*at, 0),
        };
        let stamp = |secs: i64, nanos: i64| Timespec {
            tv_sec: secs,
            tv_nsec: nanos as _,
        };
        if at == 0 {
            return Ok(Timestamps {
                last_access: stamp(0, NOW),
                last_modification: stamp(0, NOW),
            });
        }
        let count = if scale == 0 { 2 } else { 4 };
        let bytes = memory.bytes(at, count * 8)?;
        let numbers: Vec<i64> = bytes
            .chunks_exact(8)
            .map(|chunk| chunk.try_into().map_or(0, i64::from_ne_bytes))
            .collect();
        Ok(match numbers[..] {
            [access, change] => Timestamps {
                last_access: stamp(access, 0),
                last_modification: stamp(change, 0),
            },
            [access, more, change, rest] => Timestamps {
                last_access: stamp(access, more.saturating_mul(scale)),
                last_modification: stamp(change, rest.saturating_mul(scale)),
            },
            _ => return Err(Errno::FAULT),
        })
    }
}

//! Level 2: changes of modes, owners, times and extended attributes, in what may be written and nowhere else.
//!
//! Landlock does not look at these calls, and a seccomp filter does not see which file is meant. So the
//! kernel hands them to the server (`linkspan_spawn::notify`), and the caller waits. The server opens the
//! file that is meant, looks where it lies, and makes the change itself, on the file that it has open: whatever the
//! caller does to the path meanwhile does not matter. Otherwise the call fails with `EPERM`.
//!
//! What the server does not do, because it may have more rights than the tool: change the owner to anybody
//! else, and set attributes besides `user.*` and access lists.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use linkspan_spawn::notify::{Listener, Request};
use rustix::fs::{
    AtFlags, CWD, Gid, Mode, OFlags, Timespec, Timestamps, Uid, XattrFlags, chmod, chownat, open,
    removexattr, setxattr, utimensat,
};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// `fchmodat2`, which is newer than our `libc`.
pub(super) const FCHMODAT2: i64 = 452;

/// What paths, names and values of attributes may weigh, as for the kernel.
const PATH: usize = 4096;
const NAME: usize = 256;
const VALUE: u64 = 64 << 10;

/// Calls that the server decides.
#[cfg(target_arch = "x86_64")]
pub(super) const CALLS: &[i64] = &[
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
];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const CALLS: &[i64] = &[
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
];

/// Decides for one tool and everything that it starts, on a thread of its own, until all of that has
/// ended. `from` is where the listener arrives; `allowed` is what may be written.
pub(crate) fn decide(from: UnixStream, allowed: Vec<PathBuf>) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("linkspan-files".into());
    let thread = thread.stack_size(256 << 10);
    thread.spawn(move || {
        if let Err(e) = decide_here(from, &allowed) {
            tracing::debug!("changes of file metadata are refused from now on: {e}");
        }
    })?;
    Ok(())
}

fn decide_here(from: UnixStream, allowed: &[PathBuf]) -> io::Result<()> {
    // A tool that was not begun sends none.
    let Some(listener) = receive(&from)? else {
        return Ok(());
    };
    drop(from);
    // Once: the program cannot put anything else in their place.
    let real = allowed.iter().filter_map(|path| path.canonicalize().ok());
    let allowed: Vec<PathBuf> = real.collect();
    while let Some(request) = listener.receive()? {
        let done = change(&listener, &request, &allowed);
        listener.answer(&request, done.map_err(Errno::raw_os_error));
    }
    Ok(())
}

/// Sends the listener to the server.
pub(super) fn send(to: &OwnedFd, listener: &Listener) -> io::Result<()> {
    let fd = listener.as_fd();
    let fds = [std::os::fd::AsFd::as_fd(&fd)];
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&fds));
    let byte = [io::IoSlice::new(b"x")];
    sendmsg(to, &byte, &mut ancillary, SendFlags::empty())?;
    Ok(())
}

fn receive(from: &UnixStream) -> io::Result<Option<Listener>> {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut bytes = [io::IoSliceMut::new(&mut byte)];
    recvmsg(from, &mut bytes, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let mut fds = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    });
    Ok(fds.next().map(Listener::from_fd))
}

/// Which file is meant.
enum Target {
    Open(i32),
    Path {
        folder: i32,
        path: u64,
        follow: bool,
    },
}

/// What is to become of it.
enum Change {
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

/// How the times are given, and where.
enum Times {
    Nanoseconds(u64),
    Microseconds(u64),
    Seconds(u64),
}

const HERE: i32 = libc::AT_FDCWD;

fn change(listener: &Listener, request: &Request, allowed: &[PathBuf]) -> Result<(), Errno> {
    let (target, change) = meant(request)?;
    let memory = Memory::of(request.thread)?;
    let file = target.open(request.thread, &memory)?;
    // Until here the number of the thread could have become another one's.
    if !listener.is_waiting(request) {
        return Err(Errno::PERM);
    }
    let itself = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let place = fs::read_link(&itself).map_err(|_| Errno::PERM)?;
    if !allowed.iter().any(|allowed| place.starts_with(allowed)) {
        return Err(Errno::PERM);
    }
    change.make(&itself, &memory)
}

/// What a call asks for.
fn meant(request: &Request) -> Result<(Target, Change), Errno> {
    let argument = request.arguments;
    let [a, b, c, d, e, _] = argument;
    let number = |value: u64| value as u32;
    let fd = |value: u64| value as i32;
    let path = |path, follow| Target::Path {
        folder: HERE,
        path,
        follow,
    };
    let at = |folder: u64, path: u64, flags: u64| {
        let flags = number(flags);
        let has = |flag: i32| flags & flag as u32 != 0;
        match has(libc::AT_EMPTY_PATH) && path == 0 {
            true => Target::Open(fd(folder)),
            false => Target::Path {
                folder: fd(folder),
                path,
                follow: !has(libc::AT_SYMLINK_NOFOLLOW),
            },
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

impl Target {
    /// The file, however it is named, without any right to it.
    fn open(&self, thread: u32, memory: &Memory) -> Result<OwnedFd, Errno> {
        let by_number = |fd: i32| match fd {
            HERE => format!("/proc/{thread}/cwd"),
            fd => format!("/proc/{thread}/fd/{fd}"),
        };
        let (path, follow) = match self {
            Self::Open(fd) => (PathBuf::from(by_number(*fd)), true),
            Self::Path {
                folder,
                path,
                follow,
            } => {
                let given = memory.text(*path, PATH)?;
                if given.is_empty() {
                    return Err(Errno::NOENT);
                }
                let given = PathBuf::from(std::ffi::OsString::from_vec(given));
                (seen_by(thread, &given, &by_number(*folder)), *follow)
            }
        };
        let flags = match follow {
            true => OFlags::PATH | OFlags::CLOEXEC,
            false => OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW,
        };
        open(&path, flags, Mode::empty())
    }
}

/// A path as the caller means it: `/proc/self` is the caller's.
fn seen_by(thread: u32, given: &Path, folder: &str) -> PathBuf {
    if !given.is_absolute() {
        return Path::new(folder).join(given);
    }
    for (own, whose) in [
        ("/proc/self", format!("/proc/{thread}")),
        ("/proc/thread-self", format!("/proc/{thread}")),
        ("/dev/fd", format!("/proc/{thread}/fd")),
    ] {
        if let Ok(rest) = given.strip_prefix(own) {
            return Path::new(&whose).join(rest);
        }
    }
    given.to_owned()
}

impl Change {
    /// Makes it. The path leads to the file that is open, and to no other.
    fn make(&self, file: &Path, memory: &Memory) -> Result<(), Errno> {
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

/// Changes the owner to us, if it is to be changed at all.
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
fn attribute(memory: &Memory, at: u64) -> Result<std::ffi::OsString, Errno> {
    let name = memory.text(at, NAME)?;
    let known = name.starts_with(b"user.") || name.starts_with(b"system.posix_acl_");
    match known {
        true => Ok(std::ffi::OsString::from_vec(name)),
        false => Err(Errno::PERM),
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

/// What the caller's pointers point to.
struct Memory(File);

impl Memory {
    fn of(thread: u32) -> Result<Self, Errno> {
        let file = File::open(format!("/proc/{thread}/mem"));
        file.map(Self).map_err(|_| Errno::PERM)
    }

    fn bytes(&self, at: u64, count: usize) -> Result<Vec<u8>, Errno> {
        let mut bytes = vec![0; count];
        self.0
            .read_exact_at(&mut bytes, at)
            .map_err(|_| Errno::FAULT)?;
        Ok(bytes)
    }

    /// Up to a NUL, which must come before `most` bytes. Read in pieces that end with a page, because the
    /// next one may not be there.
    fn text(&self, at: u64, most: usize) -> Result<Vec<u8>, Errno> {
        const PAGE: u64 = 4096;
        let mut text = Vec::new();
        while text.len() < most {
            let from = at.checked_add(text.len() as u64).ok_or(Errno::FAULT)?;
            let piece = self.bytes(from, (PAGE - from % PAGE) as usize)?;
            match piece.iter().position(|byte| *byte == 0) {
                Some(end) => {
                    text.extend_from_slice(&piece[..end]);
                    return match text.len() < most {
                        true => Ok(text),
                        false => Err(Errno::NAMETOOLONG),
                    };
                }
                None => text.extend_from_slice(&piece),
            }
        }
        Err(Errno::NAMETOOLONG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_that_of_the_caller() {
        let seen = |path: &str| seen_by(7, Path::new(path), "/proc/7/cwd");
        assert_eq!(seen("a/b"), Path::new("/proc/7/cwd/a/b"));
        assert_eq!(seen("/a/b"), Path::new("/a/b"));
        assert_eq!(seen("/proc/self/fd/3"), Path::new("/proc/7/fd/3"));
        assert_eq!(seen("/dev/fd/3"), Path::new("/proc/7/fd/3"));
        assert_eq!(seen("/proc/selfish"), Path::new("/proc/selfish"));
    }

    #[test]
    fn texts_are_read_to_their_end_and_no_further() {
        let memory = Memory::of(std::process::id()).unwrap();
        let text = c"hello";
        let at = text.as_ptr() as u64;
        assert_eq!(memory.text(at, 100), Ok(b"hello".to_vec()));
        assert_eq!(memory.text(at, 5), Err(Errno::NAMETOOLONG));
        assert_eq!(memory.text(8, 100), Err(Errno::FAULT));
    }
}

//! Level 2: changes of modes, owners, times and extended attributes, allowed in writable paths only.
//!
//! Landlock ignores these calls, and a seccomp filter does not see which file is meant. So the kernel delegates
//! them to the server (`linkspan_spawn::notify`), and the caller waits. The server opens the file, determines
//! its place, and makes the change itself on the open file, so later changes of the path have no effect.
//! Otherwise the call fails with `EPERM`.
//!
//! The server may have more rights than the tool, so it does not change the owner to another user, and sets no
//! attributes besides `user.*` and access lists.

mod change;
mod memory;
mod request;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use linkspan_spawn::notify::{Listener, Request};
use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags, fstat, open, statx};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use crate::sandbox::grant;
use memory::Memory;
pub(super) use request::{CALLS, FCHMODAT2};
use request::{HERE, Target, meant};

/// Length limit of a path, as in the kernel.
const PATH: usize = 4096;

/// Decides for one tool and its descendants, on a thread of its own, until all of them have ended. `allowed`
/// are the writable paths, `folder` is the served folder. The trampoline sends its listener to the returned
/// socket.
pub(crate) fn decide(allowed: Vec<PathBuf>, folder: &Path) -> io::Result<Option<OwnedFd>> {
    let (from, theirs) = UnixStream::pair()?;
    let folder = folder.to_owned();
    let thread = std::thread::Builder::new().name("linkspan-files".into());
    let thread = thread.stack_size(256 << 10);
    thread.spawn(move || {
        if let Err(e) = decide_here(from, &allowed, &folder) {
            tracing::debug!("changes of file metadata are refused from now on: {e}");
        }
    })?;
    Ok(Some(theirs.into()))
}

fn decide_here(from: UnixStream, allowed: &[PathBuf], folder: &Path) -> io::Result<()> {
    // A tool that was not started sends no listener.
    let Some(listener) = receive(&from)? else {
        return Ok(());
    };
    drop(from);
    // Resolved once: the program cannot replace these paths.
    let allowed = places(allowed, folder);
    while let Some(request) = listener.receive()? {
        let done = change(&listener, &request, &allowed);
        listener.answer(&request, done.map_err(Errno::raw_os_error));
    }
    Ok(())
}

/// The real paths of the writable paths. Those that lead through a link in the served folder are left out.
fn places(allowed: &[PathBuf], folder: &Path) -> Vec<PathBuf> {
    let opened = allowed.iter().map(|path| grant::open(path, folder));
    let places = opened.filter_map(|file| fs::read_link(itself(&file.ok()?)).ok());
    places.collect()
}

/// A path to an open file that cannot be replaced.
fn itself(file: &OwnedFd) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
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

fn change(listener: &Listener, request: &Request, allowed: &[PathBuf]) -> Result<(), Errno> {
    let memory = Memory::of(request.thread)?;
    let (target, change) = meant(request, &memory)?;
    let file = target.open(request.thread, &memory)?;
    // The thread may have ended and its id may have been reused before this check.
    if !listener.is_waiting(request) {
        return Err(Errno::PERM);
    }
    let itself = itself(&file);
    let place = fs::read_link(&itself).map_err(|_| Errno::PERM)?;
    let is_allowed = allowed.iter().any(|allowed| place.starts_with(allowed));
    if !is_allowed || !lies_at(&file, &place)? {
        return Err(Errno::PERM);
    }
    change.make(&itself, &memory)
}

/// Whether the path leads to the file in our mount namespace. On a mount that is not attached here, the path
/// may be that of a different file.
fn lies_at(file: &OwnedFd, place: &Path) -> Result<bool, Errno> {
    let found = |path: &Path| {
        let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        open(path, flags, Mode::empty())
    };
    let own = fstat(file)?;
    if own.st_nlink > 0 {
        let there = fstat(found(place)?)?;
        return Ok((there.st_dev, there.st_ino) == (own.st_dev, own.st_ino));
    }
    // A deleted file: it is on the same mount as the folder that contained it.
    let mount = |file: &OwnedFd| {
        let about = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID)?;
        let known = about.stx_mask & StatxFlags::MNT_ID.bits() != 0;
        known.then_some(about.stx_mnt_id).ok_or(Errno::PERM)
    };
    let above = place.parent().ok_or(Errno::PERM)?;
    Ok(mount(file)? == mount(&found(above)?)?)
}

impl Target {
    /// Opens the file, however it is named, without any access right.
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
                empty,
            } => {
                let given = memory.text(*path, PATH)?;
                match (given.is_empty(), *empty) {
                    (true, true) => (PathBuf::from(by_number(*folder)), true),
                    (true, false) => return Err(Errno::NOENT),
                    (false, _) => {
                        let given = PathBuf::from(OsString::from_vec(given));
                        (seen_by(thread, &given, &by_number(*folder)), *follow)
                    }
                }
            }
        };
        let flags = if follow {
            OFlags::PATH | OFlags::CLOEXEC
        } else {
            OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW
        };
        open(&path, flags, Mode::empty())
    }
}

/// A path as the caller sees it: `/proc/self` is the caller's.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_the_served_folder_grant_nothing() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("served/own")).unwrap();
        std::os::unix::fs::symlink(place.path(), at("served/link")).unwrap();
        let allowed = ["served/own", "served/link", "served/link/served", "gone"].map(at);
        let own = at("served/own").canonicalize().unwrap();
        assert_eq!(places(&allowed, &at("served")), [own]);
    }

    #[test]
    fn a_file_is_located_by_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a", "b"] {
            fs::write(at(name), "").unwrap();
        }
        std::os::unix::fs::symlink(at("a"), at("link")).unwrap();
        let file = OwnedFd::from(fs::File::open(at("a")).unwrap());
        assert_eq!(lies_at(&file, &at("a")), Ok(true));
        assert_eq!(lies_at(&file, &at("b")), Ok(false));
        assert_eq!(lies_at(&file, &at("link")), Ok(false));
        fs::remove_file(at("a")).unwrap();
        assert_eq!(lies_at(&file, &at("a (deleted)")), Ok(true));
        assert_eq!(lies_at(&file, Path::new("/proc/a (deleted)")), Ok(false));
    }

    #[test]
    fn paths_are_resolved_for_the_caller() {
        let seen = |path: &str| seen_by(7, Path::new(path), "/proc/7/cwd");
        assert_eq!(seen("a/b"), Path::new("/proc/7/cwd/a/b"));
        assert_eq!(seen("/a/b"), Path::new("/a/b"));
        assert_eq!(seen("/proc/self/fd/3"), Path::new("/proc/7/fd/3"));
        assert_eq!(seen("/dev/fd/3"), Path::new("/proc/7/fd/3"));
        assert_eq!(seen("/proc/selfish"), Path::new("/proc/selfish"));
    }
}

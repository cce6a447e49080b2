//! System calls that a process hands to another one to decide: seccomp's user notification.
//!
//! The confined process [installs](Listener::install) a filter and sends the listener away; the process that holds
//! the listener [receives](Listener::receive) calls, does what they ask for or not, and
//! [answers](Listener::answer). Meanwhile the caller waits. When no process holds the listener any more, such calls
//! fail with `ENOSYS`.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};

/// One instruction of a filter: code, two jumps, and a number.
pub type Instruction = (u16, u8, u8, u32);

/// Where calls arrive.
#[derive(Debug)]
pub struct Listener(OwnedFd);

/// A call that waits to be answered.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// To answer it by.
    pub id: u64,
    /// The thread that made it.
    pub thread: u32,
    /// The number of the call.
    pub call: i64,
    /// Its arguments.
    pub arguments: [u64; 6],
}

/// `struct seccomp_notif` with its `struct seccomp_data`.
#[repr(C)]
#[derive(Default)]
struct Notification {
    id: u64,
    pid: u32,
    flags: u32,
    call: i32,
    arch: u32,
    instruction_pointer: u64,
    arguments: [u64; 6],
}

/// `struct seccomp_notif_resp`
#[repr(C)]
struct Response {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

const RECEIVE: libc::c_ulong = 0xc050_2100;
const SEND: libc::c_ulong = 0xc018_2101;
const IS_VALID: libc::c_ulong = 0x4008_2102;

/// A file that we were started with under this number, as one of our own. What we start does not get it.
pub fn inherited(number: i32) -> io::Result<OwnedFd> {
    // SAFETY: it is borrowed for the two calls below only, which fail if nothing is open there.
    let theirs = unsafe { BorrowedFd::borrow_raw(number) };
    fcntl_setfd(theirs, FdFlags::CLOEXEC)?;
    Ok(fcntl_dupfd_cloexec(theirs, 3)?)
}

impl Listener {
    /// Installs a filter on this thread, for good. No-new-privileges must be set.
    pub fn install(program: &[Instruction]) -> io::Result<Self> {
        let mut filter: Vec<libc::sock_filter> = program
            .iter()
            .map(|&(code, jt, jf, k)| libc::sock_filter { code, jt, jf, k })
            .collect();
        let len = u16::try_from(filter.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let program = libc::sock_fprog {
            len,
            filter: filter.as_mut_ptr(),
        };
        // SAFETY: the kernel reads `len` instructions from where the pointer leads, and copies them; the
        // vector lives until the call has returned.
        let fd = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
                &raw const program,
            )
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call has just given us this descriptor, which is close-on-exec.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd as i32) }))
    }

    /// The listener of another process.
    pub fn from_fd(fd: OwnedFd) -> Self {
        Self(fd)
    }

    /// To be sent away.
    pub fn as_fd(&self) -> impl AsFd + '_ {
        self.0.as_fd()
    }

    /// Waits for a call. `None` when no process is left that could make one.
    pub fn receive(&self) -> io::Result<Option<Request>> {
        loop {
            let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut fds, None) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let ready = fds[0].revents();
            if !ready.contains(PollFlags::IN) {
                return Ok(None);
            }
            let mut seen = Notification::default();
            // SAFETY: the kernel writes a `struct seccomp_notif` of 80 bytes, which is what this is, and
            // which it wants to be zero before.
            let failed = unsafe { libc::ioctl(self.0.as_raw_fd(), RECEIVE as _, &raw mut seen) };
            if failed == 0 {
                return Ok(Some(Request {
                    id: seen.id,
                    thread: seen.pid,
                    call: i64::from(seen.call),
                    arguments: seen.arguments,
                }));
            }
            let error = io::Error::last_os_error();
            // The caller was killed in the meantime (ENOENT), or we were interrupted.
            if !matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EINTR)) {
                return Err(error);
            }
        }
    }

    /// Whether the caller still waits. What was looked up by its number before is then about it.
    pub fn is_waiting(&self, request: &Request) -> bool {
        let id = request.id;
        // SAFETY: the kernel reads eight bytes.
        unsafe { libc::ioctl(self.0.as_raw_fd(), IS_VALID as _, &raw const id) == 0 }
    }

    /// Lets the call return: 0, or fail with this error. A caller that has gone needs no answer.
    pub fn answer(&self, request: &Request, result: Result<(), i32>) {
        let response = Response {
            id: request.id,
            value: 0,
            error: result.err().map_or(0, |errno| -errno),
            flags: 0,
        };
        // SAFETY: the kernel reads a `struct seccomp_notif_resp` of 24 bytes, which is what this is.
        let _ = unsafe { libc::ioctl(self.0.as_raw_fd(), SEND as _, &raw const response) };
    }
}

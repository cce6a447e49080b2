//! System calls of one process that another process decides: seccomp user notification.
//!
//! The confined process [installs](Listener::install) a filter and sends the listener away. The process that
//! holds the listener [receives](Listener::receive) each call, performs it or not, and
//! [answers](Listener::answer) it. The caller is blocked meanwhile. Once no process holds the listener, these
//! calls fail with `ENOSYS`.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};

/// One instruction of a filter: code, two jumps, and a number.
pub type Instruction = (u16, u8, u8, u32);

/// Where calls arrive.
#[derive(Debug)]
pub struct Listener(OwnedFd);

/// A system call that waits for an answer.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The id to answer it with.
    pub id: u64,
    /// The calling thread.
    pub thread: u32,
    /// The system call number.
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

/// A copy of a descriptor that this process inherited. Neither is inherited by children.
pub fn inherited(number: i32) -> io::Result<OwnedFd> {
    // SAFETY: borrowed for the two calls below only, which fail if the number is not open.
    let theirs = unsafe { BorrowedFd::borrow_raw(number) };
    fcntl_setfd(theirs, FdFlags::CLOEXEC)?;
    Ok(fcntl_dupfd_cloexec(theirs, 3)?)
}

impl Listener {
    /// Installs a filter on this thread, irrevocably. Requires no-new-privileges.
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
        // SAFETY: the kernel copies `len` instructions from the pointer; the vector outlives the call.
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
        // SAFETY: the call has just returned this close-on-exec descriptor.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd as i32) }))
    }

    /// Wraps the listener of another process.
    pub fn from_fd(fd: OwnedFd) -> Self {
        Self(fd)
    }

    /// The descriptor, to send it to another process.
    pub fn as_fd(&self) -> impl AsFd + '_ {
        self.0.as_fd()
    }

    /// Waits for a call. `None` when every confined process has ended.
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
            // SAFETY: the kernel writes a `struct seccomp_notif` of 80 bytes, the size of this type, and
            // requires it to be zeroed.
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
            // The caller was killed in the meantime (ENOENT), or we were interrupted (EINTR).
            if !matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EINTR)) {
                return Err(error);
            }
        }
    }

    /// Whether the caller still waits. If so, earlier lookups by its thread id were about this caller.
    pub fn is_waiting(&self, request: &Request) -> bool {
        let id = request.id;
        // SAFETY: the kernel reads eight bytes.
        unsafe { libc::ioctl(self.0.as_raw_fd(), IS_VALID as _, &raw const id) == 0 }
    }

    /// Ends the call with 0 or with an errno. A caller that is gone needs no answer.
    pub fn answer(&self, request: &Request, result: Result<(), i32>) {
        let response = Response {
            id: request.id,
            value: 0,
            error: result.err().map_or(0, |errno| -errno),
            flags: 0,
        };
        // SAFETY: the kernel reads a `struct seccomp_notif_resp` of 24 bytes, the size of this type.
        let _ = unsafe { libc::ioctl(self.0.as_raw_fd(), SEND as _, &raw const response) };
    }
}

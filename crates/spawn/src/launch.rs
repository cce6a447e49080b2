//! Calls posix_spawn.

use std::ffi::{CStr, c_char};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;

use rustix::process::Pid;

/// The arguments of posix_spawn. Pointer lists end with a null pointer.
pub(crate) struct Plan<'a> {
    pub program: &'a CStr,
    pub argv: &'a [*const c_char],
    pub envp: &'a [*const c_char],
    pub cwd: &'a CStr,
    /// Pairs of our descriptor and the child's; no number occurs on both sides.
    pub files: &'a [(RawFd, RawFd)],
}

/// A new process group but no new session: with Linux's autogroup each session is a scheduling group, which
/// costs a third of the rate of short programs on a busy machine.
#[cfg(target_os = "linux")]
const FLAGS: libc::c_int =
    libc::POSIX_SPAWN_SETPGROUP | libc::POSIX_SPAWN_SETSIGDEF | libc::POSIX_SPAWN_SETSIGMASK;

#[cfg(not(target_os = "linux"))]
const FLAGS: libc::c_int = libc::POSIX_SPAWN_SETPGROUP
    | libc::POSIX_SPAWN_SETSIGDEF
    | libc::POSIX_SPAWN_SETSIGMASK
    | libc::POSIX_SPAWN_CLOEXEC_DEFAULT;

/// Starts a process and waits until it executes the program.
pub(crate) fn launch(plan: &Plan<'_>) -> io::Result<Pid> {
    debug_assert!(plan.argv.last().is_some_and(|last| last.is_null()));
    debug_assert!(plan.envp.last().is_some_and(|last| last.is_null()));
    let attributes = Attributes::new()?;
    let mut actions = Actions::new()?;
    for (ours, theirs) in plan.files {
        actions.dup2(*ours, *theirs)?;
    }
    actions.chdir(plan.cwd)?;
    let mut pid: libc::pid_t = 0;
    // SAFETY: all pointers are valid until the call returns: the strings are borrowed and end with NUL, the
    // lists end with null (the cast is needed because C does not declare them const), attributes and actions
    // are initialised.
    let failed = unsafe {
        libc::posix_spawn(
            &raw mut pid,
            plan.program.as_ptr(),
            &raw const actions.0,
            &raw const attributes.0,
            plan.argv.as_ptr().cast(),
            plan.envp.as_ptr().cast(),
        )
    };
    check(failed)?;
    Pid::from_raw(pid).ok_or_else(|| io::Error::other("the new process has no number"))
}

/// Sets close-on-exec on every file but 0, 1 and 2.
pub(crate) fn close_on_exec_from_3() {
    #[cfg(target_os = "linux")]
    {
        const CLOSE_RANGE_CLOEXEC: libc::c_uint = 1 << 2;
        // SAFETY: sets a flag on descriptors of this process and touches no memory. Descriptors stay
        // open, so that every `OwnedFd` stays valid.
        let failed = unsafe {
            libc::syscall(
                libc::SYS_close_range,
                3 as libc::c_uint,
                libc::c_uint::MAX,
                CLOSE_RANGE_CLOEXEC,
            )
        };
        if failed == 0 {
            return;
        }
    }
    close_on_exec_one_by_one();
}

/// For kernels before 5.11.
fn close_on_exec_one_by_one() {
    let folder = if cfg!(target_os = "linux") {
        "/proc/self/fd"
    } else {
        "/dev/fd"
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    for number in numbers.filter(|number: &RawFd| *number > 2) {
        // SAFETY: as above; if the descriptor is closed, the call fails without effect.
        unsafe {
            let flags = libc::fcntl(number, libc::F_GETFD);
            if flags >= 0 {
                libc::fcntl(number, libc::F_SETFD, flags | libc::FD_CLOEXEC);
            }
        }
    }
}

struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn new() -> io::Result<Self> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the call initialises the attributes; `assume_init` runs only if it succeeded.
        let mut this = unsafe {
            check(libc::posix_spawnattr_init(raw.as_mut_ptr()))?;
            Self(raw.assume_init())
        };
        let none = signals(false);
        let mut all = signals(true);
        // SAFETY: attributes and sets are initialised, and the sets are copied. SIGKILL and SIGSTOP cannot be
        // changed, and some systems refuse a set that contains them.
        unsafe {
            libc::sigdelset(&raw mut all, libc::SIGKILL);
            libc::sigdelset(&raw mut all, libc::SIGSTOP);
            check(libc::posix_spawnattr_setsigdefault(
                &raw mut this.0,
                &raw const all,
            ))?;
            check(libc::posix_spawnattr_setsigmask(
                &raw mut this.0,
                &raw const none,
            ))?;
            check(libc::posix_spawnattr_setpgroup(&raw mut this.0, 0))?;
            check(libc::posix_spawnattr_setflags(
                &raw mut this.0,
                FLAGS as libc::c_short,
            ))?;
        }
        Ok(this)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised by `new`, and destroyed once.
        unsafe {
            libc::posix_spawnattr_destroy(&raw mut self.0);
        }
    }
}

struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new() -> io::Result<Self> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: as for the attributes.
        unsafe {
            check(libc::posix_spawn_file_actions_init(raw.as_mut_ptr()))?;
            Ok(Self(raw.assume_init()))
        }
    }

    fn dup2(&mut self, ours: RawFd, theirs: RawFd) -> io::Result<()> {
        // SAFETY: the actions are initialised; numbers are only noted.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(&raw mut self.0, ours, theirs) })
    }

    fn chdir(&mut self, folder: &CStr) -> io::Result<()> {
        // SAFETY: the actions are initialised, and the path is copied.
        check(unsafe {
            libc::posix_spawn_file_actions_addchdir_np(&raw mut self.0, folder.as_ptr())
        })
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialised by `new`, and destroyed once.
        unsafe {
            libc::posix_spawn_file_actions_destroy(&raw mut self.0);
        }
    }
}

/// An empty or a full signal set.
fn signals(all: bool) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: both calls initialise the set, and fail only for an invalid pointer.
    unsafe {
        if all {
            libc::sigfillset(set.as_mut_ptr());
        } else {
            libc::sigemptyset(set.as_mut_ptr());
        }
        set.assume_init()
    }
}

/// These calls return the error instead of leaving it in `errno`.
fn check(failed: libc::c_int) -> io::Result<()> {
    match failed {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

//! The description of a new process.

use std::ffi::{CStr, OsStr, OsString, c_char};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Once;
use std::thread;
use std::time::Duration;

use parking_lot::RwLockReadGuard;
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_getfd, fcntl_setfd};

use crate::child::Child;
use crate::{explain, launch, lookup, registry};

/// Pauses between attempts when the file is open for writing (ETXTBSY): about a second in all, enough for an
/// editor to save it.
pub const BUSY_RETRIES: [Duration; 8] = [
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(20),
    Duration::from_millis(40),
    Duration::from_millis(80),
    Duration::from_millis(160),
    Duration::from_millis(320),
    Duration::from_millis(365),
];

/// The description of a new process.
#[derive(Debug)]
pub struct Command {
    /// A path relative to `cwd`, or a name without a slash that is looked up in the absolute folders of `PATH`
    /// in `env`.
    pub program: PathBuf,
    /// The arguments, beginning with `argv[0]`.
    pub args: Vec<OsString>,
    /// The complete environment.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory.
    pub cwd: PathBuf,
    /// Open files and their descriptor numbers in the new process; 0, 1 and 2 are required. No other
    /// descriptors are inherited.
    pub fds: Vec<(OwnedFd, i32)>,
}

/// Starts a process and returns when it executes the program. The process leads its own group, with default
/// signal handlers and an empty signal mask.
///
/// If the program is open for writing, the start is retried for about a second. The error names the cause:
/// folder, program or interpreter; its kind is the system's.
///
/// Blocks; see [`Spawner`](crate::Spawner) for a runtime.
pub fn spawn(command: &Command) -> io::Result<Child> {
    keep_inherited_files_to_ourselves();
    spawn_beside(command)
}

#[cfg(test)]
std::thread_local! {
    static ON_BUSY: std::cell::Cell<Option<Box<dyn FnOnce()>>> = const { std::cell::Cell::new(None) };
}

/// Runs `action` when an attempt of this thread to start a program next fails with `ETXTBSY`.
#[cfg(test)]
pub(crate) fn on_next_busy(action: impl FnOnce() + 'static) {
    ON_BUSY.set(Some(Box::new(action)));
}

/// As [`spawn`], but inherited descriptors stay open in the new process: our parent may have left them open for
/// programs that other code starts.
pub(crate) fn spawn_beside(command: &Command) -> io::Result<Child> {
    let program = lookup::of_command(command)?;
    let words = Strings::new(
        command
            .args
            .iter()
            .map(|word| [word.as_os_str(), OsStr::new("")]),
    )?;
    let env = Strings::environment(&command.env)?;
    let paths = Strings::new([
        [program.as_os_str(), OsStr::new("")],
        [command.cwd.as_os_str(), OsStr::new("")],
    ])?;
    let files = Files::new(&command.fds)?;
    let plan = launch::Plan {
        program: paths.get(0),
        argv: &words.pointers(),
        envp: &env.pointers(),
        cwd: paths.get(1),
        files: &files.numbers,
    };
    let mut retries = BUSY_RETRIES.iter();
    loop {
        match start(&plan) {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => match retries.next() {
                Some(pause) => {
                    #[cfg(test)]
                    if let Some(action) = ON_BUSY.take() {
                        action();
                    }
                    thread::sleep(*pause);
                }
                None => return Err(explain::explain(error, command, &program)),
            },
            Err(error) => return Err(explain::explain(error, command, &program)),
            Ok(child) => return Ok(child),
        }
    }
}

fn start(plan: &launch::Plan<'_>) -> io::Result<Child> {
    // A sweep must not see a process before it is registered.
    let _starting: RwLockReadGuard<'_, ()> = registry::STARTING.read();
    let pid = launch::launch(plan)?;
    registry::add(pid);
    Child::new(pid)
}

/// Sets close-on-exec on descriptors inherited from our parent. Later ones are opened with it, so once is
/// enough.
fn keep_inherited_files_to_ourselves() {
    static ONCE: Once = Once::new();
    ONCE.call_once(launch::close_on_exec_from_3);
}

/// NUL-terminated strings in one buffer.
struct Strings {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Strings {
    /// Each string is the concatenation of its parts.
    fn new<'a, const N: usize>(
        texts: impl IntoIterator<Item = [&'a OsStr; N]>,
    ) -> io::Result<Self> {
        let mut all = Self {
            bytes: Vec::with_capacity(2048),
            starts: Vec::with_capacity(48),
        };
        for pieces in texts {
            let start = all.bytes.len();
            for piece in pieces {
                all.bytes.extend_from_slice(piece.as_bytes());
            }
            if all.bytes[start..].contains(&0) {
                return Err(invalid("a NUL in a word, a path or the environment"));
            }
            all.bytes.push(0);
            all.starts.push(start);
        }
        Ok(all)
    }

    fn environment(env: &[(OsString, OsString)]) -> io::Result<Self> {
        for (name, _) in env {
            if name.is_empty() || name.as_bytes().contains(&b'=') {
                return Err(invalid("a variable needs a name without `=`"));
            }
        }
        Self::new(
            env.iter()
                .map(|(name, value)| [name.as_os_str(), OsStr::new("="), value.as_os_str()]),
        )
    }

    fn get(&self, index: usize) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes[self.starts[index]..]).unwrap_or(c"")
    }

    /// Pointers to the strings with a terminating null pointer.
    fn pointers(&self) -> Vec<*const c_char> {
        let texts = self
            .starts
            .iter()
            .map(|&start| self.bytes[start..].as_ptr());
        texts
            .map(<*const u8>::cast)
            .chain([std::ptr::null()])
            .collect()
    }
}

/// Pairs of our descriptor and the child's. Ours are above all of the child's, so `dup2` never overwrites one
/// before it is copied.
struct Files {
    numbers: Vec<(RawFd, RawFd)>,
    _moved: Vec<OwnedFd>,
}

impl Files {
    fn new(fds: &[(OwnedFd, i32)]) -> io::Result<Self> {
        let has = |number| fds.iter().any(|(_, theirs)| *theirs == number);
        if !(has(0) && has(1) && has(2)) {
            return Err(invalid("the files 0, 1 and 2 must be given"));
        }
        let mut highest = 2;
        for (index, (_, theirs)) in fds.iter().enumerate() {
            if *theirs < 0 || fds[..index].iter().any(|(_, before)| before == theirs) {
                return Err(invalid("a file's number is negative or given twice"));
            }
            highest = highest.max(*theirs);
        }
        let mut numbers = Vec::with_capacity(fds.len());
        let mut moved = Vec::new();
        for (file, theirs) in fds {
            if file.as_raw_fd() <= highest {
                let higher = fcntl_dupfd_cloexec(file, highest + 1)?;
                numbers.push((higher.as_raw_fd(), *theirs));
                moved.push(higher);
            } else {
                keep(file)?;
                numbers.push((file.as_raw_fd(), *theirs));
            }
        }
        Ok(Self {
            numbers,
            _moved: moved,
        })
    }
}

/// Without close-on-exec a descriptor would reach the child under its own number as well.
fn keep(file: impl AsFd) -> io::Result<()> {
    let flags = fcntl_getfd(&file)?;
    if !flags.contains(FdFlags::CLOEXEC) {
        fcntl_setfd(&file, flags | FdFlags::CLOEXEC)?;
    }
    Ok(())
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, what)
}

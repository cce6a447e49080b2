//! The processes with a [`Child`](crate::Child), and those that still have to be reaped.

use std::collections::HashSet;
use std::sync::{LazyLock, Once};
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, RwLock};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// Held for reading from the start of a process until it is registered; held for writing by a sweep.
pub(crate) static STARTING: RwLock<()> = RwLock::new(());

static KNOWN: LazyLock<Mutex<HashSet<Pid>>> = LazyLock::new(Mutex::default);

/// Processes that were killed but not yet dead when their `Child` was dropped.
static DYING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
static MORE: Condvar = Condvar::new();

pub(crate) fn add(pid: Pid) {
    KNOWN.lock().insert(pid);
}

/// Removes a process that was reaped elsewhere.
pub(crate) fn remove(pid: Pid) {
    KNOWN.lock().remove(&pid);
}

#[cfg(target_os = "linux")]
pub(crate) fn contains(pid: Pid) -> bool {
    KNOWN.lock().contains(&pid)
}

/// Reaps a killed process: at once if it is dead, else on a thread. A process that hangs in the kernel may take
/// arbitrarily long to die.
pub(crate) fn reap(pid: Pid) {
    if reaped(pid) {
        return;
    }
    static THREAD: Once = Once::new();
    let mut dying = DYING.lock();
    dying.retain(|pid| !reaped(*pid));
    dying.push(pid);
    drop(dying);
    MORE.notify_one();
    THREAD.call_once(|| {
        // If the thread cannot be started, the processes stay zombies until the next call.
        let _ = thread::Builder::new()
            .name("linkspan-reap".into())
            .stack_size(64 << 10)
            .spawn(reap_for_ever);
    });
}

fn reap_for_ever() {
    let mut pause = Duration::from_micros(200);
    loop {
        let mut dying = DYING.lock();
        while dying.is_empty() {
            pause = Duration::from_micros(200);
            MORE.wait(&mut dying);
        }
        dying.retain(|pid| !reaped(*pid));
        drop(dying);
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Reaps the process if it is dead. The system may then reuse its pid, so the pid leaves the registry under the
/// same lock: a new process with that pid is registered later.
fn reaped(pid: Pid) -> bool {
    let mut known = KNOWN.lock();
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    let alive = matches!(waitid(WaitId::Pid(pid), options), Ok(None));
    if !alive {
        known.remove(&pid);
    }
    !alive
}

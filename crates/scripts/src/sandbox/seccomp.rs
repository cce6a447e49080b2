//! Level 2: system calls that Landlock ignores, refused with seccomp.
//!
//! * Always: `chmod`, `open` and `mknod` with a set-user-id or set-group-id bit. The file would give the rights
//!   of this user to others.
//! * Outside of writable paths: changes of mode, owner, times and extended attributes. The server decides: see
//!   `metadata.rs`.
//! * If `net` is given: sockets of families other than Unix, Internet and netlink, and Internet protocols besides
//!   TCP, UDP and ICMP. Landlock checks TCP only; MPTCP, SCTP and SMC would bypass it.
//! * If `net` is empty: TCP sockets, which could not be used.
//! * If `net` has ports: `listen`, and `sendto` that connects (TCP Fast Open). Landlock checks neither.
//! * Always: mounts, `chroot`, `setns`, new mount and user namespaces. The server would resolve a path
//!   differently from the tool.
//! * Always: `ioctl` for inode flags, verity, encryption, FAT attributes, btrfs subvolumes. They change files that
//!   are open for reading.
//! * Always, as if the kernel lacked them: io_uring, `openat2`, `clone3`. Their arguments are in memory, which a
//!   filter cannot see.
//!
//! Programs for another instruction set of the same processor (32 bits) are killed at their first call, because
//! their calls have other numbers. x32 calls fail as on a kernel without them.

mod files;
mod metadata;
mod mounts;
mod rules;
mod sockets;
#[cfg(test)]
mod tests;

use std::io;

use linkspan_spawn::notify::{self, Listener};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompFilter, apply_filter, sock_filter,
};

use super::profile::Reach;
pub(crate) use metadata::decide;
use rules::Rules;

/// Newer than our `libc`.
const FILE_SETATTR: i64 = 469;

/// Applies the filters to this process and its descendants, for good.
pub(super) fn forbid(reach: &Reach) -> io::Result<()> {
    if cfg!(target_arch = "x86_64") {
        apply_filter(&no_x32()).map_err(io::Error::other)?;
    }
    apply(missing(), libc::ENOSYS)?;
    apply(refused(reach).map_err(io::Error::other)?, libc::EPERM)?;
    match reach.decider {
        Some(number) => handed_over(number),
        // No server decides. A program without writable paths may change no metadata.
        None if reach.write.is_empty() && reach.roots.is_empty() => no_metadata(),
        None => Ok(()),
    }
}

/// Delegates changes of file metadata to the server.
fn handed_over(number: i32) -> io::Result<()> {
    let to = notify::inherited(number)?;
    let rules = metadata::CALLS.iter().map(|call| (*call, Vec::new()));
    // A unique action, which is then replaced by user notification: `seccompiler` does not know it.
    let program = program(rules.collect(), SeccompAction::Trace(0)).map_err(io::Error::other)?;
    let program: Vec<_> = program
        .iter()
        .map(|one| match one.k {
            libc::SECCOMP_RET_TRACE => (one.code, one.jt, one.jf, libc::SECCOMP_RET_USER_NOTIF),
            k => (one.code, one.jt, one.jf, k),
        })
        .collect();
    match Listener::install(&program) {
        Ok(listener) => metadata::send(&to, &listener),
        // A filter exists already (nested sandbox): only one can have a listener.
        Err(e) if e.raw_os_error() == Some(libc::EBUSY) => no_metadata(),
        Err(e) => Err(e),
    }
}

/// Refuses every change of file metadata.
fn no_metadata() -> io::Result<()> {
    let mut rules = Rules::new();
    files::metadata(&mut rules).map_err(io::Error::other)?;
    apply(rules, libc::EPERM)
}

fn apply(rules: Rules, error: i32) -> io::Result<()> {
    let refuse = SeccompAction::Errno(error.unsigned_abs());
    let program = program(rules, refuse).map_err(io::Error::other)?;
    apply_filter(&program).map_err(io::Error::other)
}

fn program(rules: Rules, refuse: SeccompAction) -> Result<BpfProgram, BackendError> {
    let arch = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)?.try_into()
}

/// Refuses the x32 calling convention, which sets a bit in the number of a call and renumbers some calls. It
/// fails as on kernels without it, which is usual.
fn no_x32() -> BpfProgram {
    const X32: u32 = 0x4000_0000;
    let one = |code: u32, jf, k| sock_filter {
        code: code as u16,
        jt: 0,
        jf,
        k,
    };
    vec![
        // The number of the call is at offset 0.
        one(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        one(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 1, X32),
        one(
            libc::BPF_RET,
            0,
            libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
        ),
        one(libc::BPF_RET, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

/// Calls that fail as on an older kernel. Programs have fallbacks.
fn missing() -> Rules {
    let calls = [
        libc::SYS_clone3,
        libc::SYS_io_uring_setup,
        libc::SYS_openat2,
        FILE_SETATTR,
    ];
    calls.into_iter().map(|call| (call, Vec::new())).collect()
}

fn refused(reach: &Reach) -> Result<Rules, BackendError> {
    let mut rules = Rules::new();
    files::set_id_bits(&mut rules)?;
    files::inodes(&mut rules)?;
    mounts::mounts(&mut rules)?;
    if let Some(ports) = &reach.net {
        sockets::sockets(&mut rules, ports.is_empty())?;
    }
    Ok(rules)
}

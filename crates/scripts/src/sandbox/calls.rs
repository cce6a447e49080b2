//! Level 2: system calls that Landlock does not look at, refused with seccomp.
//!
//! | call | refused | why |
//! |---|---|---|
//! | `chmod` and its like, `open`, `mknod` with a set-user-id or set-group-id bit | always | such a file gives the rights of our user to others |
//! | changes of mode, owner, times and extended attributes | outside of what may be written | the server decides: see `metadata.rs` |
//! | sockets of other families than Unix, Internet and netlink; Internet protocols besides TCP, UDP and ICMP | if `net` is given | Landlock looks at TCP only: MPTCP, SCTP and SMC would go around it |
//! | TCP sockets | if `net` is empty | nothing else is left to do with them |
//! | `listen`, and connecting by `sendto` (TCP Fast Open) | if `net` has ports | neither asks Landlock |
//! | io_uring, `openat2` | always, as if the kernel had none | their arguments are in memory, where a filter does not see them |
//!
//! Programs for another instruction set of the same processor (32 bits) are killed at their first call:
//! their calls have other numbers.

use std::io;

use super::profile::Reach;

/// Takes the calls from this process, and everything that comes from it, for good.
#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
pub(super) fn forbid(reach: &Reach) -> io::Result<()> {
    filter::install(reach)
}

#[cfg(not(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
)))]
pub(super) fn forbid(_reach: &Reach) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
mod filter {
    use std::collections::BTreeMap;
    use std::io;

    use linkspan_spawn::notify::{self, Listener};
    use seccompiler::{
        BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
        SeccompFilter, SeccompRule, apply_filter,
    };

    use super::Reach;
    use crate::sandbox::metadata::{self, FCHMODAT2};

    /// Calls that are newer than our `libc`; new ones have the same number everywhere.
    const SETXATTRAT: i64 = 463;
    const REMOVEXATTRAT: i64 = 466;
    const FILE_SETATTR: i64 = 469;

    const SET_USER_ID: u64 = 0o4000;
    const SET_GROUP_ID: u64 = 0o2000;
    /// `O_TMPFILE` without the `O_DIRECTORY` that it contains.
    const TMPFILE: u64 = 0o20_000_000;
    const TYPE: u64 = 0xf;

    pub(super) fn install(reach: &Reach) -> io::Result<()> {
        apply(missing(), libc::ENOSYS)?;
        apply(refused(reach).map_err(io::Error::other)?, libc::EPERM)?;
        match reach.decider {
            Some(number) => handed_over(number),
            // There is no server to ask. A program that may write nothing may change no metadata.
            None if reach.write.is_empty() && reach.roots.is_empty() => no_metadata(),
            None => Ok(()),
        }
    }

    /// Leaves it to the server which file metadata is changed.
    fn handed_over(number: i32) -> io::Result<()> {
        let to = notify::inherited(number)?;
        let rules = metadata::CALLS.iter().map(|call| (*call, Vec::new()));
        // The one action that can be told from all others, and is then replaced by one that
        // `seccompiler` does not know.
        let program =
            program(rules.collect(), SeccompAction::Trace(0)).map_err(io::Error::other)?;
        let program: Vec<_> = program
            .iter()
            .map(|one| match one.k {
                libc::SECCOMP_RET_TRACE => (one.code, one.jt, one.jf, libc::SECCOMP_RET_USER_NOTIF),
                k => (one.code, one.jt, one.jf, k),
            })
            .collect();
        match Listener::install(&program) {
            Ok(listener) => metadata::send(&to, &listener),
            // We are confined like this already: a filter can have one listener only.
            Err(e) if e.raw_os_error() == Some(libc::EBUSY) => no_metadata(),
            Err(e) => Err(e),
        }
    }

    /// Refuses every change of file metadata.
    fn no_metadata() -> io::Result<()> {
        let mut rules = Rules::new();
        metadata(&mut rules).map_err(io::Error::other)?;
        apply(rules, libc::EPERM)
    }

    fn apply(rules: Rules, error: i32) -> io::Result<()> {
        let refuse = SeccompAction::Errno(error.unsigned_abs());
        let program = program(rules, refuse).map_err(io::Error::other)?;
        apply_filter(&program).map_err(io::Error::other)
    }

    /// Which calls, under which conditions: any rule of a call will do, with all that it asks for.
    type Rules = BTreeMap<i64, Vec<SeccompRule>>;

    fn program(rules: Rules, refuse: SeccompAction) -> Result<BpfProgram, BackendError> {
        let arch = std::env::consts::ARCH.try_into()?;
        SeccompFilter::new(with_x32(rules), SeccompAction::Allow, refuse, arch)?.try_into()
    }

    /// The second calling convention of this processor has the same numbers with a bit set.
    fn with_x32(mut rules: Rules) -> Rules {
        if cfg!(target_arch = "x86_64") {
            const X32: i64 = 0x4000_0000;
            let again: Vec<_> = rules
                .iter()
                .map(|(nr, rule)| (nr | X32, rule.clone()))
                .collect();
            rules.extend(again);
        }
        rules
    }

    /// What looks as if this kernel did not have it. Programs have another way.
    fn missing() -> Rules {
        let calls = [
            libc::SYS_io_uring_setup,
            libc::SYS_openat2,
            SETXATTRAT,
            REMOVEXATTRAT,
            FILE_SETATTR,
        ];
        calls.into_iter().map(|call| (call, Vec::new())).collect()
    }

    fn refused(reach: &Reach) -> Result<Rules, BackendError> {
        let mut rules = Rules::new();
        set_id_bits(&mut rules)?;
        if let Some(ports) = &reach.net {
            sockets(&mut rules, ports.is_empty())?;
        }
        Ok(rules)
    }

    /// `call` is refused if its argument has one of the two bits, and if all of `also` holds.
    fn bits(
        rules: &mut Rules,
        call: i64,
        argument: u8,
        also: &[SeccompCondition],
    ) -> Result<(), BackendError> {
        for bit in [SET_USER_ID, SET_GROUP_ID] {
            let mut all = vec![masked(argument, bit, bit)?];
            all.extend_from_slice(also);
            rules.entry(call).or_default().push(SeccompRule::new(all)?);
        }
        Ok(())
    }

    fn set_id_bits(rules: &mut Rules) -> Result<(), BackendError> {
        let mut modes = vec![
            (libc::SYS_fchmod, 1),
            (libc::SYS_fchmodat, 2),
            (FCHMODAT2, 2),
            (libc::SYS_mknodat, 2),
        ];
        let mut opens = vec![(libc::SYS_openat, 2, 3)];
        #[cfg(target_arch = "x86_64")]
        {
            modes.extend([
                (libc::SYS_chmod, 1),
                (libc::SYS_creat, 1),
                (libc::SYS_mknod, 1),
            ]);
            opens.push((libc::SYS_open, 1, 2));
        }
        for (call, mode) in modes.drain(..) {
            bits(rules, call, mode, &[])?;
        }
        for (call, flags, mode) in opens.drain(..) {
            // The mode means something only if a file is made.
            for makes in [libc::O_CREAT as u64, TMPFILE] {
                bits(rules, call, mode, &[masked(flags, makes, makes)?])?;
            }
        }
        Ok(())
    }

    fn metadata(rules: &mut Rules) -> Result<(), BackendError> {
        for call in metadata::CALLS {
            rules.insert(*call, Vec::new());
        }
        // `touch` sets the time of a file that it has open to now. That stays.
        let (by_path, other_time) = (pointer(1)?, pointer(2)?);
        let rule = |condition| SeccompRule::new(vec![condition]);
        rules.insert(libc::SYS_utimensat, vec![rule(by_path)?, rule(other_time)?]);
        Ok(())
    }

    fn sockets(rules: &mut Rules, none: bool) -> Result<(), BackendError> {
        let known = [
            libc::AF_UNIX,
            libc::AF_INET,
            libc::AF_INET6,
            libc::AF_NETLINK,
        ];
        let other: Result<_, _> = known.iter().map(|family| not(0, *family as u64)).collect();
        let mut refused = vec![SeccompRule::new(other?)?];
        let protocols = [
            libc::IPPROTO_IP,
            libc::IPPROTO_TCP,
            libc::IPPROTO_UDP,
            libc::IPPROTO_ICMP,
            libc::IPPROTO_ICMPV6,
        ];
        for family in [libc::AF_INET, libc::AF_INET6] {
            let family = is(0, family as u64)?;
            let mut all = vec![family.clone()];
            for protocol in protocols {
                all.push(not(2, protocol as u64)?);
            }
            refused.push(SeccompRule::new(all)?);
            let kind = masked(1, TYPE, libc::SOCK_SEQPACKET as u64)?;
            refused.push(SeccompRule::new(vec![family.clone(), kind])?);
            if none {
                let kind = masked(1, TYPE, libc::SOCK_STREAM as u64)?;
                refused.push(SeccompRule::new(vec![family, kind])?);
            }
        }
        rules.insert(libc::SYS_socket, refused);
        if none {
            return Ok(());
        }
        rules.insert(libc::SYS_listen, Vec::new());
        let fast_open = libc::MSG_FASTOPEN as u64;
        for (call, flags) in [
            (libc::SYS_sendto, 3),
            (libc::SYS_sendmsg, 2),
            (libc::SYS_sendmmsg, 3),
        ] {
            let rule = SeccompRule::new(vec![masked(flags, fast_open, fast_open)?])?;
            rules.insert(call, vec![rule]);
        }
        Ok(())
    }

    fn is(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
    }

    fn not(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
    }

    /// A pointer that points somewhere.
    fn pointer(argument: u8) -> Result<SeccompCondition, BackendError> {
        SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)
    }

    fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompCondition, BackendError> {
        let op = SeccompCmpOp::MaskedEq(mask);
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value)
    }
}

#[cfg(test)]
#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
mod tests;

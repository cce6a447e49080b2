//! Calls that reach the network in ways that Landlock ignores.

use seccompiler::{BackendError, SeccompRule};

use super::rules::{Rules, is, masked, not};

const TYPE: u64 = 0xf;

/// Refuses ways around the granted TCP ports. `none`: no port is granted.
pub(super) fn sockets(rules: &mut Rules, none: bool) -> Result<(), BackendError> {
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

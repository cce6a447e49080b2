//! Tests of the filter, each on a thread of its own, which is all that it confines.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use rustix::fs::{CWD, Mode, OFlags, chmod, openat};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, Protocol, SendFlags, SocketAddrV4, SocketType, ipproto, listen, sendto, socket,
};

use super::*;

/// Runs a closure on a confined thread.
fn confined<T: Send + 'static>(
    net: Option<Vec<u16>>,
    write: Vec<PathBuf>,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let reach = Reach {
        folder: "/".into(),
        read: Vec::new(),
        write,
        roots: Vec::new(),
        tmp: None,
        net,
        optional: false,
        decider: None,
    };
    let thread = std::thread::spawn(move || {
        forbid(&reach).unwrap();
        work()
    });
    thread.join().unwrap()
}

fn open(family: AddressFamily, kind: SocketType, protocol: Option<Protocol>) -> Result<(), Errno> {
    socket(family, kind, protocol).map(drop)
}

const INTERNET: [AddressFamily; 2] = [AddressFamily::INET, AddressFamily::INET6];

#[test]
fn with_no_ports_all_tcp_sockets_are_refused() {
    confined(Some(Vec::new()), Vec::new(), || {
        for family in INTERNET {
            for protocol in [None, Some(ipproto::TCP), Some(ipproto::MPTCP)] {
                let opened = open(family, SocketType::STREAM, protocol);
                assert_eq!(opened, Err(Errno::PERM));
            }
            assert_ne!(open(family, SocketType::DGRAM, None), Err(Errno::PERM));
        }
        assert_eq!(open(AddressFamily::UNIX, SocketType::STREAM, None), Ok(()));
        let vsock = AddressFamily::from_raw(40);
        assert_eq!(open(vsock, SocketType::STREAM, None), Err(Errno::PERM));
    });
}

#[test]
fn with_ports_granted_ways_around_them_are_refused() {
    confined(Some(vec![443]), Vec::new(), || {
        let tcp = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        assert_eq!(listen(&tcp, 1), Err(Errno::PERM));
        let fast_open = SendFlags::from_bits_retain(0x2000_0000);
        let to = SocketAddrV4::new(std::net::Ipv4Addr::LOCALHOST, 9);
        assert_eq!(sendto(&tcp, b"x", fast_open, &to), Err(Errno::PERM));
        let mptcp = open(
            AddressFamily::INET,
            SocketType::STREAM,
            Some(ipproto::MPTCP),
        );
        assert_eq!(mptcp, Err(Errno::PERM));
    });
}

#[test]
fn without_net_settings_sockets_are_allowed() {
    confined(None, Vec::new(), || {
        let tcp = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        listen(&tcp, 1).unwrap();
    });
}

#[test]
fn a_set_id_bit_is_refused_however_it_is_set() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    confined(None, vec![path.clone()], move || {
        let make = |name: &str, flags, mode| openat(CWD, path.join(name), flags, mode).map(drop);
        let (new, own) = (OFlags::CREATE | OFlags::WRONLY, Mode::RUSR | Mode::WUSR);
        make("file", new, own).unwrap();
        for bit in [Mode::SUID, Mode::SGID] {
            assert_eq!(make("set", new, own | bit), Err(Errno::PERM));
            let unnamed = OFlags::TMPFILE | OFlags::WRONLY;
            let opened = openat(CWD, &path, unnamed, own | bit).map(drop);
            assert_eq!(opened, Err(Errno::PERM));
            assert_eq!(chmod(path.join("file"), own | bit), Err(Errno::PERM));
            // The mode has no effect if no file is created.
            assert_eq!(make("file", OFlags::RDONLY, own | bit), Ok(()));
        }
        chmod(path.join("file"), own).unwrap();
    });
}

#[test]
fn calls_whose_arguments_cannot_be_seen_do_not_exist() {
    confined(None, Vec::new(), || {
        let resolve = rustix::fs::ResolveFlags::empty();
        let opened = rustix::fs::openat2(CWD, "/", OFlags::RDONLY, Mode::empty(), resolve);
        assert_eq!(opened.map(drop), Err(Errno::NOSYS));
    });
}

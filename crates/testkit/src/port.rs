//! A free TCP port.

use std::net::TcpListener;

/// A loopback port that refuses connections until a server is started on it.
pub struct Port {
    number: u16,
    #[cfg(unix)]
    socket: rustix::fd::OwnedFd,
}

impl Port {
    /// Binds a free port. It stays bound, so no other test can take it.
    #[cfg(unix)]
    pub fn reserve() -> Self {
        Self::bind(0)
    }

    /// Binds the port of a killed server, so that another one can start there.
    #[cfg(unix)]
    pub fn again(number: u16) -> Self {
        Self::bind(number)
    }

    /// The port number.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// The address of a legacy or modern server that will be started here.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.number)
    }

    #[cfg(unix)]
    fn bind(number: u16) -> Self {
        use rustix::net::{SocketAddrAny, bind, getsockname, sockopt};
        use std::net::{Ipv4Addr, SocketAddrV4};

        let socket = private_socket();
        sockopt::set_socket_reuseaddr(&socket, true).expect("a fresh socket takes the option");
        bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, number)).expect("the port is free");
        let address: SocketAddrAny = getsockname(&socket).expect("a bound socket has a name");
        let address = SocketAddrV4::try_from(address).expect("it was bound to an IPv4 address");
        Self {
            number: address.port(),
            socket,
        }
    }

    #[cfg(unix)]
    pub(crate) fn listen(self) -> TcpListener {
        rustix::net::listen(&self.socket, 256).expect("a bound socket can listen");
        TcpListener::from(self.socket)
    }

    /// Picks a free port; without Unix it is only remembered, not held.
    #[cfg(not(unix))]
    pub fn reserve() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port exists");
        Self::again(
            listener
                .local_addr()
                .expect("a bound socket has a name")
                .port(),
        )
    }

    /// Picks the port of a killed server, so that another one can start there.
    #[cfg(not(unix))]
    pub fn again(number: u16) -> Self {
        Self { number }
    }

    #[cfg(not(unix))]
    pub(crate) fn listen(self) -> TcpListener {
        TcpListener::bind(("127.0.0.1", self.number)).expect("the port is free")
    }
}

/// A socket that the processes under test do not inherit: otherwise they would keep the port of a killed server
/// listening.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
fn private_socket() -> rustix::fd::OwnedFd {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
    socket_with(
        AddressFamily::INET,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )
    .expect("sockets can be made")
}

#[cfg(all(
    unix,
    not(any(target_os = "linux", target_os = "android", target_os = "freebsd"))
))]
fn private_socket() -> rustix::fd::OwnedFd {
    use rustix::io::{FdFlags, fcntl_setfd};
    use rustix::net::{AddressFamily, SocketType, socket};
    let socket =
        socket(AddressFamily::INET, SocketType::STREAM, None).expect("sockets can be made");
    fcntl_setfd(&socket, FdFlags::CLOEXEC).expect("a fresh socket takes the flag");
    socket
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpStream;

    #[test]
    fn a_reserved_port_refuses_until_it_listens() {
        let port = Port::reserve();
        let address = ("127.0.0.1", port.number());
        let refused = TcpStream::connect(address).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
        let _listener = port.listen();
        assert!(TcpStream::connect(address).is_ok());
    }
}

//! Unix sockets between linkspan and programs of others: uvicorn.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use linkspan_testkit::wait_within;

use crate::{direct, installed, log, python, server, stdio};

const LIMIT: Duration = Duration::from_secs(30);

/// The Python server on a socket, until the end of the test.
struct OnSocket(Child);

impl OnSocket {
    fn start(socket: &Path) -> Self {
        let child = Command::new(installed::python())
            .arg(installed::script("pyserver.py"))
            .arg(socket)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log::file("pyserver-unix"))
            .spawn()
            .expect("Python starts");
        wait_within(LIMIT, "the server", || UnixStream::connect(socket).ok());
        Self(child)
    }
}

impl Drop for OnSocket {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn results_of_uvicorn_on_a_socket_are_those_of_the_same_server_on_a_port() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("mcp.sock");
    let _server = OnSocket::start(&socket);
    let (mut bridged, hello) = stdio::connect(&format!("unix:{}", socket.display()));
    let server = server::Server::python(&[]);
    let (mut direct, direct_hello) = direct::streamable_http(server.address);
    assert_eq!(hello, direct_hello);
    for (method, params) in &python::REPEATABLE[..12] {
        let direct = direct.call(method, params);
        assert_eq!(bridged.call(method, params), direct, "{method} {params}");
    }
}

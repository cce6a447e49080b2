//! A peer that serves HTTP: started on a free port, waited for, killed at the end of the test.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use linkspan_testkit::found_within;

use crate::{installed, log};

const LIMIT: Duration = Duration::from_secs(30);

pub struct Server {
    child: Child,
    pub address: SocketAddr,
}

impl Server {
    /// `server-everything`, as `streamableHttp` or `sse`.
    pub fn everything(transport: &str) -> Self {
        Self::start("everything", |port| {
            let mut command = Command::new(installed::node());
            command
                .arg(installed::npm("server-everything/dist/index.js"))
                .arg(transport);
            command.env("PORT", port);
            command
        })
    }

    /// Our script on the official Python SDK.
    pub fn python(flags: &[&str]) -> Self {
        Self::start("pyserver", |port| {
            let mut command = Command::new(installed::python());
            command.arg(installed::script("pyserver.py"));
            command.args(flags).arg(port);
            command
        })
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A server that gets its port from `command`.
    pub fn start(name: &str, command: impl Fn(&str) -> Command) -> Self {
        // Another program may take the port between our asking for it and the server's binding it.
        (0..3)
            .find_map(|_| Self::start_at(name, free_address(), &command))
            .unwrap_or_else(|| panic!("{name} does not start; see .peers/logs"))
    }

    /// The same at a certain address; `None` if it does not start there.
    pub fn start_at(
        name: &str,
        address: SocketAddr,
        command: impl Fn(&str) -> Command,
    ) -> Option<Self> {
        let mut command = command(&address.port().to_string());
        // The children of these servers exit with them, so killing the server is enough.
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log::file(name))
            .spawn()
            .unwrap_or_else(|error| panic!("{:?}: {error}", command.get_program()));
        answers(&mut child, address).then_some(Self { child, address })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An address of the loopback that has been free a moment ago.
pub fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener
        .local_addr()
        .expect("a bound socket has an address")
}

fn answers(child: &mut Child, address: SocketAddr) -> bool {
    let mut runs = || matches!(child.try_wait(), Ok(None));
    let listens = found_within(LIMIT, || {
        (!runs() || TcpStream::connect(address).is_ok()).then_some(())
    });
    // Another process may have taken the port meanwhile, so that the server has exited.
    if listens.is_some() && runs() {
        return true;
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

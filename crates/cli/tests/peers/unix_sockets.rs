//! Unix sockets between linkspan and programs of others: uvicorn, httpx, Node, curl.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use linkspan_testkit::wait_within;

use crate::folder_served::Web;
use crate::sdk::{Era, Language, Sdk};
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

fn exposed(socket: &Path) -> Web {
    let python = installed::python();
    let script = installed::script("pyserver.py");
    let words = [
        "expose".as_ref(),
        "--unix".as_ref(),
        socket,
        "--".as_ref(),
        &python,
        &script,
        "stdio".as_ref(),
    ];
    Web::of(&words.map(|word| word.to_str().expect("paths of tests are text").to_owned()))
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

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn the_python_sdk_calls_through_a_socket_in_both_eras() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("mcp.sock");
    let _web = exposed(&socket);
    let call = (
        "tools/call",
        r#"{"name":"echo","arguments":{"message":"ø ⛴"}}"#,
    );
    for era in [Era::Legacy, Era::Modern] {
        let sdk = Sdk {
            language: Language::Python,
            era,
        };
        let told = sdk.run(&[call], &[format!("unix:{}", socket.display())]);
        assert!(
            told.results[0].to_string().contains("Echo: ø ⛴"),
            "{told:?}"
        );
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn node_and_curl_reach_a_socket() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("mcp.sock");
    let _web = exposed(&socket);
    let mut curl = Command::new("curl");
    curl.args(["-sS", "--fail", "http://any.name/healthz", "--unix-socket"])
        .arg(&socket);
    let mut node = Command::new(installed::node());
    node.args([
        "-e",
        "require('http').get({socketPath: process.argv[1], path: '/healthz'}, r => r.pipe(process.stdout))",
    ])
    .arg(&socket);
    for command in [&mut curl, &mut node] {
        let ran = command.output().expect("it starts");
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(text.contains(r#""status":"ok""#), "{ran:?}");
    }
}

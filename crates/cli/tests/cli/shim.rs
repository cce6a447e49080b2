//! `linkspan mcp`, between an agent and a conductor that the test plays.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use linkspan_testkit::end_within;

const SECRET: &str = "5ec2e7";
const PATIENCE: Duration = Duration::from_secs(60);

/// A running shim. Threads read its output, so that every wait ends.
struct Shim {
    child: Child,
    stdin: Option<ChildStdin>,
    out: Receiver<String>,
    err: Receiver<String>,
}

impl Shim {
    fn start(endpoint: &str, secret: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkspan"));
        command
            .args(["mcp", endpoint])
            .env_remove("LINKSPAN_MCP_TOKEN");
        if let Some(secret) = secret {
            command.env("LINKSPAN_MCP_TOKEN", secret);
        }
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes
            .stderr(Stdio::piped())
            .spawn()
            .expect("linkspan starts");
        Self {
            stdin: child.stdin.take(),
            out: lines(child.stdout.take().expect("a pipe")),
            err: lines(child.stderr.take().expect("a pipe")),
            child,
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("it is open");
        stdin.write_all(bytes).expect("it reads");
        stdin.flush().expect("it reads");
    }

    fn line(&self) -> String {
        self.out.recv_timeout(PATIENCE).expect("a line on stdout")
    }

    fn complaint(&self) -> String {
        let mut all = String::new();
        while let Ok(line) = self.err.recv_timeout(PATIENCE) {
            all += &line;
        }
        all
    }

    fn ended(mut self) -> ExitStatus {
        end_within(PATIENCE, &mut self.child).expect("it ends")
    }
}

impl Drop for Shim {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(from: impl Read + Send + 'static) -> Receiver<String> {
    let (tx, rx) = sync_channel(64);
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if tx.send(line).is_err() {
                return;
            }
        }
    });
    rx
}

/// The conductor's end.
struct Conductor {
    reader: BufReader<UnixStream>,
}

impl Conductor {
    fn accept(listener: &UnixListener) -> Self {
        let (stream, _) = listener.accept().expect("it connects");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let mut conductor = Self {
            reader: BufReader::new(stream),
        };
        assert_eq!(conductor.line(), SECRET, "the first line is the secret");
        conductor
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    fn write(&mut self, text: &str) {
        let stream = self.reader.get_mut();
        stream.write_all(text.as_bytes()).expect("it reads");
    }
}

struct Scene {
    dir: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a folder"),
        }
    }

    fn path(&self) -> String {
        let path = self.dir.path().join("s");
        path.to_str().expect("UTF-8").to_owned()
    }

    fn met(&self) -> (Shim, Conductor) {
        let listener = UnixListener::bind(self.path()).expect("a socket");
        let shim = Shim::start(&self.path(), Some(SECRET));
        let conductor = Conductor::accept(&listener);
        (shim, conductor)
    }
}

#[test]
fn a_long_line_in_two_pieces_arrives_whole_with_a_message_the_other_way_between() {
    let scene = Scene::new();
    let (mut shim, mut conductor) = scene.met();
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#,
        "x".repeat(60_000)
    );
    let (first, second) = long.as_bytes().split_at(31_000);
    shim.write(first);
    conductor.write("{\"note\":1}\n");
    assert_eq!(shim.line(), r#"{"note":1}"#);
    shim.write(second);
    shim.write(b"\n");
    assert_eq!(conductor.line(), long);
}

#[test]
fn bytes_that_are_no_message_pass_all_the_same() {
    let scene = Scene::new();
    let (mut shim, mut conductor) = scene.met();
    shim.write(b"not json at all\n");
    assert_eq!(conductor.line(), "not json at all");
    conductor.write("neither is this\n");
    assert_eq!(shim.line(), "neither is this");
}

#[test]
fn an_agent_that_has_closed_its_output_still_gets_its_answers() {
    let scene = Scene::new();
    let (mut shim, mut conductor) = scene.met();
    shim.write(b"last words\n");
    drop(shim.stdin.take());
    assert_eq!(conductor.line(), "last words");
    assert_eq!(conductor.line(), "", "its side is closed");
    conductor.write("the answer\n");
    assert_eq!(shim.line(), "the answer");
    drop(conductor);
    assert_eq!(shim.ended().code(), Some(0));
}

#[test]
fn it_exits_when_the_conductor_closes_and_warns_if_that_was_at_once() {
    let scene = Scene::new();
    let (shim, conductor) = scene.met();
    drop(conductor);
    assert!(shim.complaint().contains("the session may be over"));
    assert_eq!(shim.ended().code(), Some(0));
}

// On other systems a reset connection looks like a closed one.
#[cfg(target_os = "linux")]
#[test]
fn a_broken_connection_is_reported_and_not_reconnected() {
    let scene = Scene::new();
    let listener = UnixListener::bind(scene.path()).unwrap();
    let shim = Shim::start(&scene.path(), Some(SECRET));
    // Its output is never read, so it gets an error and not the end of the stream.
    drop(listener.accept().unwrap());
    let complaint = shim.complaint();
    assert!(complaint.contains("not reconnected"), "{complaint}");
    assert_eq!(shim.ended().code(), Some(4));
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "it has not come back");
}

#[test]
fn the_conductor_may_be_a_little_late() {
    let scene = Scene::new();
    let shim = Shim::start(&scene.path(), Some(SECRET));
    let listener = UnixListener::bind(scene.path()).unwrap();
    let mut conductor = Conductor::accept(&listener);
    conductor.write("welcome\n");
    assert_eq!(shim.line(), "welcome");
}

#[test]
fn without_a_listener_it_says_so() {
    let scene = Scene::new();
    let shim = Shim::start(&scene.path(), Some(SECRET));
    assert!(shim.complaint().contains("no conductor listens"));
    assert_eq!(shim.ended().code(), Some(3));
}

#[test]
fn without_a_secret_it_does_not_begin() {
    let shim = Shim::start("/nowhere", None);
    assert!(shim.complaint().contains("LINKSPAN_MCP_TOKEN"));
    assert_eq!(shim.ended().code(), Some(2));
}

#[test]
fn a_listener_on_a_former_port_of_the_conductor_gets_no_message() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let mut shim = Shim::start(&port, Some(SECRET));
    shim.write(b"{\"private\":1}\n");
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let digits = "0".repeat(64);
    stream.write_all(format!("{digits}\n").as_bytes()).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut said = String::new();
    reader.read_line(&mut said).unwrap();
    stream.write_all(format!("{digits}\n").as_bytes()).unwrap();
    reader.read_to_string(&mut said).unwrap();
    assert!(
        !said.contains(SECRET) && !said.contains("private"),
        "{said}"
    );
    assert!(shim.complaint().contains("does not know the secret"));
    assert_eq!(shim.ended().code(), Some(4));
}

//! The exit of a bridge: in time, and without processes left behind.
#![cfg(unix)]

use std::fs::File;
use std::io::Read;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use linkspan_testkit::{Bridge, Conn, Flow, LIMIT, Request, Server, Signal};
use serde_json::json;

use crate::servers::{Scratch, assert_answers, hello, plain};
use crate::setup::{LATEST, launch, program, started};

/// The limit for "at once" on a busy machine.
const SOON: Duration = Duration::from_secs(5);

/// A process that holds a named pipe open while it lives.
struct Grandchild {
    fifo: Scratch,
    up: mpsc::Receiver<()>,
    gone: mpsc::Receiver<()>,
}

impl Grandchild {
    fn expect(name: &str) -> Self {
        let fifo = Scratch::new(name);
        let made = Command::new("mkfifo").arg(fifo.as_str()).status();
        assert!(made.expect("there is a mkfifo").success());
        let ((is_up, up), (is_gone, gone)) = (mpsc::sync_channel(1), mpsc::sync_channel(1));
        let path = fifo.as_str().to_owned();
        thread::spawn(move || {
            // Opening waits for a writer, reading for the last of them to go.
            let mut pipe = File::open(path).expect("it was made above");
            let _ = is_up.send(());
            let _ = pipe.read(&mut [0]);
            let _ = is_gone.send(());
        });
        Self { fifo, up, gone }
    }

    /// The shell words that start it in the background.
    fn start(&self) -> String {
        format!("sleep 60 3>'{}' &", self.fifo.as_str())
    }

    #[track_caller]
    fn wait_until_up(&self) {
        self.up.recv_timeout(LIMIT).expect("it was started");
    }

    #[track_caller]
    fn assert_gone(&self) {
        self.gone.recv_timeout(SOON).expect("it is still there");
    }
}

/// `linkspan` with these arguments and a server that is this shell line.
fn with_shell(args: &[&str], line: &str) -> Bridge {
    Bridge::launch(program())
        .args(args)
        .args(["--", "sh", "-c", line])
        .start()
}

#[test]
fn a_server_that_never_answers_is_ended_with_its_children() {
    let grandchild = Grandchild::expect("timeout");
    let line = format!("{} sleep 60; true", grandchild.start());
    let mut command = with_shell(&["call", "hello", "--timeout", "1"], &line);
    grandchild.wait_until_up();
    assert_eq!(command.exit_code(), Some(6));
    grandchild.assert_gone();
}

#[test]
fn an_interrupted_command_ends_its_server_with_its_children() {
    let grandchild = Grandchild::expect("interrupt");
    let line = format!("{} sleep 60; true", grandchild.start());
    let mut command = with_shell(&["call", "hello"], &line);
    grandchild.wait_until_up();
    command.signal(Signal::Interrupt);
    assert_eq!(command.exit_code(), Some(130));
    grandchild.assert_gone();
}

#[test]
fn an_interrupted_command_ends_its_session() {
    let server = Server::legacy().start();
    let mut command = Bridge::launch(program())
        .args(["call", "gate", r#"{"name":"never"}"#, &server.url()])
        .start();
    server.wait_for_calls("gate", 1);
    command.signal(Signal::Interrupt);
    assert_eq!(command.exit_code(), Some(130));
    assert_eq!(server.with_method("DELETE").len(), 1);
}

#[test]
fn a_server_that_dies_is_noticed_although_its_child_holds_its_output() {
    let grandchild = Grandchild::expect("holder");
    let line = format!("echo boom >&2; {} exit 3", grandchild.start());
    let start = Instant::now();
    let mut command = with_shell(&["tools", "--timeout", "25"], &line);
    grandchild.wait_until_up();
    assert_eq!(command.exit_code(), Some(4), "{}", command.stderr());
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert!(command.stderr().contains("boom"), "{}", command.stderr());
    grandchild.assert_gone();
}

/// Reading a terminal blocks a thread, and only a key would end the read.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_bridge_that_waits_for_a_terminal() {
    use std::io::Write;
    for (signal, code) in [(Signal::Terminate, 143), (Signal::Interrupt, 130)] {
        let server = Server::legacy().start();
        let mut terminal = File::options();
        let mut terminal = terminal.read(true).write(true).open("/dev/ptmx").unwrap();
        let stdin = terminal.try_clone().unwrap();
        let mut bridge = launch(&server.url(), &[]).stdin(stdin).start();
        // The terminal echoes, so what is written at this end is read at this end. The answer proves that the bridge
        // has started and its signal handlers are installed.
        terminal.write_all(b"not json\n").unwrap();
        assert_eq!(bridge.answer("null").code(), Some(-32700));
        let start = Instant::now();
        bridge.signal(signal);
        assert_eq!(bridge.exit_code(), Some(code));
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    }
}

#[test]
fn an_unread_stderr_blocks_nothing() {
    let server = Server::legacy().intercept(plain).start();
    let mut bridge = started(&server, &["-v"]);
    bridge.pause_stderr();
    bridge.initialize(LATEST);
    for round in 0..60 {
        let ids = round * 50..(round + 1) * 50;
        for id in ids.clone() {
            bridge.request(&id.to_string(), "ping", &json!({}));
        }
        for id in ids {
            assert!(bridge.answer(&id.to_string()).result.is_some());
        }
    }
    let start = Instant::now();
    bridge.signal(Signal::Terminate);
    assert_eq!(bridge.exit_code(), Some(143));
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    let logged = bridge.stderr().len();
    assert!(logged > 60_000, "only {logged} bytes: no pipe was full");
}

#[test]
fn unread_warnings_block_nothing() {
    let server = Server::legacy().intercept(plain).start();
    let mut bridge = started(&server, &[]);
    bridge.pause_stderr();
    bridge.initialize(LATEST);
    for _ in 0..100 {
        bridge.send_bytes("not json\n".repeat(50).as_bytes());
        for _ in 0..50 {
            assert_eq!(bridge.answer("null").code(), Some(-32700));
        }
    }
    assert_answers(&bridge);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
}

/// A server that takes requests and never answers.
fn hangs(_: &Request, conn: &mut Conn) -> Flow {
    conn.wait_until_gone();
    Flow::Close
}

/// A call of about a kilobyte, as a line.
fn kilobyte(id: u32) -> String {
    let padding = "x".repeat(900);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"padding":"{padding}"}}}}}}{}"#,
        "\n"
    )
}

#[test]
fn the_end_of_stdin_is_noticed_while_the_queue_to_a_hanging_server_is_full() {
    let server = Server::legacy().intercept(hangs).start();
    let mut bridge = started(&server, &["--drain", "0"]);
    bridge.request("\"init\"", "initialize", &hello());
    // A megabyte may wait for the server; the rest is still in the pipe to the bridge.
    let lines: String = (0..1400).map(kilobyte).collect();
    bridge.send_bytes(lines.as_bytes());
    server.wait_for_post("initialize");
    let start = Instant::now();
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

/// A client that dies leaves a full pipe: its end follows bytes that the bridge never reads.
#[test]
fn a_client_that_dies_while_a_hanging_server_takes_nothing_is_noticed() {
    let server = Server::legacy().intercept(hangs).start();
    let (stdin, pipe) = std::io::pipe().unwrap();
    let mut bridge = launch(&server.url(), &["--drain", "0"])
        .stdin(stdin)
        .start();
    fill(pipe.into());
    let start = Instant::now();
    assert_eq!(bridge.exit_code(), Some(0));
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

/// Writes until the pipe has stayed full for a while, then closes.
fn fill(pipe: std::os::fd::OwnedFd) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be made");
    runtime.block_on(async {
        use tokio::io::AsyncWriteExt;
        let pipe = tokio::net::unix::pipe::Sender::from_owned_fd(pipe);
        let mut pipe = pipe.expect("it is a pipe");
        for id in 0..16_000 {
            let line = match id {
                0 => kilobyte(id).replace("tools/call", "initialize"),
                _ => kilobyte(id),
            };
            let writing = pipe.write_all(line.as_bytes());
            let stalled = tokio::time::timeout(Duration::from_millis(500), writing).await;
            match stalled {
                Ok(written) => written.expect("the bridge holds its end"),
                Err(_) => return,
            }
        }
        panic!("sixteen megabytes were taken for a server that takes nothing");
    });
}

//! The binary under test, seen as an MCP client sees it.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::LIMIT;
use crate::lines::{Lines, Nothing};
use crate::message::Message;

/// A process that is not started yet.
#[must_use]
pub struct Launch {
    command: Command,
    stdin: Option<Stdio>,
    stdout: Option<Stdio>,
    stderr: Option<Stdio>,
}

/// A signal that a user or a supervisor sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// What `kill` sends.
    Terminate,
    /// SIGKILL.
    Kill,
}

/// A running bridge. Every line that it writes to stdout must be JSON-RPC; it is killed when dropped.
pub struct Bridge {
    child: Child,
    stdin: Option<SyncSender<Vec<u8>>>,
    stdout: Lines,
    stderr: Lines,
    limit: Duration,
}

impl Launch {
    /// Adds an argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets its working directory.
    pub fn within(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Redirects its stdin; [`Bridge::send`] cannot be used then.
    pub fn stdin(mut self, from: impl Into<Stdio>) -> Self {
        self.stdin = Some(from.into());
        self
    }

    /// Redirects its stdout; no wait can see its messages then.
    pub fn stdout(mut self, to: impl Into<Stdio>) -> Self {
        self.stdout = Some(to.into());
        self
    }

    /// Redirects its stderr; [`Bridge::stderr`] stays empty then.
    pub fn stderr(mut self, to: impl Into<Stdio>) -> Self {
        self.stderr = Some(to.into());
        self
    }

    /// Starts it.
    ///
    /// # Panics
    /// When the program cannot be started.
    pub fn start(self) -> Bridge {
        let mut command = self.command;
        command
            .stdin(self.stdin.unwrap_or_else(Stdio::piped))
            .stdout(self.stdout.unwrap_or_else(Stdio::piped))
            .stderr(self.stderr.unwrap_or_else(Stdio::piped));
        let mut child = command.spawn().expect("the program under test starts");
        let stdin = child.stdin.take().map(feed);
        let stdout = match child.stdout.take() {
            Some(pipe) => Lines::read(pipe),
            None => Lines::read(std::io::empty()),
        };
        let stderr = match child.stderr.take() {
            Some(pipe) => Lines::read(pipe),
            None => Lines::read(std::io::empty()),
        };
        Bridge {
            child,
            stdin,
            stdout,
            stderr,
            limit: LIMIT,
        }
    }
}

/// Writes to a stdin in a thread of its own, so that a bridge that stops reading does not stop the
/// test.
fn feed(mut stdin: ChildStdin) -> SyncSender<Vec<u8>> {
    let (sender, receiver) = mpsc::sync_channel::<Vec<u8>>(4096);
    thread::spawn(move || {
        for bytes in receiver {
            if stdin
                .write_all(&bytes)
                .and_then(|()| stdin.flush())
                .is_err()
            {
                return;
            }
        }
    });
    sender
}

impl Bridge {
    /// Prepares to start a program, without the proxy and debug settings of the tester's machine.
    pub fn launch(program: impl AsRef<OsStr>) -> Launch {
        let mut command = Command::new(program);
        for name in [
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
            "NO_PROXY",
            "DEBUG",
            "RUST_LOG",
        ] {
            command.env_remove(name).env_remove(name.to_lowercase());
        }
        Launch {
            command,
            stdin: None,
            stdout: None,
            stderr: None,
        }
    }

    /// Allows each wait that long from now on.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// Writes a line to stdin.
    pub fn send(&self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Writes any bytes to stdin.
    pub fn send_bytes(&self, bytes: &[u8]) {
        let stdin = self
            .stdin
            .as_ref()
            .expect("stdin has not been closed by this test");
        // The writer ends only with the bridge; the next wait gives a better error.
        let _ = stdin.send(bytes.to_vec());
    }

    /// Sends a request whose id is given as JSON text (`7`, `"seven"`).
    pub fn request(&self, id: &str, method: &str, params: &Value) {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ));
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: &Value) {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#
        ));
    }

    /// Sends a `tools/call`.
    pub fn call(&self, id: &str, tool: &str, arguments: &Value) {
        self.request(
            id,
            "tools/call",
            &json!({"name": tool, "arguments": arguments}),
        );
    }

    /// Sends a `tools/call` and waits for its answer.
    pub fn ask(&self, id: &str, tool: &str, arguments: &Value) -> Message {
        self.call(id, tool, arguments);
        self.answer(id)
    }

    /// Shakes hands: `initialize`, its answer, `notifications/initialized`.
    pub fn initialize(&self, version: &str) -> Message {
        let client = json!({"name": "testkit-client", "version": "1"});
        let abilities = json!({"sampling": {}, "elicitation": {}, "roots": {"listChanged": true}});
        let params =
            json!({"protocolVersion": version, "capabilities": abilities, "clientInfo": client});
        self.request("\"init\"", "initialize", &params);
        let answer = self.answer("\"init\"");
        assert!(
            answer.result.is_some(),
            "initialize failed: {}",
            answer.text
        );
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer
    }

    /// Waits for the answer to that id, given as JSON text.
    pub fn answer(&self, id: &str) -> Message {
        self.find(&format!("an answer to {id}"), |m| {
            m.is_response() && m.id.as_deref() == Some(id)
        })
    }

    /// Waits for a request or notification of that method.
    pub fn heard(&self, method: &str) -> Message {
        self.find(method, |m| m.method.as_deref() == Some(method))
    }

    /// Waits for the first message that `is` accepts; others stay for later.
    pub fn find(&self, what: &str, is: impl Fn(&Message) -> bool) -> Message {
        let line = self.stdout.take(self.limit, |line| {
            // A line that is not a message is taken too, so that it is noticed.
            Message::parse(line).is_none_or(|message| is(&message)) && !line.starts_with('[')
        });
        let line = line.unwrap_or_else(|nothing| self.never(what, nothing));
        Message::parse(&line)
            .unwrap_or_else(|| panic!("not JSON-RPC on stdout: {line:?}\n{}", self.stderr()))
    }

    /// Waits for the next line.
    pub fn line(&self) -> String {
        self.stdout
            .take(self.limit, |_| true)
            .unwrap_or_else(|nothing| self.never("a line", nothing))
    }

    /// Lines that have been read and that no wait has taken.
    pub fn unread(&self) -> Vec<String> {
        self.stdout.all()
    }

    /// Stops reading stdout, as a busy client does.
    pub fn pause(&self) {
        self.stdout.pause(true);
    }

    /// Reads stdout again.
    pub fn resume(&self) {
        self.stdout.pause(false);
    }

    /// Stops reading stderr, as many a client never does.
    pub fn pause_stderr(&self) {
        self.stderr.pause(true);
    }

    /// Closes stdin, as a client does that exits.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for the exit and returns the code (`None`: killed by a signal).
    pub fn exit_code(&mut self) -> Option<i32> {
        let end = Instant::now() + self.limit;
        // Both pipes end with the process, so this waits for its exit.
        for lines in [&self.stdout, &self.stderr] {
            let left = end.saturating_duration_since(Instant::now());
            if lines.take(left, |_| false) == Err(Nothing::Timeout) {
                self.never("the end of the process", Nothing::Timeout);
            }
            // It has ended while its stderr was not read; now the rest is read.
            self.stderr.pause(false);
        }
        self.child.wait().expect("a child can be waited for").code()
    }

    /// Everything on stderr so far.
    pub fn stderr(&self) -> String {
        self.stderr.all().join("\n")
    }

    /// Waits for a line on stderr that contains `word`, and takes it.
    pub fn wait_for_stderr(&self, word: &str) -> String {
        let line = self.stderr.take(self.limit, |line| line.contains(word));
        line.unwrap_or_else(|nothing| self.never(&format!("`{word}` on stderr"), nothing))
    }

    /// Sends a signal.
    #[cfg(unix)]
    pub fn signal(&self, signal: Signal) {
        use rustix::process::{Pid, Signal as Unix, kill_process};
        let unix = match signal {
            Signal::Interrupt => Unix::INT,
            Signal::Terminate => Unix::TERM,
            Signal::Kill => Unix::KILL,
        };
        kill_process(Pid::from_child(&self.child), unix)
            .expect("the child has not been waited for yet");
    }

    /// Its process number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its peak resident memory in bytes; Linux only.
    pub fn peak_memory(&self) -> Option<usize> {
        self.memory("VmHWM:")
    }

    /// The memory it has resident now, in bytes; Linux only.
    pub fn resident_memory(&self) -> Option<usize> {
        self.memory("VmRSS:")
    }

    /// The part of [`Bridge::resident_memory`] that is mapped from files, such as its code; Linux only.
    pub fn mapped_memory(&self) -> Option<usize> {
        self.memory("RssFile:")
    }

    fn memory(&self, field: &str) -> Option<usize> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(field))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<usize>().ok()? * 1024)
    }

    fn never(&self, what: &str, why: Nothing) -> ! {
        let why = if why == Nothing::Ended {
            "it closed its output"
        } else {
            "time is up"
        };
        let short = |line: String| line.chars().take(400).collect::<String>();
        let unread: Vec<_> = self.unread().into_iter().map(short).collect();
        panic!(
            "the bridge never gave {what}: {why}\nunread stdout: {unread:#?}\nstderr:\n{}",
            self.stderr()
        )
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        // In most tests the process has ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

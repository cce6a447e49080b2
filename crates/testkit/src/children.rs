//! The messages that the scripted children of a bridge receive, and their starts and exits.
//!
//! Each child connects to the test and stays connected until it exits in any way. So a test can wait for the exit of a
//! process that is not its own child, without reading process lists.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::LIMIT;
use crate::message::Message;

/// The line that a child waits for before it begins.
const KNOWN: &str = "you are known";

/// All children that report to this address.
#[derive(Clone)]
pub struct Children {
    address: SocketAddr,
    inner: Arc<(Mutex<Inner>, Condvar)>,
}

/// A line that a child has received on stdin, or its note.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Which child.
    pub pid: u32,
    /// The line, or the note.
    pub text: String,
    /// The line as a message, if it was a line.
    pub message: Option<Message>,
}

#[derive(Default)]
struct Inner {
    syncs: u64,
    processes: Vec<Process>,
    seen: Vec<Seen>,
    open: Vec<String>,
}

struct Process {
    pid: u32,
    alive: bool,
    /// The number of the last sync that it has answered.
    synced: u64,
    test: TcpStream,
}

impl Children {
    /// Waits for children to report.
    ///
    /// # Panics
    /// When there is no free port.
    pub fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port exists");
        let children = Self {
            address: listener.local_addr().expect("a listener has an address"),
            inner: Arc::default(),
        };
        let mine = children.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mine = mine.clone();
                thread::spawn(move || mine.serve(&stream));
            }
        });
        children
    }

    /// Where children report; for `--watch`.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Opens a gate in every child, now and later.
    pub fn open(&self, gate: &str) {
        let mut inner = self.lock();
        inner.open.push(gate.to_owned());
        for process in inner.processes.iter_mut().filter(|p| p.alive) {
            // A child that ends just now needs no gate.
            let _ = process.test.write_all(format!("{gate}\n").as_bytes());
        }
    }

    /// How many have been started so far.
    pub fn started(&self) -> usize {
        self.lock().processes.len()
    }

    /// The running children.
    pub fn alive(&self) -> Vec<u32> {
        let alive = |process: &&Process| process.alive;
        let inner = self.lock();
        inner
            .processes
            .iter()
            .filter(alive)
            .map(|p| p.pid)
            .collect()
    }

    /// Waits until that many are running.
    #[track_caller]
    pub fn wait_for_alive(&self, count: usize) -> Vec<u32> {
        self.wait(LIMIT, &format!("{count} running children"), |inner| {
            (inner.processes.iter().filter(|p| p.alive).count() == count).then_some(())
        });
        self.alive()
    }

    /// Waits until that process has ended.
    #[track_caller]
    pub fn wait_until_gone(&self, pid: u32) {
        self.wait_until_gone_within(pid, LIMIT);
    }

    /// Waits until that process has ended, for that long.
    #[track_caller]
    pub fn wait_until_gone_within(&self, pid: u32, limit: Duration) {
        self.wait(limit, &format!("the end of {pid}"), |inner| {
            let known: Vec<_> = inner.processes.iter().filter(|p| p.pid == pid).collect();
            (!known.is_empty() && known.iter().all(|p| !p.alive)).then_some(())
        });
    }

    /// Waits until none is running.
    #[track_caller]
    pub fn wait_until_none(&self) {
        self.wait_for_alive(0);
    }

    /// Waits until a child has reported a line or note that `is` accepts.
    #[track_caller]
    pub fn wait_for(&self, what: &str, is: impl Fn(&Seen) -> bool) -> Seen {
        self.wait(LIMIT, what, |inner| {
            inner.seen.iter().find(|s| is(s)).cloned()
        })
    }

    /// Waits until a child has received a message of that method.
    #[track_caller]
    pub fn wait_for_method(&self, method: &str) -> Seen {
        self.wait_for(method, |seen| seen.method() == Some(method))
    }

    /// Waits until a child has received a call of that tool.
    #[track_caller]
    pub fn wait_for_tool(&self, tool: &str) -> Seen {
        self.wait_for(tool, |seen| seen.tool().as_deref() == Some(tool))
    }

    /// Waits until that many calls of the tool have been received.
    #[track_caller]
    pub fn wait_for_tools(&self, tool: &str, count: usize) -> Vec<Seen> {
        self.wait(LIMIT, &format!("{count} calls of {tool}"), |inner| {
            let is = |seen: &&Seen| seen.tool().as_deref() == Some(tool);
            let calls: Vec<_> = inner.seen.iter().filter(is).cloned().collect();
            (calls.len() >= count).then_some(calls)
        })
    }

    /// Everything that `is` accepts so far.
    pub fn seen(&self, is: impl Fn(&Seen) -> bool) -> Vec<Seen> {
        self.sync();
        let inner = self.lock();
        inner.seen.iter().filter(|seen| is(seen)).cloned().collect()
    }

    /// The violations that children have reported.
    pub fn violations(&self) -> Vec<String> {
        let bad = |seen: &Seen| seen.message.is_none() && seen.text.starts_with("violation");
        self.seen(bad).into_iter().map(|seen| seen.text).collect()
    }

    /// Kills a child with SIGKILL, as the kernel does when it is out of memory.
    #[cfg(unix)]
    pub fn kill(&self, pid: u32) {
        let inner = self.lock();
        // Only while it is connected: the pid of an exited process may be reused.
        if inner.processes.iter().any(|p| p.pid == pid && p.alive) {
            kill(pid);
        }
    }

    /// Kills all running children.
    #[cfg(unix)]
    pub(crate) fn kill_all(&self) {
        for pid in self.alive() {
            self.kill(pid);
        }
    }

    /// Waits until every child has reported what it has received so far; with a time limit, because a child may be
    /// stopped.
    fn sync(&self) {
        let mut inner = self.lock();
        inner.syncs += 1;
        let (number, count) = (inner.syncs, inner.processes.len());
        for process in inner.processes.iter_mut().filter(|p| p.alive) {
            let _ = process
                .test
                .write_all(format!("sync {number}\n").as_bytes());
        }
        let behind = |inner: &mut Inner| {
            let mut known = inner.processes[..count].iter();
            known.any(|p| p.alive && p.synced < number)
        };
        let limit = Duration::from_secs(5);
        self.inner.1.wait_while_for(&mut inner, behind, limit);
    }

    fn serve(&self, stream: &TcpStream) {
        let mut lines = BufReader::new(stream).split(b'\n').map_while(Result::ok);
        let hello = lines.next().unwrap_or_default();
        let hello = String::from_utf8_lossy(&hello).into_owned();
        let Some(pid) = hello.split(' ').nth(1).and_then(|pid| pid.parse().ok()) else {
            return;
        };
        let index = {
            let mut inner = self.lock();
            let mut test = stream.try_clone().expect("a socket can be shared");
            for gate in &inner.open {
                let _ = test.write_all(format!("{gate}\n").as_bytes());
            }
            // The child sends nothing before it is registered here.
            let mut known = test.try_clone().expect("a socket can be shared");
            inner.processes.push(Process {
                pid,
                alive: true,
                synced: 0,
                test,
            });
            let _ = known.write_all(format!("{KNOWN}\n").as_bytes());
            inner.processes.len() - 1
        };
        self.inner.1.notify_all();
        for line in lines {
            let line = String::from_utf8_lossy(&line);
            let (kind, text) = line.split_once(' ').unwrap_or((&line, ""));
            if kind == "synced" {
                self.lock().processes[index].synced = text.parse().unwrap_or(0);
                self.inner.1.notify_all();
                continue;
            }
            let message = (kind == "in").then(|| Message::parse(text)).flatten();
            self.lock().seen.push(Seen {
                pid,
                text: text.to_owned(),
                message,
            });
            self.inner.1.notify_all();
        }
        self.lock().processes[index].alive = false;
        self.inner.1.notify_all();
    }

    #[track_caller]
    fn wait<T>(&self, limit: Duration, what: &str, is: impl Fn(&Inner) -> Option<T>) -> T {
        let end = Instant::now() + limit;
        let mut inner = self.lock();
        loop {
            if let Some(found) = is(&inner) {
                return found;
            }
            let Some(left) = end.checked_duration_since(Instant::now()) else {
                let text = |seen: &Seen| seen.text.chars().take(200).collect::<String>();
                let last: Vec<_> = inner.seen.iter().rev().take(20).map(text).collect();
                let alive = inner.processes.iter().filter(|p| p.alive).count();
                drop(inner);
                panic!("never saw {what}; {alive} alive; the last that children heard: {last:#?}");
            };
            self.inner.1.wait_for(&mut inner, left);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.0.lock()
    }
}

impl Seen {
    /// The method of the message, if it has one.
    pub fn method(&self) -> Option<&str> {
        self.message.as_ref()?.method.as_deref()
    }

    /// The tool that it calls, if it is a `tools/call`.
    pub fn tool(&self) -> Option<String> {
        self.message.as_ref()?.tool()
    }

    /// The id of the message as written, if it has one.
    pub fn id(&self) -> Option<&str> {
        self.message.as_ref()?.id.as_deref()
    }
}

#[cfg(unix)]
fn kill(pid: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // The process may have exited already.
        let _ = kill_process(pid, Signal::KILL);
    }
}

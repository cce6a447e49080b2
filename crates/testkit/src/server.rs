//! A fake MCP server, with accessors for tests.

use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::LIMIT;
use crate::builder::{Builder, Config, Kind};
use crate::port::Port;
use crate::request::Request;
use crate::serve;
use crate::state::{Shared, State};
use crate::tools;

/// A running fake server; it stops when dropped. Its tools are listed in `tools.rs`.
pub struct Server {
    shared: Arc<Shared>,
    port: u16,
}

impl Server {
    /// Streamable HTTP with a handshake and sessions (2025-03-26 … 2025-11-25), answers as SSE.
    pub fn legacy() -> Builder {
        Builder::new(Kind::Legacy)
    }

    /// HTTP+SSE (2024-11-05).
    pub fn sse() -> Builder {
        Builder::new(Kind::Sse)
    }

    /// The stateless revision 2026-07-28.
    pub fn modern() -> Builder {
        Builder::new(Kind::Modern)
    }

    pub(crate) fn start(config: Config, port: Port) -> Self {
        let shared = Arc::new(Shared::new(config));
        let number = port.number();
        let listener = port.listen();
        let accepting = Arc::clone(&shared);
        thread::spawn(move || serve::accept(&listener, &accepting));
        Self {
            shared,
            port: number,
        }
    }

    /// Where clients connect.
    pub fn url(&self) -> String {
        let path = if self.shared.config.kind == Kind::Sse {
            "sse"
        } else {
            "mcp"
        };
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The string inside the text that the tool `blob` answers with, as JSON spells it.
    pub fn blob(size: usize) -> String {
        tools::blob(size)
    }

    /// Every request so far, in the order of arrival.
    pub fn requests(&self) -> Vec<Arc<Request>> {
        self.shared.with(|state| state.log.clone())
    }

    /// Requests of that HTTP method.
    pub fn with_method(&self, method: &str) -> Vec<Arc<Request>> {
        self.filter(|request| request.method == method)
    }

    /// Requests that carry that JSON-RPC method.
    pub fn posts(&self, rpc: &str) -> Vec<Arc<Request>> {
        self.filter(|request| request.rpc() == Some(rpc))
    }

    /// Requests that call that tool.
    pub fn calls(&self, tool: &str) -> Vec<Arc<Request>> {
        self.filter(|request| request.tool().as_deref() == Some(tool))
    }

    /// Waits for the first request that satisfies `is`.
    ///
    /// # Panics
    /// When there is none within [`LIMIT`]; `what` describes it.
    pub fn wait_for(&self, what: &str, mut is: impl FnMut(&Request) -> bool) -> Arc<Request> {
        let found = self
            .shared
            .wait(LIMIT, |state| state.log.iter().find(|r| is(r)).cloned());
        found.unwrap_or_else(|| self.never(what))
    }

    /// Waits for a POST of that JSON-RPC method.
    pub fn wait_for_post(&self, rpc: &str) -> Arc<Request> {
        self.wait_for(rpc, |request| request.rpc() == Some(rpc))
    }

    /// Waits until that tool has been called `count` times.
    pub fn wait_for_calls(&self, tool: &str, count: usize) -> Vec<Arc<Request>> {
        self.wait_for_count(tool, count, |r| r.tool().as_deref() == Some(tool))
    }

    /// Waits until `count` requests satisfy `is`; returns them.
    pub fn wait_for_count(
        &self,
        what: &str,
        count: usize,
        is: impl Fn(&Request) -> bool,
    ) -> Vec<Arc<Request>> {
        let found = self.shared.wait(LIMIT, |state| {
            (state.log.iter().filter(|r| is(r)).count() >= count).then_some(())
        });
        found.unwrap_or_else(|| self.never(what));
        self.filter(is)
    }

    /// Waits until a client listens on a standalone stream (GET).
    pub fn wait_for_listener(&self) {
        let listening = |state: &State| {
            state
                .sessions
                .values()
                .any(|key| state.streams.get(key).is_some_and(|s| s.attached))
        };
        let found = self
            .shared
            .wait(LIMIT, |state| listening(state).then_some(()));
        found.unwrap_or_else(|| self.never("a client on the GET stream"));
    }

    /// Waits until no event has been written for `quiet`; returns the number written so far.
    pub fn wait_until_stalled(&self, quiet: Duration) -> usize {
        let (mut seen, mut since) = (usize::MAX, Instant::now());
        loop {
            let sent = self.sent();
            if sent != seen {
                (seen, since) = (sent, Instant::now());
            } else if since.elapsed() >= quiet {
                return sent;
            }
            self.shared
                .wait(quiet / 4, |state| (state.sent != sent).then_some(()));
        }
    }

    /// The number of SSE events written to sockets.
    pub fn sent(&self) -> usize {
        self.shared.with(|state| state.sent)
    }

    /// What clients did that the revision forbids.
    pub fn violations(&self) -> Vec<String> {
        self.shared.with(|state| state.violations.clone())
    }

    /// Releases all calls that wait at that gate.
    pub fn open(&self, gate: &str) {
        self.shared
            .with(|state| state.gates.insert(gate.to_owned()));
    }

    /// Sends a message on the standalone stream of every session.
    pub fn push(&self, text: &str) {
        self.shared.with(|state| state.push_to_all(text));
    }

    /// Forgets every session: requests that name one get 404. Open streams stay open.
    pub fn forget_sessions(&self) {
        self.shared.with(|state| state.sessions.clear());
    }

    /// Ends every open stream without an answer.
    pub fn drop_streams(&self) {
        self.shared.with(|state| {
            state
                .streams
                .values_mut()
                .for_each(|stream| stream.dead = true)
        });
    }

    /// Stops at once: no request is answered, every connection is closed, the port refuses.
    pub fn kill(&self) {
        let sockets = self.shared.with(|state| {
            state.stopped = true;
            std::mem::take(&mut state.sockets)
        });
        for socket in sockets.iter().filter_map(std::sync::Weak::upgrade) {
            // A socket that its peer closed already cannot be shut down again.
            let _ = socket.shutdown(Shutdown::Both);
        }
        // Wakes the accepting thread, which then drops the listener.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        let gone = || TcpStream::connect(("127.0.0.1", self.port)).is_err();
        let end = Instant::now() + LIMIT;
        while !gone() && Instant::now() < end {
            thread::yield_now();
        }
    }

    fn filter(&self, is: impl Fn(&Request) -> bool) -> Vec<Arc<Request>> {
        self.requests()
            .into_iter()
            .filter(|request| is(request))
            .collect()
    }

    fn never(&self, what: &str) -> ! {
        let seen: Vec<_> = self
            .requests()
            .iter()
            .map(|request| request.summary())
            .collect();
        panic!("the server never saw {what}; it saw:\n{}", seen.join("\n"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !self.shared.with(|state| state.stopped) {
            self.kill();
        }
    }
}

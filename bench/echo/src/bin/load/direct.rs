//! The baseline: the same calls over HTTP straight to the server. One connection per
//! call in flight, each with its own thread, as HTTP/1.1 demands.

use crate::Outcome;
use crate::measure::{Flooded, Link, PATIENCE};
use crate::message::{Ask, INITIALIZED, Line, REVISION, classify, excerpt};
use crate::plan::Bound;
use linkspan_bench::http::{Head, Incoming};
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub struct Direct {
    address: SocketAddr,
    session: String,
    first: Connection,
    next_id: u64,
}

struct Connection {
    stream: TcpStream,
    incoming: Incoming<TcpStream>,
    message: Vec<u8>,
    out: Vec<u8>,
    body: Vec<u8>,
}

impl Direct {
    pub fn open(address: SocketAddr) -> Outcome<Self> {
        let first = Connection::open(address)?;
        Ok(Self {
            address,
            session: String::new(),
            first,
            next_id: 1,
        })
    }
}

impl Connection {
    fn open(address: SocketAddr) -> Outcome<Self> {
        let open = || {
            let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            let incoming = Incoming::new(stream.try_clone()?);
            Ok::<_, std::io::Error>((stream, incoming))
        };
        let (stream, incoming) = open().map_err(|e| e.to_string())?;
        Ok(Self {
            stream,
            incoming,
            message: vec![],
            out: vec![],
            body: vec![],
        })
    }

    /// Sends `self.message`; the answer is in `self.body`.
    fn exchange(&mut self, session: &str) -> Outcome<Head> {
        self.out.clear();
        let length = self.message.len();
        let mut exchange = || {
            write!(
                self.out,
                "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
                 Accept: application/json, text/event-stream\r\n{session}Content-Length: {length}\r\n\r\n"
            )?;
            self.out.extend_from_slice(&self.message);
            self.stream.write_all(&self.out)?;
            let head = self
                .incoming
                .head()?
                .ok_or(std::io::ErrorKind::UnexpectedEof)?;
            self.incoming.body(&head, &mut self.body)?;
            Ok::<_, std::io::Error>(head)
        };
        exchange().map_err(|e| e.to_string())
    }

    fn call(&mut self, ask: Ask, id: u64, session: &str) -> Outcome<(Duration, Head)> {
        self.message.clear();
        ask.write(id, &mut self.message);
        if let Ask::Blob(size) = ask {
            self.body.reserve(size + size / 32);
        }
        let start = Instant::now();
        let head = self.exchange(session)?;
        let answer = match head.event_stream {
            true => self
                .body
                .strip_prefix(b"data: ")
                .unwrap_or_default()
                .trim_ascii_end(),
            false => &self.body,
        };
        let whose = classify(answer);
        let took = start.elapsed();
        if whose != Line::Answer(id) {
            return Err(format!("{}: {}", head.first_line, excerpt(answer)));
        }
        ask.check(id, answer)?;
        Ok((took, head))
    }
}

impl Link for Direct {
    fn initialize(&mut self) -> Outcome<()> {
        let (_, head) = self.first.call(Ask::Initialize, self.next_id, "")?;
        self.next_id += 1;
        let session = head.session.ok_or("the server named no session")?;
        self.session = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: {REVISION}\r\n");
        self.first.message.clear();
        self.first.message.extend_from_slice(INITIALIZED.as_bytes());
        self.first.exchange(&self.session).map(|_| ())
    }

    fn call(&mut self, ask: Ask) -> Outcome<Duration> {
        let id = self.next_id;
        self.next_id += 1;
        self.first
            .call(ask, id, &self.session)
            .map(|(took, _)| took)
    }

    fn flood(&mut self, in_flight: usize, bound: Bound) -> Outcome<Flooded> {
        let next = AtomicU64::new(0);
        let first = self.next_id;
        let count = bound.count as u64;
        self.next_id += count;
        let session = self.session.as_str();
        let mut connections = (0..in_flight)
            .map(|_| Connection::open(self.address))
            .collect::<Outcome<Vec<_>>>()?;
        let ready = Barrier::new(in_flight + 1);
        let work = |connection: &mut Connection| -> Outcome<Vec<f64>> {
            let mut times = Vec::with_capacity(bound.count / in_flight * 2);
            ready.wait();
            let start = Instant::now();
            while start.elapsed() < bound.time {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= count {
                    break;
                }
                let (took, _) = connection.call(Ask::Echo, first + n, session)?;
                times.push(took.as_secs_f64() * 1000.0);
            }
            Ok(times)
        };
        let work = &work;
        std::thread::scope(|scope| {
            let threads: Vec<_> = connections
                .iter_mut()
                .map(|c| scope.spawn(move || work(c)))
                .collect();
            ready.wait();
            let start = Instant::now();
            let mut times = Vec::with_capacity(bound.count);
            for thread in threads {
                times.extend(thread.join().map_err(|_| "a thread panicked")??);
            }
            Ok(Flooded {
                took: start.elapsed(),
                times,
            })
        })
    }

    fn bridge_pid(&self) -> Option<u32> {
        None
    }
}

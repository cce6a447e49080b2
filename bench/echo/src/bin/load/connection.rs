//! One HTTP connection of a client: a POST, its answer, the next POST.

use crate::Outcome;
use crate::ask::{Ask, Era, INITIALIZED, LEGACY, MODERN};
use crate::line::{Line, classify, excerpt};
use crate::measure::PATIENCE;
use linkspan_bench::http::{Head, Incoming};
use linkspan_bench::sse;
use std::borrow::Cow;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Servers close a connection that rests for some seconds; no call may run into that.
const STALE: Duration = Duration::from_secs(1);

/// The headers that identify a client.
#[derive(Clone)]
pub struct Badge {
    pub era: Era,
    /// Header lines of a client that has shaken hands.
    greeted: String,
    pub session: Option<String>,
}

impl Badge {
    pub fn new(era: Era) -> Self {
        Self {
            era,
            greeted: String::new(),
            session: None,
        }
    }

    /// Records the end of the handshake; a server without sessions sends no id.
    pub fn greeted(&mut self, session: Option<String>) {
        let named = session
            .iter()
            .map(|s| format!("Mcp-Session-Id: {s}\r\n"))
            .collect::<String>();
        self.greeted = format!("{named}MCP-Protocol-Version: {LEGACY}\r\n");
        self.session = session;
    }

    fn headers(&self, ask: Ask) -> Cow<'_, str> {
        if self.era == Era::Legacy {
            return Cow::Borrowed(&self.greeted);
        }
        let (method, tool) = (ask.method(), ask.tool());
        let named = tool.map_or(String::new(), |t| format!("Mcp-Name: {t}\r\n"));
        Cow::Owned(format!(
            "MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\n{named}"
        ))
    }
}

pub struct Connection {
    address: SocketAddr,
    socket: Option<(TcpStream, Incoming<TcpStream>)>,
    used: Instant,
    message: Vec<u8>,
    out: Vec<u8>,
    body: Vec<u8>,
}

impl Connection {
    pub fn open(address: SocketAddr) -> Outcome<Self> {
        Ok(Self {
            address,
            socket: Some(connect(address).map_err(|e| e.to_string())?),
            used: Instant::now(),
            message: vec![],
            out: vec![],
            body: vec![],
        })
    }

    /// Sends a request and waits for the answer. The head may contain a new session.
    pub fn call(&mut self, ask: Ask, id: u64, badge: &Badge) -> Outcome<(Duration, Head)> {
        self.message.clear();
        ask.write(id, badge.era, &mut self.message);
        if let Ask::Blob(size) = ask {
            self.body.reserve(size + size / 32);
        }
        let start = Instant::now();
        let (head, answered) = self
            .exchange(&badge.headers(ask), Some(id))
            .map_err(|e| lost(&e))?;
        match answer(&head, &self.body, id) {
            Some(answer) => ask.check(id, badge.era, answer)?,
            None => return Err(refusal(&head, &self.body)),
        }
        Ok((answered - start, head))
    }

    /// Ends the handshake.
    pub fn initialized(&mut self, badge: &Badge) -> Outcome<()> {
        self.message.clear();
        self.message.extend_from_slice(INITIALIZED.as_bytes());
        match self.exchange(&badge.greeted, None) {
            Ok((head, _)) if head.first_line.contains(" 20") => Ok(()),
            Ok((head, _)) => Err(refusal(&head, &self.body)),
            Err(why) => Err(lost(&why)),
        }
    }

    /// Sends `self.message`; the answer is in `self.body`. The time is that of the answer to `id`: a client does not
    /// wait for the end of the response, only the next request on this connection does.
    fn exchange(&mut self, headers: &str, id: Option<u64>) -> io::Result<(Head, Instant)> {
        let fresh = self.socket.take().filter(|_| self.used.elapsed() < STALE);
        let (mut stream, mut incoming) = match fresh {
            Some(socket) => socket,
            None => connect(self.address)?,
        };
        self.out.clear();
        write!(
            self.out,
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n",
            self.address,
            self.message.len()
        )?;
        self.out.extend_from_slice(&self.message);
        stream.write_all(&self.out)?;
        let head = incoming.head()?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut answered = None;
        incoming.body_watched(&head, &mut self.body, |so_far| {
            let whole = so_far.ends_with(b"\n\n") || so_far.ends_with(b"\n\r\n");
            if whole && answered.is_none() {
                let mine = id.and_then(|id| answer(&head, so_far, id));
                answered = mine.map(|_| Instant::now());
            }
        })?;
        self.used = Instant::now();
        if head.keep_alive {
            self.socket = Some((stream, incoming));
        }
        Ok((head, answered.unwrap_or(self.used)))
    }
}

/// The answer to `id` in a body.
fn answer<'a>(head: &Head, body: &'a [u8], id: u64) -> Option<&'a [u8]> {
    let mine = |text: &&[u8]| classify(text) == Line::Answer(id);
    if head.event_stream {
        sse::data(body).find(mine)
    } else {
        Some(body).filter(mine)
    }
}

fn lost(why: &io::Error) -> String {
    match why.kind() {
        io::ErrorKind::WouldBlock => format!("no answer within {} s", PATIENCE.as_secs()),
        _ => why.to_string(),
    }
}

/// The text of an error response; of an HTML page only the status.
fn refusal(head: &Head, body: &[u8]) -> String {
    if body.starts_with(b"<") || body.is_empty() {
        head.first_line.clone()
    } else {
        format!("{}: {}", head.first_line, excerpt(body))
    }
}

fn connect(address: SocketAddr) -> io::Result<(TcpStream, Incoming<TcpStream>)> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let incoming = Incoming::new(stream.try_clone()?);
    Ok((stream, incoming))
}

//! One HTTP connection: requests in, answers out, until the client closes.

use crate::answer::{Answer, Eras, answer};
use crate::protected::{self, Access};
use linkspan_bench::http::{Head, Incoming};
use std::io::{self, Write};
use std::net::TcpStream;

const SESSION: &str = "Mcp-Session-Id: bench-session\r\n";

/// Serves `stream` to its end.
pub fn connection(stream: &TcpStream, sse: bool) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut incoming = Incoming::new(stream);
    let mut body = Vec::new();
    let mut out = Vec::with_capacity(1024);
    while let Some(head) = incoming.head()? {
        if head.expects_continue() {
            (&mut &*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        incoming.body(&head, &mut body)?;
        out.clear();
        respond(stream, &head, &body, &mut out, sse)?;
        if !head.keep_alive {
            return Ok(());
        }
    }
    Ok(())
}

fn respond(
    mut stream: &TcpStream,
    head: &Head,
    body: &[u8],
    out: &mut Vec<u8>,
    sse: bool,
) -> io::Result<()> {
    let mut words = head.first_line.split(' ');
    let method = words.next().unwrap_or_default();
    let path = words.next().unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    if path != "/mcp" {
        match protected::access(stream, head, path)? {
            Access::Granted => {}
            Access::Answered => return Ok(()),
            Access::Elsewhere => {
                return stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
            }
        }
    }
    let answer = match method {
        "POST" => answer(body, Eras::Legacy),
        "DELETE" => return stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        _ => {
            return stream.write_all(
                b"HTTP/1.1 405 Method Not Allowed\r\nAllow: POST, DELETE\r\nContent-Length: 0\r\n\r\n",
            );
        }
    };
    let (before, text, after, opens_session) = match answer {
        Answer::Accepted => {
            return stream.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
        }
        Answer::NotRpc => {
            return stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        }
        Answer::Message {
            before,
            text,
            after,
            opens_session,
        } => (before, text, after, opens_session),
    };
    let session = if opens_session { SESSION } else { "" };
    let length = before.len() + text.len() + after.len();
    // A stream's length is not known to a real server beforehand, so SSE comes chunked.
    let end: &[u8] = if sse {
        let chunk = length + b"data: \n\n".len();
        write!(
            out,
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n{session}Transfer-Encoding: chunked\r\n\r\n{chunk:x}\r\ndata: "
        )?;
        b"\n\n\r\n0\r\n\r\n"
    } else {
        write!(
            out,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{session}Content-Length: {length}\r\n\r\n"
        )?;
        b""
    };
    out.extend_from_slice(&before);
    if !text.is_empty() {
        // The large part is written without copying it.
        stream.write_all(out)?;
        stream.write_all(text)?;
        out.clear();
    }
    out.extend_from_slice(after);
    out.extend_from_slice(end);
    stream.write_all(out)
}

//! The little of HTTP that example 16 needs: one request per connection.

use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{ChildStderr, ChildStdout};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

/// The endpoint of a server.
pub struct Address {
    authority: String,
    path: String,
}

impl Address {
    /// The first URL printed to stdout or stderr.
    pub fn found(stdout: &mut BufReader<ChildStdout>, stderr: ChildStderr) -> Self {
        let (errors, lines) = sync_channel(100);
        std::thread::spawn(move || {
            let mut stderr = BufReader::new(stderr);
            let mut line = String::new();
            while stderr.read_line(&mut line).is_ok_and(|n| n > 0) {
                let _ = errors.send(std::mem::take(&mut line));
            }
        });
        let mut first = String::new();
        stdout.read_line(&mut first).expect("a line");
        let mut seen = vec![first];
        loop {
            let last = seen.last().expect("a line");
            if let Some(at) = last.find("http://") {
                let url = last[at + 7..].split_whitespace().next().expect("a URL");
                let (authority, path) = url.split_once('/').unwrap_or((url, ""));
                return Self {
                    authority: authority.to_owned(),
                    path: format!("/{path}"),
                };
            }
            match lines.recv_timeout(Duration::from_secs(10)) {
                Ok(line) => seen.push(line),
                Err(_) => panic!("no URL in {seen:?}"),
            }
        }
    }

    /// Sends a request; returns the answer as `{status, headers, body}`. For a stream, the body is its first
    /// message.
    pub fn request(&self, what: &Value) -> Value {
        let body = what.get("body").map(Value::to_string).unwrap_or_default();
        let mut head = format!(
            "{} {} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\naccept: application/json, text/event-stream\r\n",
            what["method"].as_str().expect("a method"),
            self.path,
            self.authority,
        );
        for (name, value) in what
            .get("headers")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            head += &format!("{name}: {}\r\n", value.as_str().expect("a text"));
        }
        if !body.is_empty() {
            head += &format!(
                "content-type: application/json\r\ncontent-length: {}\r\n",
                body.len()
            );
        }
        let mut stream = TcpStream::connect(&self.authority).expect("connected");
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .expect("a timeout");
        stream
            .write_all(format!("{head}\r\n{body}").as_bytes())
            .expect("sent");
        answer(BufReader::new(stream))
    }
}

fn answer(mut stream: BufReader<TcpStream>) -> Value {
    let mut line = String::new();
    stream.read_line(&mut line).expect("a status");
    let status: u16 = line
        .split(' ')
        .nth(1)
        .and_then(|s| s.parse().ok())
        .expect("a status");
    let mut headers = Map::new();
    loop {
        line.clear();
        stream.read_line(&mut line).expect("a header");
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_lowercase(), json!(value.trim()));
    }
    let chunked = headers
        .get("transfer-encoding")
        .is_some_and(|v| v == "chunked");
    let mut text = String::new();
    if chunked {
        while let Some(part) = chunk(&mut stream) {
            text += &part;
        }
    } else {
        let _ = stream.read_to_string(&mut text);
    }
    let event = text
        .lines()
        .filter_map(|l| l.strip_prefix("data:"))
        .find(|d| d.contains("jsonrpc"));
    let body = serde_json::from_str(event.unwrap_or(&text)).unwrap_or(Value::String(text.clone()));
    json!({"status": status, "headers": headers, "body": body})
}

fn chunk(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut size = String::new();
    stream.read_line(&mut size).ok()?;
    let size = usize::from_str_radix(size.trim(), 16)
        .ok()
        .filter(|n| *n > 0)?;
    let mut bytes = vec![0; size + 2];
    stream.read_exact(&mut bytes).ok()?;
    bytes.truncate(size);
    String::from_utf8(bytes).ok()
}

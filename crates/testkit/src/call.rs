//! One HTTP exchange and the JSON-RPC messages in it, as JSON or as events.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use crate::LIMIT;
use crate::event::Event;
use crate::http_client::{Ask, Http, Reply};
use crate::message::Message;

/// A request that was sent, and what was received so far.
pub struct Call {
    http: Http,
    reply: Option<Reply>,
    text: Vec<u8>,
    looked: usize,
    waiting: VecDeque<Message>,
    read: bool,
    limit: Duration,
    /// The events so far, comments included.
    pub events: Vec<Event>,
}

impl Call {
    /// Sends a request on a connection of its own.
    pub fn send(address: SocketAddr, ask: &Ask) -> Self {
        let mut http = Http::connect(address);
        http.send(ask);
        Self::on(http)
    }

    /// Reads the response on a connection on which a request was sent.
    pub fn on(http: Http) -> Self {
        Self {
            http,
            reply: None,
            text: Vec::new(),
            looked: 0,
            waiting: VecDeque::new(),
            read: false,
            limit: LIMIT,
            events: Vec::new(),
        }
    }

    /// Allows each wait that long from now on.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
        self.http.set_limit(limit);
    }

    /// Waits for the head of the answer.
    pub fn reply(&mut self) -> &Reply {
        let http = &mut self.http;
        self.reply.get_or_insert_with(|| http.reply())
    }

    /// Waits for the status.
    pub fn status(&mut self) -> u16 {
        self.reply().status
    }

    /// Waits for a header of the answer.
    pub fn header(&mut self, name: &str) -> Option<String> {
        self.reply().header(name).map(str::to_owned)
    }

    /// Waits for the rest of the body as text.
    pub fn body(&mut self) -> String {
        self.reply();
        self.http.text()
    }

    /// Waits for the next event or comment; `None`: the stream has ended.
    pub fn event(&mut self) -> Option<Event> {
        self.reply();
        loop {
            if let Some(event) = Event::take(&mut self.text, &mut self.looked) {
                self.events.push(event.clone());
                return Some(event);
            }
            self.text.extend(self.http.try_piece()?);
        }
    }

    /// Waits for the next message; `None`: there are no more.
    pub fn message(&mut self) -> Option<Message> {
        if let Some(message) = self.waiting.pop_front() {
            return Some(message);
        }
        if self.reply().is_stream() {
            return self.message_in_stream();
        }
        if std::mem::replace(&mut self.read, true) {
            return None;
        }
        let body = self.http.text();
        let batch = serde_json::from_str::<Vec<&RawValue>>(&body);
        match batch {
            Ok(batch) => self
                .waiting
                .extend(batch.into_iter().map(|m| parse(m.get()))),
            Err(_) if body.is_empty() => {}
            Err(_) => self.waiting.push_back(parse(&body)),
        }
        self.waiting.pop_front()
    }

    /// Waits for the first message that `is` accepts; others stay for later.
    #[track_caller]
    pub fn find(&mut self, what: &str, is: impl Fn(&Message) -> bool) -> Message {
        let mut others = VecDeque::new();
        let found = loop {
            match self.message() {
                Some(message) if is(&message) => break message,
                Some(message) => others.push_back(message),
                None => panic!(
                    "never got {what}: the answer ended\n{:?}\nother messages: {others:#?}",
                    self.reply
                ),
            }
        };
        others.append(&mut self.waiting);
        self.waiting = others;
        found
    }

    /// Waits for a request or notification of that method.
    #[track_caller]
    pub fn heard(&mut self, method: &str) -> Message {
        self.find(method, |m| m.method.as_deref() == Some(method))
    }

    /// Waits for a result or an error.
    #[track_caller]
    pub fn answer(&mut self) -> Message {
        self.find("an answer", Message::is_response)
    }

    /// Waits for the end and returns the messages that were not read yet.
    pub fn rest(&mut self) -> Vec<Message> {
        std::iter::from_fn(|| self.message()).collect()
    }

    /// The id of the last event that had one.
    pub fn last_event_id(&self) -> Option<String> {
        self.events.iter().rev().find_map(|event| event.id.clone())
    }

    /// The connection, for further responses.
    pub fn into_connection(self) -> Http {
        self.http
    }

    fn message_in_stream(&mut self) -> Option<Message> {
        // Comments keep a connection alive for ever, so silence is measured here as well.
        let end = Instant::now() + self.limit;
        loop {
            assert!(
                Instant::now() < end,
                "only comments came: {:?}",
                self.events
            );
            let event = self.event()?;
            match event.data.as_deref() {
                None | Some("") => {}
                Some(data) => return Some(parse(data)),
            }
        }
    }
}

fn parse(text: &str) -> Message {
    Message::parse(text).unwrap_or_else(|| panic!("not JSON-RPC in an answer: {text:?}"))
}

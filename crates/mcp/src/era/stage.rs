//! A stage for tests: a machine between a client and a server that the test plays itself.

use std::time::{Duration, Instant};

use linkspan_wire::{Id, Json, Message};

use super::{Machine, Provenance, Step, Turn};

pub(crate) struct Stage<M> {
    pub(crate) machine: M,
    pub(crate) now: Instant,
    front: Vec<(String, Option<String>)>,
    back: Vec<String>,
}

impl<M: Machine> Stage<M> {
    pub(crate) fn new(machine: M) -> Self {
        Self {
            machine,
            now: Instant::now(),
            front: Vec::new(),
            back: Vec::new(),
        }
    }

    /// A message of the client.
    pub(crate) fn client(&mut self, text: &str) -> &mut Self {
        let msg = Message::parse(text.to_owned().into()).unwrap();
        match self.machine.front(msg, self.now) {
            Turn::Pass(msg) => self.back.push(msg.text()),
            Turn::Steps(steps) => self.take(steps),
        }
        self
    }

    /// A message of the server.
    pub(crate) fn server(&mut self, text: &str) -> &mut Self {
        self.says(text, false)
    }

    /// A message of the server on the stream of a request that has ended.
    pub(crate) fn late(&mut self, text: &str) -> &mut Self {
        self.says(text, true)
    }

    fn says(&mut self, text: &str, late: bool) -> &mut Self {
        let msg = Message::parse(text.to_owned().into()).unwrap();
        // The exchange gives questions another id, too.
        let origin = msg.id().filter(|_| !msg.is_answer());
        let provenance = Provenance {
            about: None,
            late,
            origin,
        };
        match self.machine.back(msg, provenance, self.now) {
            Turn::Pass(msg) => self.front.push((msg.text(), None)),
            Turn::Steps(steps) => self.take(steps),
        }
        self
    }

    /// Time passes.
    pub(crate) fn after(&mut self, time: Duration) -> &mut Self {
        self.now += time;
        if self.machine.next_wake().is_some_and(|at| at <= self.now) {
            let steps = self.machine.on_time(self.now);
            self.take(steps);
        }
        self
    }

    /// The messages to the client since the last call.
    pub(crate) fn heard(&mut self) -> Vec<String> {
        std::mem::take(&mut self.front)
            .into_iter()
            .map(|(text, _)| text)
            .collect()
    }

    /// The only message to the client.
    pub(crate) fn heard_one(&mut self) -> String {
        let mut heard = self.heard();
        assert_eq!(heard.len(), 1, "{heard:#?}");
        heard.remove(0)
    }

    /// The requests that the messages to the client belong to.
    pub(crate) fn abouts(&mut self) -> Vec<Option<String>> {
        std::mem::take(&mut self.front)
            .into_iter()
            .map(|(_, about)| about)
            .collect()
    }

    /// The messages to the server since the last call.
    pub(crate) fn told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.back)
    }

    /// The only message to the server.
    pub(crate) fn told_one(&mut self) -> String {
        let mut told = self.told();
        assert_eq!(told.len(), 1, "{told:#?}");
        told.remove(0)
    }

    fn take(&mut self, steps: Vec<Step>) {
        for step in steps {
            match step {
                Step::Back(msg) => self.back.push(msg.text()),
                Step::Front { msg, about } => {
                    let about = about.map(|id| id.text().to_owned());
                    self.front.push((msg.text(), about));
                }
            }
        }
    }
}

/// The value at a path of a message, as spelled.
pub(crate) fn at(text: &str, path: &[&str]) -> String {
    let json = Json::parse(text).unwrap();
    json.path(path)
        .map_or_else(String::new, |value| value.text().to_owned())
}

/// A result for a request to the server.
pub(crate) fn result(request: &str, result: &str) -> String {
    let id = at(request, &["id"]);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// An error for a request to the server.
pub(crate) fn error(request: &str, code: i64, data: &str) -> String {
    let id = at(request, &["id"]);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"no","data":{data}}}}}"#
    )
}

/// A modern request; `params` without its braces.
pub(crate) fn modern(id: &str, method: &str, params: &str, capabilities: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{comma}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{capabilities},"progressToken":{id}}}}}}}"#
    )
}

/// A legacy request.
pub(crate) fn legacy(id: &str, method: &str, params: &str) -> String {
    let id = Id::parse(Json::parse(id).unwrap()).unwrap();
    Message::request(&id, method, Some(params)).text()
}

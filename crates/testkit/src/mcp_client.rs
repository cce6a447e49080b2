//! MCP clients over HTTP, of either era, that a test can make violate the protocol.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::call::Call;
use crate::http_client::Ask;
use crate::message::Message;

/// The prefix of the `_meta` names of the stateless revision.
pub const META: &str = "io.modelcontextprotocol/";

/// An endpoint, and the headers that this client always sends.
#[derive(Clone, Debug)]
pub struct Client {
    /// Where it listens.
    pub address: SocketAddr,
    /// The path of the endpoint.
    pub path: String,
    /// Headers of every request beside the usual ones.
    pub headers: Vec<(String, String)>,
}

/// A client with a handshake and a session.
#[derive(Clone, Debug)]
pub struct Session {
    /// Where it is.
    pub client: Client,
    /// The id that the server gave it.
    pub id: String,
    /// The revision agreed upon.
    pub version: String,
    /// The answer to `initialize`.
    pub welcome: Message,
}

/// A client of the stateless revision.
#[derive(Clone, Debug)]
pub struct Modern {
    /// Where it is.
    pub client: Client,
    /// The capabilities in each request.
    pub capabilities: Value,
    /// Further members for the envelope of each request.
    pub meta: Value,
}

impl Client {
    /// Adds a header to every request.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A request with the headers that a well-behaved client sends.
    pub fn ask(&self, method: &str) -> Ask {
        let accept = match method {
            "POST" => "application/json, text/event-stream",
            "GET" => "text/event-stream",
            _ => "*/*",
        };
        let ask = Ask::new(method, &self.path)
            .header("Host", &self.address.to_string())
            .header("Accept", accept);
        let add = |ask: Ask, (name, value): &(String, String)| ask.header(name, value);
        self.headers.iter().fold(ask, add)
    }

    /// A POST of that body.
    pub fn posting(&self, body: &str) -> Ask {
        self.ask("POST")
            .header("Content-Type", "application/json")
            .body(body)
    }

    /// Sends a request on a connection of its own.
    pub fn send(&self, ask: &Ask) -> Call {
        Call::send(self.address, ask)
    }

    /// POSTs a body.
    pub fn post(&self, body: &str) -> Call {
        self.send(&self.posting(body))
    }

    /// Sends `initialize` without waiting for the answer.
    pub fn initialize(&self, version: &str, capabilities: &Value) -> Call {
        self.post(&initialize(version, capabilities))
    }

    /// Opens a session as a client with all capabilities.
    #[track_caller]
    pub fn session(&self, version: &str) -> Session {
        self.session_with(version, &everything())
    }

    /// Shakes hands as a client with these capabilities.
    #[track_caller]
    pub fn session_with(&self, version: &str, capabilities: &Value) -> Session {
        let mut call = self.initialize(version, capabilities);
        let welcome = call.answer();
        let id = call.header("mcp-session-id");
        let version = welcome.string_at(&["result", "protocolVersion"]);
        let session = Session {
            client: self.clone(),
            id: id.unwrap_or_else(|| panic!("no session id: {}", welcome.text)),
            version: version.unwrap_or_else(|| panic!("no version: {}", welcome.text)),
            welcome,
        };
        session.notify("notifications/initialized", &json!({}));
        session
    }

    /// A client of the stateless revision with all capabilities.
    pub fn modern(&self) -> Modern {
        Modern {
            client: self.clone(),
            capabilities: everything(),
            meta: json!({}),
        }
    }
}

impl Session {
    /// A request with the headers of this session.
    pub fn ask(&self, method: &str) -> Ask {
        self.client
            .ask(method)
            .header("Mcp-Session-Id", &self.id)
            .header("MCP-Protocol-Version", &self.version)
    }

    /// POSTs a body.
    pub fn post(&self, body: &str) -> Call {
        let ask = self.ask("POST").header("Content-Type", "application/json");
        self.client.send(&ask.body(body))
    }

    /// Sends a request whose id is given as JSON text (`7`, `"seven"`).
    pub fn request(&self, id: &str, method: &str, params: &Value) -> Call {
        self.post(&request(id, method, params))
    }

    /// Sends a `tools/call`.
    pub fn call(&self, id: &str, tool: &str, arguments: &Value) -> Call {
        let params = json!({"name": tool, "arguments": arguments});
        self.request(id, "tools/call", &params)
    }

    /// Sends a `tools/call` with a progress token.
    pub fn call_with_token(&self, id: &str, token: &Value, tool: &str, arguments: &Value) -> Call {
        let meta = json!({"progressToken": token});
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        self.request(id, "tools/call", &params)
    }

    /// Sends a `tools/call` and waits for its answer, which must bear its id.
    #[track_caller]
    pub fn tool(&self, id: &str, tool: &str, arguments: &Value) -> Message {
        let answer = self.call(id, tool, arguments).answer();
        assert_eq!(answer.id.as_deref(), Some(id), "{}", answer.text);
        answer
    }

    /// Sends a notification, which must be accepted.
    #[track_caller]
    pub fn notify(&self, method: &str, params: &Value) {
        self.deliver(&format!(
            r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#
        ));
    }

    /// Answers a question of the server with that result, which must be accepted.
    #[track_caller]
    pub fn respond(&self, question: &Message, result: &str) {
        let id = question.id.as_deref().expect("a question has an id");
        self.deliver(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        ));
    }

    /// POSTs a message that has no answer.
    #[track_caller]
    pub fn deliver(&self, body: &str) {
        let mut call = self.post(body);
        assert_eq!((call.status(), call.body().as_str()), (202, ""), "{body}");
    }

    /// Opens the listening stream.
    pub fn listen(&self) -> Call {
        self.client.send(&self.ask("GET"))
    }

    /// Resumes a stream after that event.
    pub fn resume(&self, last_event_id: &str) -> Call {
        self.client
            .send(&self.ask("GET").header("Last-Event-ID", last_event_id))
    }

    /// Ends the session; returns the status.
    pub fn end(&self) -> u16 {
        self.client.send(&self.ask("DELETE")).status()
    }
}

impl Modern {
    /// The same client with other capabilities.
    pub fn declaring(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// The same client with a further member in its envelopes.
    pub fn with_meta(mut self, name: &str, value: Value) -> Self {
        self.meta[name] = value;
        self
    }

    /// The body of a request, in its envelope.
    pub fn body(&self, id: &str, method: &str, params: &Value) -> String {
        let mut params = params.clone();
        let mut meta = self.meta.clone();
        meta[format!("{META}protocolVersion")] = json!("2026-07-28");
        meta[format!("{META}clientCapabilities")] = self.capabilities.clone();
        meta[format!("{META}clientInfo")] = json!({"name": "testkit-modern", "version": "1"});
        if let Some(own) = params["_meta"].as_object() {
            for (name, value) in own {
                meta[name] = value.clone();
            }
        }
        params["_meta"] = meta;
        request(id, method, &params)
    }

    /// A POST of a request with the headers that mirror it.
    pub fn posting(&self, id: &str, method: &str, params: &Value) -> Ask {
        let ask = self
            .client
            .posting(&self.body(id, method, params))
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", method);
        let name = match method {
            "tools/call" | "prompts/get" => params["name"].as_str(),
            "resources/read" => params["uri"].as_str(),
            _ => None,
        };
        match name {
            Some(name) => ask.header("Mcp-Name", name),
            None => ask,
        }
    }

    /// Sends a request.
    pub fn request(&self, id: &str, method: &str, params: &Value) -> Call {
        self.client.send(&self.posting(id, method, params))
    }

    /// Sends a `tools/call`.
    pub fn call(&self, id: &str, tool: &str, arguments: &Value) -> Call {
        let params = json!({"name": tool, "arguments": arguments});
        self.request(id, "tools/call", &params)
    }

    /// Sends a `tools/call` and waits for its answer, which must bear its id.
    #[track_caller]
    pub fn tool(&self, id: &str, tool: &str, arguments: &Value) -> Message {
        let answer = self.call(id, tool, arguments).answer();
        assert_eq!(answer.id.as_deref(), Some(id), "{}", answer.text);
        answer
    }

    /// Opens a subscription and waits for its acknowledgement.
    #[track_caller]
    pub fn listen(&self, id: &str, filter: &Value) -> (Call, Message) {
        let params = json!({"notifications": filter});
        let mut call = self.request(id, "subscriptions/listen", &params);
        let first = call.message().expect("a subscription is acknowledged");
        let method = first.method.as_deref();
        assert_eq!(
            method,
            Some("notifications/subscriptions/acknowledged"),
            "{}",
            first.text
        );
        (call, first)
    }
}

/// The capabilities of a client that supports everything.
pub fn everything() -> Value {
    json!({"sampling": {}, "elicitation": {}, "roots": {"listChanged": true}})
}

/// The body of an `initialize`.
pub fn initialize(version: &str, capabilities: &Value) -> String {
    let client =
        json!({"name": "testkit-client", "title": "A client", "version": "1", "vendorField": 1});
    let params =
        json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client});
    request("\"init\"", "initialize", &params)
}

/// The body of a request whose id is given as JSON text.
pub fn request(id: &str, method: &str, params: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

//! An MCP server inside a proxy, in each dialect.
//!
//! Tools: `echo` (its arguments), `slow` (progress, then nothing until it is cancelled), `ask` (asks the client's
//! model), `where` (the session that the envelope names), `fail`, `die`. Events that only the proxy sees are reported
//! to the editor: `_saw {"what":…}`.

use std::collections::HashMap;

use super::spelling::{member, message, string};

/// A message to send.
pub enum Act {
    /// Unchanged.
    Say(String),
    /// To the successor: id, method and params as JSON text.
    Down(Option<String>, String, String),
}

/// One server.
pub struct Tools {
    dialect: String,
    name: String,
    connections: u64,
    /// Questions to the client's model: our id, and the call that waits for it.
    asked: HashMap<String, String>,
    /// Calls that wait to be cancelled.
    slow: Vec<String>,
}

/// How a message names the server.
#[derive(Clone)]
enum Way {
    Connection(String),
    Request(String),
}

impl Tools {
    pub fn new(dialect: &str, name: &str) -> Self {
        Self {
            dialect: dialect.to_owned(),
            name: name.to_owned(),
            connections: 0,
            asked: HashMap::new(),
            slow: Vec::new(),
        }
    }

    fn is_modern(&self) -> bool {
        self.dialect == "D5"
    }

    fn address(&self) -> String {
        match &*self.dialect {
            "D1" | "D2" => format!("acp:{}", self.name),
            _ => format!("server:{}", self.name),
        }
    }

    /// The parameters of a session with our server added as the first one.
    pub fn declared(&self, params: &str) -> String {
        let (name, address) = (&self.name, self.address());
        let entry = match &*self.dialect {
            "D1" | "D2" => {
                format!(r#"{{"type":"http","name":"{name}","url":"{address}","headers":[]}}"#)
            }
            _ => format!(
                r#"{{"type":"acp","name":"{name}","serverId":"{address}","_meta":{{"kept":1.10}}}}"#
            ),
        };
        let list = member(params, "mcpServers").expect("a session has a list of servers");
        let rest = list.trim_start_matches('[').trim_start();
        let comma = if rest == "]" { "" } else { "," };
        super::spelling::replaced(params, list, &format!("[{entry}{comma}{rest}"))
    }

    /// Handles a message of the successor, if it is for this server.
    pub fn take(&mut self, id: Option<&str>, method: &str, params: &str) -> Option<Vec<Act>> {
        let is = |key: &str| string(params, key).as_deref() == Some(&*self.address());
        let connection = string(params, "connectionId").or_else(|| string(params, "connection_id"));
        let connection = connection.filter(|c| c.starts_with(&format!("{}-c", self.name)));
        match method {
            "_mcp/connect" if is("acp_url") || is("acp_id") => {
                Some(vec![self.connect(id?, "connection_id")])
            }
            "mcp/connect" if is("serverId") && !self.is_modern() => {
                Some(vec![self.connect(id?, "connectionId")])
            }
            "_mcp/disconnect" | "mcp/disconnect" if connection.is_some() => {
                let mut acts = vec![saw("disconnect")];
                acts.extend(id.map(|id| result(id, "{}")));
                Some(acts)
            }
            "mcp/message" if is("serverId") && self.is_modern() => {
                let way = Way::Request(string(params, "requestId")?);
                Some(self.mcp(id, params, &way))
            }
            "mcp/message" if is("serverId") && connection.is_none() => Some(vec![error(
                id?,
                r#"{"code":-32602,"message":"missing field `connectionId`"}"#,
            )]),
            "_mcp/request" | "_mcp/notification" | "_mcp/message" | "mcp/message" => {
                Some(self.mcp(id, params, &Way::Connection(connection?)))
            }
            _ => None,
        }
    }

    fn connect(&mut self, id: &str, key: &str) -> Act {
        self.connections += 1;
        let name = format!("{}-c{}", self.name, self.connections);
        result(id, &format!(r#"{{"{key}":"{name}"}}"#))
    }

    fn mcp(&mut self, id: Option<&str>, carrier: &str, way: &Way) -> Vec<Act> {
        let method = string(carrier, "method").unwrap_or_default();
        let params = member(carrier, "params").unwrap_or("{}");
        let Some(id) = id else {
            return vec![saw(&method)];
        };
        let info = format!(r#"{{"name":"{}","version":"1"}}"#, self.name);
        match &*method {
            "initialize" if !self.is_modern() => {
                let version = member(params, "protocolVersion").unwrap_or("\"2025-06-18\"");
                vec![self.good(id, &format!(
                    r#""protocolVersion":{version},"capabilities":{{"tools":{{}}}},"serverInfo":{info}"#
                ))]
            }
            "server/discover" if self.is_modern() => vec![self.good(id, &format!(
                r#""supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}},"ttlMs":0,"cacheScope":"private","_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}"#
            ))],
            "tools/list" => {
                let tool = |name| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
                let tools = ["echo", "slow", "ask", "where", "fail", "die"].map(tool).join(",");
                let cache = if self.is_modern() {
                    r#","ttlMs":0,"cacheScope":"private""#
                } else {
                    ""
                };
                vec![self.good(id, &format!(r#""tools":[{tools}]{cache}"#))]
            }
            "ping" if !self.is_modern() => vec![self.good(id, "")],
            "tools/call" => self.call(id, carrier, params, way),
            _ => vec![self.bad(id, r#"{"code":-32601,"message":"Method not found"}"#)],
        }
    }

    fn call(&mut self, id: &str, carrier: &str, params: &str, way: &Way) -> Vec<Act> {
        let arguments = member(params, "arguments").unwrap_or("{}");
        match &*string(params, "name").unwrap_or_default() {
            "echo" => vec![self.content(id, arguments)],
            "where" => {
                let meta = member(carrier, "_meta").unwrap_or("{}");
                let session = member(meta, "linkspan/sessionId").unwrap_or("null");
                vec![self.content(id, &format!(r#"{{"session":{session}}}"#))]
            }
            "slow" => {
                self.slow.push(id.to_owned());
                let token = member(params, "_meta").and_then(|meta| member(meta, "progressToken"));
                let steps = (1..=3).filter_map(|step| {
                    let params = format!(r#"{{"progressToken":{},"progress":{step}}}"#, token?);
                    Some(self.down(None, "notifications/progress", &params, way))
                });
                let mut acts: Vec<Act> = steps.collect();
                acts.push(saw("slow"));
                acts
            }
            "ask" if self.is_modern() => match member(params, "inputResponses") {
                Some(answers) => vec![self.content(id, answers)],
                None => vec![self.carried(id, r#"{"resultType":"input_required","inputRequests":{"q":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":7}}},"requestState":"s"}"#)],
            },
            "ask" => {
                let ours = format!("\"tools-{}\"", self.asked.len() + 1);
                self.asked.insert(ours.clone(), id.to_owned());
                let params = r#"{"messages":[],"maxTokens":7}"#;
                vec![self.down(Some(ours), "sampling/createMessage", params, way)]
            }
            "die" => {
                eprintln!("the provider is gone");
                std::process::exit(9);
            }
            _ => vec![self.bad(id, r#"{"code":-31999,"message":"the crane is stuck","data":{"n":1.10}}"#)],
        }
    }

    /// Handles an answer to our question.
    pub fn answered(&mut self, line: &str) -> Vec<Act> {
        let id = member(line, "id").unwrap_or_default();
        let Some(call) = self.asked.remove(id) else {
            return Vec::new();
        };
        let heard = member(line, "result").or_else(|| member(line, "error"));
        vec![self.content(&call, heard.unwrap_or("null"))]
    }

    /// Handles a cancelled call.
    pub fn cancelled(&mut self, id: &str) -> Option<Vec<Act>> {
        let at = self.slow.iter().position(|slow| slow == id)?;
        self.slow.remove(at);
        let gone = error(id, r#"{"code":-32800,"message":"Request cancelled"}"#);
        Some(vec![saw("cancelled"), gone])
    }

    fn down(&self, id: Option<String>, method: &str, params: &str, way: &Way) -> Act {
        let name = match (&*self.dialect, id.is_some()) {
            ("D1", true) => "_mcp/request",
            ("D1", false) => "_mcp/notification",
            ("D2", _) => "_mcp/message",
            _ => "mcp/message",
        };
        let address = match way {
            Way::Connection(name) => format!(r#""connectionId":"{name}""#),
            Way::Request(request) => {
                let server = self.address();
                format!(r#""serverId":"{server}","requestId":"{request}""#)
            }
        };
        let params = format!(r#"{{{address},"method":"{method}","params":{params}}}"#);
        Act::Down(id, format!("\"{name}\""), params)
    }

    fn content(&self, id: &str, content: &str) -> Act {
        self.good(
            id,
            &format!(r#""content":[],"structuredContent":{content}"#),
        )
    }

    fn good(&self, id: &str, members: &str) -> Act {
        if self.is_modern() {
            self.carried(id, &format!(r#"{{"resultType":"complete",{members}}}"#))
        } else {
            self.carried(id, &format!("{{{members}}}"))
        }
    }

    fn carried(&self, id: &str, outcome: &str) -> Act {
        if self.is_modern() {
            result(id, &format!(r#"{{"result":{outcome}}}"#))
        } else {
            result(id, outcome)
        }
    }

    fn bad(&self, id: &str, why: &str) -> Act {
        if self.is_modern() {
            result(id, &format!(r#"{{"error":{why}}}"#))
        } else {
            error(id, why)
        }
    }
}

fn result(id: &str, result: &str) -> Act {
    Act::Say(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
    ))
}

fn error(id: &str, error: &str) -> Act {
    Act::Say(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
}

fn saw(what: &str) -> Act {
    let params = format!(r#"{{"what":"{what}"}}"#);
    Act::Say(message(None, "\"_saw\"", Some(&params)))
}

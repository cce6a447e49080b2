//! The stdio front: how mcp-bash handles a line before it becomes a request.
//!
//! It checks the remote token and the order of the handshake, and answers the requests that the server behind
//! it does not get. Sans-IO: lines in, lines out.

mod lifetime;
mod port;
mod token;

use linkspan_mcp::{Era, era_of};
use linkspan_wire::{Json, JsonKind, Message, RpcError, quote};
use serde_json::Value;

use super::quirks;
use super::vars::Vars;
use linkspan_scripts::folder::ServerInfo;

pub use lifetime::Lifetime;
pub use port::port;
pub use token::{Token, TokenError, without_token};

/// An action that follows from a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Send this line to the client.
    ToClient(String),
    /// Send this line to the server.
    ToServer(String),
    /// Read no more lines; requests in flight may finish.
    Close,
}

/// The lifecycle stage of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// No message yet.
    New,
    /// `initialize` was sent.
    Initializing,
    /// It has sent `notifications/initialized`.
    Ready,
    /// `shutdown` was sent.
    ShuttingDown,
    /// A stateless revision, without a handshake.
    Modern,
}

/// The handshake and the checks between one client and the server.
#[derive(Debug)]
pub struct StdioFront {
    stage: Stage,
    token: Option<Token>,
    minimal: bool,
    batches: bool,
    info: ServerInfo,
    revision: &'static str,
    /// The client's capabilities.
    client: Value,
    /// The id of `initialize`, until it is answered.
    initialize_id: Option<String>,
    /// Whether to send list_changed notifications after the answer to `initialize`.
    announces_lists: bool,
}

impl StdioFront {
    /// The front of a server with these variables.
    pub fn new(vars: &Vars, info: ServerInfo) -> Result<Self, TokenError> {
        Ok(Self {
            stage: Stage::New,
            token: Token::of(vars)?,
            minimal: vars.get("MCPBASH_FORCE_MINIMAL") == Some("true"),
            batches: vars.get("MCPBASH_COMPAT_BATCHES") == Some("true"),
            info,
            revision: quirks::REVISIONS[0],
            client: Value::Null,
            initialize_id: None,
            announces_lists: false,
        })
    }

    /// Whether the client has sent `shutdown`.
    pub fn is_shutting_down(&self) -> bool {
        self.stage == Stage::ShuttingDown
    }

    /// Handles a line from the client.
    pub fn from_client(&mut self, line: &str) -> Vec<Step> {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() {
            return Vec::new();
        }
        let Ok(json) = Json::parse(line) else {
            let why =
                RpcError::parse_error("Parse error").with_data(quote("Failed to normalize input"));
            return vec![anonymous(&why)];
        };
        match json.kind() {
            JsonKind::Array if self.batches || self.revision == "2025-03-26" => {
                json.elements().flat_map(|one| self.one(one)).collect()
            }
            JsonKind::Array => vec![invalid("Batch arrays are disabled")],
            _ => self.one(json),
        }
    }

    fn one(&mut self, json: Json<'_>) -> Vec<Step> {
        let Some(method) = json.get("method").and_then(Json::as_str) else {
            let answers = json.get("result").or(json.get("error")).is_some();
            return if answers && json.get("method").is_none() {
                vec![pass(json)]
            } else {
                vec![invalid("Missing method")]
            };
        };
        // To mcp-bash `null` is an id, but an answer with it matches no request.
        let id = json
            .get("id")
            .filter(|id| id.kind() != JsonKind::Null)
            .map(Json::text);
        let refuse = |error: RpcError| id.map(|id| answer(id, &error)).into_iter().collect();
        if let Some(token) = &self.token
            && !token.fits(json)
        {
            return refuse(RpcError::invalid_params("Remote token missing or invalid"));
        }
        if self.stage == Stage::New && is_modern(json) {
            self.stage = Stage::Modern;
        }
        if self.stage == Stage::Modern {
            return vec![pass(json)];
        }
        match &*method {
            "notifications/cancelled" => return self.cancelled(json),
            "notifications/message" => {
                return vec![anonymous(&RpcError::new(-32601, "Invalid Request"))];
            }
            "initialize" => return self.initialize(json, id),
            "notifications/initialized" | "initialized" => return self.initialized(),
            "ping"
                if id.is_some()
                    && self.stage != Stage::Ready
                    && self.stage != Stage::ShuttingDown =>
            {
                return id.map(|id| result(id, "{}")).into_iter().collect();
            }
            "shutdown" => {
                self.stage = Stage::ShuttingDown;
                return id.map(|id| result(id, "{}")).into_iter().collect();
            }
            "exit" => return self.exit(id),
            _ => {}
        }
        match self.stage {
            Stage::New | Stage::Initializing => refuse(if is_known(&method) {
                RpcError::new(-32000, "Server not initialized")
            } else {
                unknown(&method)
            }),
            Stage::ShuttingDown => refuse(RpcError::new(-32003, "Server shutting down")),
            Stage::Ready | Stage::Modern => match (self.not_offered(&method), id) {
                (Some(error), _) => refuse(error),
                (None, _) => vec![pass(json)],
            },
        }
    }

    /// The error for a method that is not offered.
    fn not_offered(&self, method: &str) -> Option<RpcError> {
        let title = match kind_of(method) {
            "tools" => "Tools",
            "resources" => "Resources",
            "prompts" => "Prompts",
            "completion" => "Completion",
            _ => "",
        };
        if self.minimal && !title.is_empty() {
            let why = format!("{title} capability unavailable in minimal mode");
            return Some(RpcError::new(-32601, why));
        }
        (!is_known(method)).then(|| unknown(method))
    }

    fn initialize(&mut self, json: Json<'_>, id: Option<&str>) -> Vec<Step> {
        let Some(id) = id else {
            return Vec::new();
        };
        if self.stage != Stage::New {
            return vec![answer(
                id,
                &RpcError::invalid_request("Server already initialized"),
            )];
        }
        let read =
            |way: &[&str]| -> Option<Value> { serde_json::from_str(json.path(way)?.text()).ok() };
        match quirks::revision(read(&["params", "protocolVersion"]).as_ref()) {
            Err(error) => return vec![answer(id, &error)],
            Ok(revision) => self.revision = revision,
        }
        self.client = read(&["params", "capabilities"]).unwrap_or_default();
        self.stage = Stage::Initializing;
        self.initialize_id = Some(id.to_owned());
        // Clients of mcp-bash omit members that the specification requires; the server behind gets them.
        let capabilities = json.path(&["params", "capabilities"]);
        let capabilities = capabilities.filter(|_| self.client.is_object());
        let capabilities = capabilities.map_or("{}", Json::text);
        let info = json
            .path(&["params", "clientInfo"])
            .filter(|i| i.kind() == JsonKind::Object);
        let info = info.map_or(r#"{"name":"unknown","version":"0"}"#, Json::text);
        vec![Step::ToServer(one_line(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{}","capabilities":{capabilities},"clientInfo":{info}}}}}"#,
            self.revision
        )))]
    }

    fn initialized(&mut self) -> Vec<Step> {
        if self.stage != Stage::Initializing {
            return Vec::new();
        }
        self.stage = Stage::Ready;
        let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let mut steps = vec![Step::ToServer(note.to_owned())];
        if quirks::is_new(self.revision) && !self.minimal {
            match self.initialize_id {
                Some(_) => self.announces_lists = true,
                None => steps.extend(list_changes()),
            }
        }
        steps
    }

    fn exit(&mut self, id: Option<&str>) -> Vec<Step> {
        match (self.stage == Stage::ShuttingDown, id) {
            (true, Some(id)) => vec![result(id, "{}"), Step::Close],
            (true, None) => vec![Step::Close],
            (false, Some(id)) => vec![answer(id, &RpcError::new(-32005, "Shutdown not requested"))],
            (false, None) => Vec::new(),
        }
    }

    /// Forwards a cancellation if it is valid, also in an older spelling.
    fn cancelled(&self, json: Json<'_>) -> Vec<Step> {
        let params = json.get("params");
        let named = |name: &str| {
            let id = params.and_then(|p| p.get(name));
            id.filter(|id| matches!(id.kind(), JsonKind::String | JsonKind::Number))
        };
        let Some(id) = named("requestId").or(named("id")) else {
            return Vec::new();
        };
        if self.stage == Stage::New || self.stage == Stage::Initializing {
            return Vec::new();
        }
        let id = id.text();
        vec![Step::ToServer(format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ))]
    }

    /// Handles a line from the server.
    pub fn from_server(&mut self, line: &str) -> Vec<Step> {
        let Ok(json) = Json::parse(line) else {
            return Vec::new();
        };
        if self.stage == Stage::Modern {
            return vec![Step::ToClient(one_line(line))];
        }
        let method = json.get("method").and_then(Json::as_str);
        if method
            .as_deref()
            .is_some_and(|m| m.ends_with("/list_changed"))
        {
            let wanted = quirks::is_new(self.revision) && self.stage == Stage::Ready;
            return wanted
                .then(|| Step::ToClient(one_line(line)))
                .into_iter()
                .collect();
        }
        let id = json.get("id").map(Json::text);
        if method.is_none() && id.is_some() && id == self.initialize_id.as_deref() {
            self.initialize_id = None;
            let mut steps = vec![match (json.get("error"), id) {
                (None, Some(id)) => {
                    let initialize_result = quirks::initialize_result(
                        self.revision,
                        &self.client,
                        self.minimal,
                        &self.info,
                    );
                    result(id, &initialize_result)
                }
                _ => Step::ToClient(one_line(line)),
            }];
            if std::mem::take(&mut self.announces_lists) {
                steps.extend(list_changes());
            }
            return steps;
        }
        vec![Step::ToClient(one_line(line))]
    }
}

/// The part of a method before the slash.
fn kind_of(method: &str) -> &str {
    method.split_once('/').map_or("", |(kind, _)| kind)
}

fn is_known(method: &str) -> bool {
    const KNOWN: [&str; 12] = [
        "ping",
        "logging/setLevel",
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "resources/subscribe",
        "resources/unsubscribe",
        "prompts/list",
        "prompts/get",
        "completion/complete",
    ];
    KNOWN.contains(&method) || method.starts_with("notifications/")
}

/// The error for an unknown method.
fn unknown(method: &str) -> RpcError {
    let why = match kind_of(method) {
        kind @ ("tools" | "resources" | "prompts" | "completion") => {
            format!("Unknown {kind} method")
        }
        _ => "Method not found".to_owned(),
    };
    RpcError::new(-32601, why)
}

/// Whether a first message belongs to a stateless revision. mcp-bash does not know those; a client that only
/// probes for support gets an error and then begins as mcp-bash's clients do.
fn is_modern(json: Json<'_>) -> bool {
    let message = Message::parse(one_line(json.text()).into());
    message.is_ok_and(|m| era_of(&m) == Era::Modern)
}

/// list_changed notifications of all lists: mcp-bash sends them to every client after the handshake.
fn list_changes() -> impl Iterator<Item = Step> {
    ["tools", "resources", "prompts"].into_iter().map(|list| {
        Step::ToClient(format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/{list}/list_changed","params":{{}}}}"#
        ))
    })
}

fn pass(json: Json<'_>) -> Step {
    Step::ToServer(one_line(json.text()))
}

fn one_line(json: &str) -> String {
    linkspan_scripts::host::on_one_line(json).into_owned()
}

fn result(id: &str, result: &str) -> Step {
    Step::ToClient(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
    ))
}

fn answer(id: &str, error: &RpcError) -> Step {
    Step::ToClient(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#,
        body(error)
    ))
}

/// An error without an id: mcp-bash omits the member.
fn anonymous(error: &RpcError) -> Step {
    Step::ToClient(format!(r#"{{"jsonrpc":"2.0","error":{}}}"#, body(error)))
}

fn invalid(data: &str) -> Step {
    anonymous(&RpcError::invalid_request("Invalid Request").with_data(quote(data)))
}

fn body(error: &RpcError) -> String {
    let whole = error.answer(&linkspan_wire::Id::number(0));
    whole
        .body()
        .map_or_else(String::new, |body| body.text().to_owned())
}

#[cfg(test)]
mod tests;

//! Errors of tool calls, written for the model.

use std::path::PathBuf;
use std::time::Duration;

use linkspan_acp::client::Unusable;
use linkspan_ports::SpawnError;

use crate::sessions::MAX_SESSIONS;

/// Why a tool call failed. Its text is the result of the call.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    #[error("there is no argument `{name}`; there are: {}", known.join(", "))]
    UnknownArgument { name: String, known: Vec<String> },
    #[error("`{0}` is missing")]
    MissingArgument(&'static str),
    #[error("`{0}` must be a string")]
    NotAString(&'static str),
    #[error("`{0}` must be true or false")]
    NotABoolean(&'static str),
    #[error("`{0}` must be a list of strings")]
    NotStrings(&'static str),
    #[error("`content` must be a list of content blocks")]
    NotContent,
    #[error(
        "a block of `content` must have the type text, image, audio, resource_link or resource"
    )]
    ContentType,
    #[error("this agent accepts no content of the type {0}")]
    ContentNotTaken(String),
    #[error("nothing to prompt with: give `text` or `content`")]
    NoContent,

    #[error("`cwd` must be the absolute path of a folder that exists, and `{0}` is not")]
    Cwd(String),
    #[error("`cwd` is for a new session; the given session has its own")]
    CwdOfOpenSession,
    #[error("there is no current folder: give `cwd`")]
    NoCurrentFolder,
    #[error("{} is not UTF-8 and cannot be sent", .0.display())]
    CwdNotUtf8(PathBuf),
    #[error(
        "no MCP servers were given to linkspan with --mcp-servers, and a client cannot add any"
    )]
    NoServers,
    #[error("there is no MCP server `{name}`; there are: {}", known.join(", "))]
    UnknownServer { name: String, known: Vec<String> },
    #[error("this agent cannot use the MCP server `{0}`: it accepts commands only")]
    ServerNotTaken(String),

    #[error("{0}: {source}", source = std::error::Error::source(.0).map(ToString::to_string).unwrap_or_default())]
    Spawn(#[from] SpawnError),
    #[error(
        "`{command}` did not answer `initialize` within {} s: is it an ACP agent? -v shows its output",
        .limit.as_secs_f64()
    )]
    StartTimeout { command: String, limit: Duration },
    #[error("`{command}` did not start: {why}")]
    NotStarted { command: String, why: String },
    #[error("`{command}` refused `initialize`: {message}")]
    InitializeRefused { command: String, message: String },
    #[error("`{command}` is not a usable ACP agent: {source}")]
    NotAnAgent { command: String, source: Unusable },
    #[error("the client has disconnected")]
    ClientGone,
    #[error("the agent did not answer `{method}` within {} s", .limit.as_secs_f64())]
    Timeout { method: String, limit: Duration },
    #[error(
        "the agent `{command}` has ended, and its sessions with it: {why}\nThe next call starts it again."
    )]
    AgentEnded { command: String, why: String },
    /// The agent's error, and how to log in if it requires that.
    #[error("error of the agent: {0}")]
    Refused(String),

    #[error("there are {MAX_SESSIONS} sessions already: `close_session` one of them first")]
    TooManySessions,
    #[error("the agent has not started a session")]
    NoSession,
    #[error("the agent started a session without giving its id")]
    NoSessionId,
    #[error("the agent gave a new session the id of an open session: `{0}`")]
    SessionIdInUse(String),
    #[error("session `{0}` is open already")]
    AlreadyOpen(String),
    #[error("there is no session `{0}`")]
    SessionNotFound(String),
    #[error("there is no session `{0}`: `list_sessions` lists the sessions")]
    UnknownSession(String),
    #[error(
        "there is no session `{id}`: the agent has ended, and its sessions with it ({why}). Start a new one"
    )]
    SessionGone { id: String, why: String },
    #[error("session `{0}` was closed meanwhile")]
    SessionClosed(String),
    #[error(
        "session `{0}` is busy with another prompt: wait for its answer, `cancel` it, or start another session"
    )]
    SessionBusy(String),
    #[error(
        "session `{0}` has not ended a prompt that was cancelled: close it, or try again later"
    )]
    NotCancelledYet(String),
    #[error("{source}\nIts answer up to then: {said}")]
    PromptFailed {
        source: Box<ToolError>,
        said: String,
    },

    #[error("this agent cannot list the sessions that it has stored")]
    CannotList,
    #[error("this agent cannot load stored sessions")]
    CannotLoad,
    #[error("session `{0}` has no modes")]
    NoModes(String),
    #[error("session `{id}` has no mode `{mode}`; it has {}", known.join(", "))]
    UnknownMode {
        id: String,
        mode: String,
        known: Vec<String>,
    },
    #[error("this agent has no method `{id}`; it has: {}", known.join(", "))]
    UnknownAuthMethod { id: String, known: Vec<String> },
    #[error("`{0}` has to be done by a person, in a terminal, with the agent's own program")]
    TerminalOnly(String),
}

//! The list of tools, with their schemas.

use serde_json::{Value, json};

use crate::features::Features;
use crate::servers::Servers;

/// The tools of every agent, then those that only some agents support.
const ALL: [&str; 9] = [
    "start_session",
    "prompt",
    "cancel",
    "close_session",
    "list_sessions",
    "load_session",
    "set_mode",
    "set_option",
    "authenticate",
];

pub(crate) fn exists(name: &str) -> bool {
    ALL.contains(&name)
}

/// The tools that the agent supports; all tools before it has been started once.
pub(crate) fn names(features: Option<Features>) -> Vec<&'static str> {
    let is_supported = |name: &&str| match (*name, features) {
        ("load_session", Some(features)) => features.can_load,
        ("authenticate", Some(features)) => features.can_authenticate,
        ("set_mode", Some(features)) => features.modes != Some(false),
        ("set_option", Some(features)) => features.options != Some(false),
        _ => true,
    };
    ALL.into_iter().filter(is_supported).collect()
}

/// The result of `tools/list`.
pub(crate) fn list(features: Option<Features>, servers: &Servers) -> String {
    let tools: Vec<Value> = names(features)
        .into_iter()
        .map(|name| tool(name, servers))
        .collect();
    json!({ "tools": tools }).to_string()
}

/// The `instructions` of the server.
pub(crate) fn instructions(command: &str) -> String {
    format!(
        "These tools drive a coding agent (`{command}`) that works on its own, with its own model and tools. \
         Call `prompt` with a task to have it done; it answers when it has finished, which may take minutes. \
         A session keeps its conversation: pass the `sessionId` of the result to continue it, \
         and `close_session` when you are done. Different sessions can work at the same time."
    )
}

fn tool(name: &str, servers: &Servers) -> Value {
    match name {
        "start_session" => described(
            name,
            "Start a session",
            "Start a session with the agent and get its sessionId. Not needed before `prompt`, which starts one by itself; use it to choose the folder that the agent works in, its MCP servers or its mode.",
            object(
                json!({
                    "cwd": cwd(),
                    "mcpServers": mcp_servers(servers),
                    "mode": {"type": "string", "description": "The mode to begin in, by its id; `modes` of the result of an earlier session lists them"},
                }),
                &[],
            ),
            session_schema(),
            Hints::CHANGES,
        ),
        "prompt" => described(
            name,
            "Prompt the agent",
            "Give the agent a task or a question and wait for its answer. It may read and change files and run commands in its folder on the way. Without a sessionId a new session is started and named in the result. A session does one prompt at a time. Reports progress if asked to; cancelling the call cancels the agent's work.",
            object(
                json!({
                    "sessionId": {"type": "string", "description": "The session to continue, from an earlier result"},
                    "text": {"type": "string", "description": "The message to the agent: the whole task, as it does not know your conversation"},
                    "content": {
                        "type": "array",
                        "description": "Further content blocks, as MCP has them: text, resource_link, and image, audio or resource if the agent takes them",
                        "items": {"type": "object", "properties": {"type": {"type": "string", "enum": ["text", "image", "audio", "resource_link", "resource"]}}, "required": ["type"]},
                    },
                    "cwd": cwd(),
                }),
                &[],
            ),
            object(
                json!({
                    "sessionId": {"type": "string"},
                    "stopReason": {"type": "string", "description": "end_turn if the agent was done; or max_tokens, max_turn_requests, refusal, cancelled"},
                    "answer": {"type": "string", "description": "The agent's answer"},
                    "thoughts": {"type": "string", "description": "The agent's thoughts"},
                    "plan": {"type": "array", "description": "The agent's plan, with the status of each step"},
                    "toolCalls": {"type": "array", "items": {"type": "object"}, "description": "The agent's tool calls: title, kind, status and the files that they accessed"},
                    "permissions": {
                        "type": "array",
                        "description": "The permissions that the agent requested, whether they were granted, and by which decision: the client, the flag --permission, or `nobody` if the client could not ask the user",
                        "items": {
                            "type": "object",
                            "properties": {"title": {"type": "string"}, "allowed": {"type": "boolean"}, "choice": {"type": "string"}, "by": {"type": "string", "enum": ["client", "flag", "nobody"]}},
                            "required": ["title", "allowed", "by"],
                        },
                    },
                    "usage": {"type": "object", "description": "Tokens or costs, if the agent reports them"},
                    "notes": {"type": "array", "items": {"type": "string"}, "description": "Notes of linkspan"},
                }),
                &["sessionId", "stopReason", "answer"],
            ),
            Hints::WORKS,
        ),
        "cancel" => described(
            name,
            "Cancel a prompt",
            "Cancel the running prompt of a session. It ends with the stop reason `cancelled`; the session stays open.",
            object(json!({"sessionId": session_id()}), &["sessionId"]),
            object(
                json!({"sessionId": {"type": "string"}, "cancelled": {"type": "boolean", "description": "Whether a prompt was running"}}),
                &["sessionId", "cancelled"],
            ),
            Hints::HARMLESS,
        ),
        "close_session" => described(
            name,
            "Close a session",
            "Close a session that is not needed any more. Its running prompt is cancelled.",
            object(json!({"sessionId": session_id()}), &["sessionId"]),
            object(
                json!({"sessionId": {"type": "string"}, "closed": {"type": "boolean"}}),
                &["sessionId", "closed"],
            ),
            Hints::ENDS,
        ),
        "list_sessions" => described(
            name,
            "List sessions",
            "List the open sessions; with `stored`, also the stored sessions of the agent, if it supports that.",
            object(
                json!({
                    "stored": {"type": "boolean", "default": false, "description": "List what the agent has stored as well"},
                    "cursor": {"type": "string", "description": "Continue the list of stored sessions, with `nextCursor` of the last result"},
                }),
                &[],
            ),
            object(
                json!({
                    "sessions": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"sessionId": {"type": "string"}, "cwd": {"type": "string"}, "busy": {"type": "boolean"}, "mode": {"type": "string"}},
                            "required": ["sessionId", "cwd", "busy"],
                        },
                    },
                    "stored": {"type": "array", "description": "As the agent lists them"},
                    "nextCursor": {"type": "string"},
                }),
                &["sessions"],
            ),
            Hints::READS,
        ),
        "load_session" => described(
            name,
            "Load a stored session",
            "Open a stored session of the agent again; it contains the earlier conversation.",
            object(
                json!({"sessionId": {"type": "string", "description": "From `stored` of list_sessions, or from an earlier result"}, "cwd": cwd(), "mcpServers": mcp_servers(servers)}),
                &["sessionId"],
            ),
            session_schema(),
            Hints::CHANGES,
        ),
        "set_mode" => described(
            name,
            "Set the mode of a session",
            "Change how the agent works in a session, for example from planning to doing. The modes are in the result of start_session.",
            object(
                json!({"sessionId": session_id(), "mode": {"type": "string", "description": "The id of the mode"}}),
                &["sessionId", "mode"],
            ),
            session_schema(),
            Hints::HARMLESS,
        ),
        "set_option" => described(
            name,
            "Set an option of a session",
            "Set a configuration option of a session, for example its model. `configOptions` of the result of start_session lists the options.",
            object(
                json!({"sessionId": session_id(), "option": {"type": "string", "description": "The id of the option"}, "value": {"type": "string", "description": "One of its values"}}),
                &["sessionId", "option", "value"],
            ),
            session_schema(),
            Hints::HARMLESS,
        ),
        _ => described(
            "authenticate",
            "Log in",
            "Log in to the agent by one of its methods, which it lists when it requires a login. A person may have to do something in a browser meanwhile.",
            object(
                json!({"methodId": {"type": "string", "description": "The id of the method"}}),
                &["methodId"],
            ),
            object(
                json!({"methodId": {"type": "string"}, "authenticated": {"type": "boolean"}}),
                &["methodId", "authenticated"],
            ),
            Hints::HARMLESS,
        ),
    }
}

/// The annotations of a tool.
struct Hints {
    read_only: bool,
    destructive: bool,
    idempotent: bool,
    open_world: bool,
}

impl Hints {
    /// The agent works autonomously.
    const WORKS: Self = Self::new(false, true, false, true);
    const CHANGES: Self = Self::new(false, false, false, true);
    const HARMLESS: Self = Self::new(false, false, true, true);
    const ENDS: Self = Self::new(false, true, true, false);
    const READS: Self = Self::new(true, false, true, false);

    const fn new(read_only: bool, destructive: bool, idempotent: bool, open_world: bool) -> Self {
        Self {
            read_only,
            destructive,
            idempotent,
            open_world,
        }
    }
}

fn described(
    name: &str,
    title: &str,
    description: &str,
    input: Value,
    output: Value,
    hints: Hints,
) -> Value {
    json!({
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": input,
        "outputSchema": output,
        "annotations": {
            "title": title,
            "readOnlyHint": hints.read_only,
            "destructiveHint": hints.destructive,
            "idempotentHint": hints.idempotent,
            "openWorldHint": hints.open_world,
        },
    })
}

fn object(mut properties: Value, required: &[&str]) -> Value {
    if let Some(properties) = properties.as_object_mut() {
        properties.retain(|_, property| !property.is_null());
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema["additionalProperties"] = json!(false);
    schema
}

fn session_id() -> Value {
    json!({"type": "string", "description": "The session, from the result of start_session or prompt"})
}

fn cwd() -> Value {
    json!({"type": "string", "description": "The folder that a new session works in, as an absolute path; the client's first root, or where linkspan was started, if it is not given"})
}

/// `null` without servers.
fn mcp_servers(servers: &Servers) -> Value {
    let names = servers.names();
    if names.is_empty() {
        return Value::Null;
    }
    json!({"type": "array", "items": {"type": "string", "enum": names}, "description": "The MCP servers for the agent, among those that the user has allowed; all of them by default"})
}

fn session_schema() -> Value {
    object(
        json!({
            "sessionId": {"type": "string"},
            "cwd": {"type": "string", "description": "The session's folder"},
            "mode": {"type": "string", "description": "The id of the current mode"},
            "modes": {"type": "object", "description": "The available modes, as the agent lists them"},
            "models": {"type": "object", "description": "The available models, as the agent lists them"},
            "configOptions": {"type": "array", "description": "The configuration options, as the agent lists them"},
        }),
        &["sessionId", "cwd"],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_description_and_both_schemas() {
        let list: Value = serde_json::from_str(&list(None, &Servers::default())).unwrap();
        let tools = list["tools"].as_array().unwrap();
        assert_eq!(tools.len(), ALL.len());
        for (tool, name) in tools.iter().zip(ALL) {
            assert_eq!(tool["name"], name);
            for schema in ["inputSchema", "outputSchema"] {
                assert_eq!(tool[schema]["type"], "object", "{name}");
            }
            assert!(tool["annotations"]["readOnlyHint"].is_boolean());
            assert!(tool["description"].as_str().unwrap().len() > 40);
        }
        let start = &tools[0]["inputSchema"]["properties"];
        assert!(start.get("mcpServers").is_none(), "there are none");
    }

    #[test]
    fn only_supported_tools_are_listed() {
        let features = Features {
            can_load: false,
            can_authenticate: false,
            modes: Some(false),
            options: Some(false),
        };
        assert_eq!(names(Some(features)), ALL[..5]);
        let more = Features {
            can_load: true,
            modes: None,
            ..features
        };
        assert_eq!(names(Some(more)), ALL[..7]);
    }
}

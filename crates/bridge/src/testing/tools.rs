//! The tools of the server in memory.
//!
//! | tool | arguments | what it does |
//! |---|---|---|
//! | `which` | – | names the connection, its client's capabilities, and the roots that it was told at its start |
//! | `gate` | `name?` | the same when that gate is open, and gives its name back |
//! | `ask`, `roots` | `label?`, `key?` | asks the client; gives the answer back |
//! | `in_turn` | `gate` | asks, asks again when the gate is open, gives both answers back |
//! | `later` | `gate`, `key` | answers; asks when the gate is open |
//! | `progress` | `n` | n progress notifications, then answers |
//! | `log` | `gate?`, `level?` | one log notification |
//! | `refuse` | `error` | that error |
//! | `die` | – | ends the connection without an answer |

use linkspan_mcp::Era;
use linkspan_wire::{Id, Json, Message, quote};

use super::message;
use super::server::{Connection, tool_of};

pub(super) async fn run(connection: &Connection, id: &Id, msg: &Message) {
    let params = msg.params();
    let argument = |name: &str| params.and_then(|p| p.path(&["arguments", name]));
    let text = |name: &str| argument(name).and_then(|a| Some(a.as_str()?.into_owned()));
    let key = text("key");
    let members = match tool_of(msg).as_deref() {
        Some("die") => return connection.over.notify_one(),
        Some("refuse") => {
            let error = argument("error").map_or("null", Json::text);
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
            return connection.say(message(&text)).await;
        }
        Some("gate") => {
            let name = text("name").unwrap_or("gate".to_owned());
            connection.log.gate(&name).await;
            format!(r#","name":{}"#, quote(&name))
        }
        Some("ask") if connection.era == Era::Modern => {
            let answer = params.and_then(|p| p.path(&["inputResponses", "q"]));
            let Some(answer) = answer else {
                let question = elicit(text("label"));
                let result = format!(
                    r#"{{"resultType":"input_required","inputRequests":{{"q":{{"method":"{ELICIT}","params":{question}}}}}}}"#
                );
                return connection.say(Message::result(id, &result)).await;
            };
            format!(r#","answer":{}"#, answer.text())
        }
        Some("ask") => match connection
            .ask(key.as_deref(), ELICIT, &elicit(text("label")))
            .await
        {
            Some(answer) => format!(r#","answer":{answer}"#),
            None => return,
        },
        Some("roots") => match connection.ask(key.as_deref(), "roots/list", "{}").await {
            Some(answer) => format!(r#","answer":{answer}"#),
            None => return,
        },
        Some("in_turn") => {
            let second = async {
                connection.log.gate(&text("gate").unwrap_or_default()).await;
                connection.ask(Some("second"), ELICIT, &elicit(None)).await
            };
            let params = elicit(None);
            let first = connection.ask(Some("first"), ELICIT, &params);
            match tokio::join!(first, second) {
                (Some(first), Some(second)) => format!(r#","first":{first},"second":{second}"#),
                _ => return,
            }
        }
        Some("later") => {
            connection.say(answer(connection, id, "")).await;
            connection.log.gate(&text("gate").unwrap_or_default()).await;
            connection.ask(key.as_deref(), ELICIT, &elicit(None)).await;
            return;
        }
        Some("progress") => {
            let token = params.and_then(|p| p.path(&["_meta", "progressToken"]));
            let count = argument("n").and_then(Json::as_i64).unwrap_or_default();
            for step in 1..=count {
                let token = token.map_or("null", Json::text);
                let params = format!(r#"{{"progressToken":{token},"progress":{step}}}"#);
                let note = Message::notification("notifications/progress", Some(&params));
                connection.say(note).await;
            }
            String::new()
        }
        Some("log") => {
            if let Some(gate) = text("gate") {
                connection.log.gate(&gate).await;
            }
            let level = text("level").unwrap_or("info".to_owned());
            // In the modern era a request asks for its own log messages.
            let wanted = params.and_then(|p| p.path(&["_meta", LOG_LEVEL]));
            if connection.era == Era::Modern && wanted.is_none() {
                return connection.say(answer(connection, id, "")).await;
            }
            let params = format!(r#"{{"level":{},"data":"all is well"}}"#, quote(&level));
            let note = Message::notification("notifications/message", Some(&params));
            connection.say(note).await;
            String::new()
        }
        _ => String::new(),
    };
    connection.say(answer(connection, id, &members)).await;
}

const ELICIT: &str = "elicitation/create";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

fn elicit(label: Option<String>) -> String {
    let label = quote(&label.unwrap_or("?".to_owned()));
    format!(r#"{{"message":{label},"requestedSchema":{{"type":"object","properties":{{}}}}}}"#)
}

fn answer(connection: &Connection, id: &Id, members: &str) -> Message {
    let kind = match connection.era {
        Era::Legacy => "",
        Era::Modern => r#""resultType":"complete","#,
    };
    let (number, client) = (connection.number, connection.capabilities());
    let roots = connection.roots();
    let result = format!(
        r#"{{{kind}"content":[],"structuredContent":{{"connection":{number},"client":{client},"roots":{roots}{members}}}}}"#
    );
    Message::result(id, &result)
}

//! The tools and other methods that every fake server has.
//!
//! | tool | arguments | what it does |
//! |---|---|---|
//! | `echo` | anything | gives its arguments back byte for byte as `structuredContent` |
//! | `blob` | `size` | a text of that many bytes, see [`crate::Server::blob`] |
//! | `progress` | `n`, `gate?` | n progress notifications; waits for `gate-1`, `gate-2`, … after each |
//! | `flood` | `n`, `size` | n log notifications with a number and padding, as fast as the client reads |
//! | `log` | – | one log notification |
//! | `ask`, `sample`, `roots` | – | asks the client; gives its answer back as `structuredContent` |
//! | `raw` | `text` or `envelope` | exactly that `result`, or that message with `$ID` replaced |
//! | `fail` | `error` | exactly that `error` (a string holding JSON) |
//! | `die` | – | closes the connection without an answer |
//! | `cut` | `how`: `end`, `half`, `reset` | one progress notification, a cut, then the answer (for a client that resumes) |
//! | `gate` | `name`, `stubborn?` | answers when the test opens it; cancelled: only if stubborn |

use serde_json::Value;

use crate::builder::Kind;
use crate::conn::Cut;
use crate::message::Message;
use crate::outlet::Outlet;

/// Whether a server answers that method with anything but "method not found".
pub(crate) fn knows(message: &Message) -> bool {
    let known = [
        "tools/list",
        "tools/call",
        "resources/read",
        "prompts/get",
        "ping",
        "server/discover",
        "subscriptions/listen",
    ];
    message
        .method
        .as_deref()
        .is_some_and(|m| known.contains(&m) || m.starts_with("vendor/"))
}

/// Runs a request to its end.
pub(crate) fn answer(message: &Message, out: &Outlet) {
    match message.method.as_deref().unwrap_or_default() {
        "tools/call" => call(message, out),
        "tools/list" => done(
            out,
            r#""tools":[{"name":"echo","inputSchema":{"type":"object"}}]"#,
        ),
        "resources/read" => {
            let uri = message.at(&["params", "uri"]).unwrap_or_default();
            done(
                out,
                &format!(r#""contents":[{{"uri":{uri},"text":"contents"}}]"#),
            );
        }
        "prompts/get" => done(out, r#""messages":[]"#),
        "server/discover" => done(
            out,
            r#""supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private""#,
        ),
        "subscriptions/listen" => listen(out),
        "ping" => out.result("{}"),
        method if method.starts_with("vendor/") => {
            let params = message.params.as_deref().unwrap_or("null");
            done(out, &format!(r#""heard":{params}"#));
        }
        _ => out.error(r#"{"code":-32601,"message":"Method not found"}"#),
    }
}

/// The text of the tool `blob`: ASCII with escapes and four-byte characters in it.
pub(crate) fn blob(size: usize) -> String {
    let mut text = String::with_capacity(size + 16);
    let mut line = 0usize;
    while text.len() < size {
        text.push_str(&format!(
            "{line:07} quay \\\"\\n\\u00e4 \u{26f4} \u{1f6a2} "
        ));
        line += 1;
    }
    text
}

fn call(message: &Message, out: &Outlet) {
    let number = |name: &str| message.argument(name).as_u64().unwrap_or_default();
    let text = |name: &str| message.argument(name).as_str().map(str::to_owned);
    match message.tool().as_deref().unwrap_or_default() {
        "echo" => structured(out, message.at(&["params", "arguments"])),
        "blob" => {
            let size = usize::try_from(number("size")).unwrap_or_default();
            done(
                out,
                &format!(r#""content":[{{"type":"text","text":"{}"}}]"#, blob(size)),
            );
        }
        "progress" => {
            let token = message
                .at(&["params", "_meta", "progressToken"])
                .unwrap_or("null".into());
            for step in 1..=number("n") {
                out.note(&progress(&token, step));
                if let Some(gate) = text("gate")
                    && !out.gate(&format!("{gate}-{step}"), true)
                {
                    return out.close();
                }
            }
            structured(out, None);
        }
        "flood" => {
            let padding = "x".repeat(usize::try_from(number("size")).unwrap_or_default());
            for step in 0..number("n") {
                out.note(&log(&format!(
                    r#"{{"number":{step},"padding":"{padding}"}}"#
                )));
            }
            structured(out, None);
        }
        "log" => {
            out.note(&log(r#""all is well""#));
            structured(out, None);
        }
        "ask" => {
            let params = r#"{"message":"which quay?","requestedSchema":{"type":"object","properties":{"quay":{"type":"string"}}}}"#;
            asked(out, out.ask("elicitation/create", params));
        }
        "sample" => {
            let params = r#"{"messages":[{"role":"user","content":{"type":"text","text":"ahoy"}}],"maxTokens":7}"#;
            asked(out, out.ask("sampling/createMessage", params));
        }
        "roots" => asked(out, out.ask("roots/list", "{}")),
        "raw" => match text("envelope") {
            Some(envelope) => out.finish(&envelope.replace("$ID", &out.id)),
            None => out.result(&text("text").unwrap_or_default()),
        },
        "fail" => out.error(&text("error").unwrap_or_default()),
        "die" => out.die(),
        "cut" => {
            let token = message
                .at(&["params", "_meta", "progressToken"])
                .unwrap_or("null".into());
            out.note(&progress(&token, 1));
            out.cut(match text("how").as_deref() {
                Some("half") => Cut::Half,
                Some("reset") => Cut::Reset,
                _ => Cut::End,
            });
            structured(out, Some(r#"{"resumed":true}"#.into()));
        }
        "gate" => {
            let stubborn = message.argument("stubborn") == Value::Bool(true);
            if out.gate(&text("name").unwrap_or_default(), !stubborn) {
                structured(out, message.at(&["params", "arguments"]))
            } else {
                out.close()
            }
        }
        _ => out.error(r#"{"code":-32602,"message":"Unknown tool"}"#),
    }
}

fn listen(out: &Outlet) {
    let meta = format!(
        r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{}}}"#,
        out.id
    );
    let note = |method: &str, more: &str| {
        out.note(&format!(
            r#"{{"jsonrpc":"2.0","method":"{method}","params":{{{more}{meta}}}}}"#
        ))
    };
    note(
        "notifications/subscriptions/acknowledged",
        r#""notifications":{"toolsListChanged":true},"#,
    );
    if out.gate("changed", true) {
        note("notifications/tools/list_changed", "");
        if out.gate("over", true) {
            return done(out, &meta);
        }
    }
    out.close();
}

fn progress(token: &str, step: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{step}}}}}"#
    )
}

fn log(data: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":{data}}}}}"#
    )
}

fn asked(out: &Outlet, answer: Option<Message>) {
    structured(
        out,
        answer.and_then(|message| message.result.or(message.error)),
    );
}

fn structured(out: &Outlet, content: Option<String>) {
    let content = content.unwrap_or("{}".into());
    done(
        out,
        &format!(r#""content":[],"structuredContent":{content}"#),
    );
}

/// A result with these members, completed for its revision.
fn done(out: &Outlet, members: &str) {
    let kind = if out.shared.config.kind == Kind::Modern {
        r#""resultType":"complete","#
    } else {
        ""
    };
    out.result(&format!("{{{kind}{members}}}"));
}

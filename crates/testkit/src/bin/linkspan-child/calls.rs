//! Methods and tools.
//!
//! | tool | arguments | what it does |
//! |---|---|---|
//! | `echo` | anything | gives its arguments back byte for byte as `structuredContent` |
//! | `fidelity` | – | `linkspan_testkit::child::FIDELITY`, which only a relay that keeps bytes passes |
//! | `whoami` | – | pid, params of `initialize` or envelope, how many cancellations came, and the roots of `--roots-at-start` |
//! | `progress` | `n`, `gate?` | n progress notifications; waits for `gate-1`, `gate-2`, … after each |
//! | `gate` | `name`, `stubborn?` | answers when the test opens it; cancelled: only if stubborn |
//! | `ask`, `sample`, `roots` | `label?`, `key?`, `rounds?`, `gate?` | asks the client, waits, gives the answer back |
//! | `two` | – | asks two things at once |
//! | `log` | `level?` | one log notification |
//! | `change`, `update` | `what` / `uri` | announces a changed list / a changed resource |
//! | `later` | `gate`, `what` | answers, and only when the gate opens does it |
//! | `fail` | – | `linkspan_testkit::child::FAILURE` |
//! | `shape` | – | structured content that is an array, allowed only since 2026-07-28 |
//! | `noise` | – | prints what is not JSON-RPC, then answers |
//! | `raw` | `lines` | prints these lines, `$ID` replaced by the id of the call, and answers nothing else; each character is one byte |
//! | `crash` | `code` | exits without an answer |
//! | `blob` | `size` | a text of that many bytes |
//! | `grandchild` | – | starts a process that outlives us unless it is killed |
//! | `shout` | `size` | that many bytes to stderr, then answers |
//! | `say` | `file`, `gate?`, `exit?` | exactly the bytes of that file as its `result`; then ends with that status |

use std::io::Write;

use linkspan_testkit::child;

use crate::modern;
use crate::questions::{self, Question};
use crate::server::Call;

/// Runs a request to its end.
pub fn answer(call: &Call) {
    let message = &call.message;
    let method = message.method.as_deref().unwrap_or_default();
    if call.modern() && !modern::accepts(call) {
        return;
    }
    match method {
        "tools/call" => tool(call),
        "tools/list" => tools(call),
        "prompts/list" => call.list(r#""prompts":[{"name":"ask"},{"name":"plain"}]"#),
        "prompts/get" if message.string_at(&["params", "name"]).as_deref() == Some("ask") => {
            questions::tool(call, "ask", 1);
        }
        "prompts/get" => call.done(r#""messages":[]"#),
        "resources/list" => call.list(r#""resources":[{"uri":"quay://1","name":"one"}]"#),
        "resources/templates/list" => call.list(r#""resourceTemplates":[]"#),
        "resources/read" => read(call),
        "completion/complete" => call.done(r#""completion":{"values":["quay"]}"#),
        "server/discover" if call.modern() => modern::discover(call),
        "subscriptions/listen" if call.modern() => modern::listen(call),
        "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe"
            if !call.modern() =>
        {
            call.result("{}");
        }
        _ if method.starts_with("vendor/") => {
            let params = message.params.as_deref().unwrap_or("null");
            call.done(&format!(r#""heard":{params}"#));
        }
        _ => call.error(r#"{"code":-32601,"message":"Method not found"}"#),
    }
}

fn tool(call: &Call) {
    let arguments = call.message.at(&["params", "arguments"]);
    let server = &call.server;
    match call.message.tool().as_deref().unwrap_or_default() {
        "echo" => call.structured(arguments.as_deref().unwrap_or("null")),
        "routed" => call.structured(arguments.as_deref().unwrap_or("null")),
        "fidelity" => call.done(child::FIDELITY),
        "whoami" => whoami(call),
        "env" => {
            let name = call.text("name").unwrap_or_default();
            let value = std::env::var(name).ok();
            call.structured(&serde_json::json!({"value": value}).to_string());
        }
        "progress" => {
            for step in 1..=call.number("n") {
                call.progress(step);
                if let Some(gate) = call.text("gate")
                    && !call.gate(&format!("{gate}-{step}"))
                {
                    return;
                }
            }
            call.structured("{}");
        }
        "gate" => {
            let open = call.gate(&call.text("name").unwrap_or_default());
            if open || call.message.argument("stubborn") == true {
                call.structured(arguments.as_deref().unwrap_or("null"));
            }
        }
        kind @ ("ask" | "sample" | "roots") => {
            questions::tool(call, kind, call.number("rounds").max(1));
        }
        "two" => questions::two_at_once(call),
        "log" => {
            if call.text("gate").is_some_and(|gate| !call.gate(&gate)) {
                return;
            }
            log(call);
            call.structured("{}");
        }
        "change" => {
            change(call, &call.text("what").unwrap_or("tools".into()));
            call.structured("{}");
        }
        "update" => {
            update(call);
            call.structured("{}");
        }
        "later" => {
            call.structured("{}");
            if server
                .watch
                .gate(&call.text("gate").unwrap_or_default(), "")
            {
                later(call);
            }
        }
        "fail" => call.error(child::FAILURE),
        "shape" => call.structured(r#"["one",2]"#),
        "noise" => {
            for line in [
                "Starting…",
                "",
                "\r",
                "\u{feff}",
                "{\"level\":30}",
                "[1,2",
                "null",
            ] {
                server.write(line);
            }
            call.structured("{}");
        }
        "raw" => raw(call),
        "crash" => {
            eprintln!("the quay is on fire");
            std::process::exit(i32::try_from(call.number("code")).unwrap_or(1));
        }
        "blob" => {
            let size = usize::try_from(call.number("size")).unwrap_or_default();
            let text = linkspan_testkit::Server::blob(size);
            call.done(&format!(r#""content":[{{"type":"text","text":"{text}"}}]"#));
        }
        "grandchild" => grandchild(call),
        "shout" => {
            let line = [b'!'; 1024];
            for _ in 0..call.number("size") / 1024 {
                // An error means that stderr is closed, and is ignored.
                let _ = std::io::stderr().write_all(&line);
                let _ = std::io::stderr().write_all(b"\n");
            }
            call.structured("{}");
        }
        "say" => say(call),
        _ => call.error(r#"{"code":-32602,"message":"Unknown tool"}"#),
    }
}

/// The usual tools, or those in the file of `--tools`; further pages are in `FILE.CURSOR`.
fn tools(call: &Call) {
    let Some(file) = &call.server.options.tools else {
        return call.list(child::TOOLS);
    };
    let cursor = call.message.string_at(&["params", "cursor"]);
    let page = cursor.map_or(file.clone(), |cursor| format!("{file}.{cursor}"));
    let members = std::fs::read_to_string(page).expect("the test has written its tools");
    call.list(&members);
}

fn say(call: &Call) {
    let file = call.text("file").unwrap_or_default();
    let result = std::fs::read(file).expect("the test has written the result");
    if call.text("gate").is_some_and(|gate| !call.gate(&gate)) {
        return;
    }
    let mut line = format!(r#"{{"jsonrpc":"2.0","id":{},"result":"#, call.id).into_bytes();
    line.extend(result);
    line.extend(b"}\n");
    call.server.write_bytes(&line);
    if let Some(code) = call.message.argument("exit").as_u64() {
        std::process::exit(i32::try_from(code).unwrap_or(1));
    }
}

fn raw(call: &Call) {
    let lines = call.message.argument("lines");
    for line in lines.as_array().into_iter().flatten() {
        let line = line.as_str().unwrap_or_default();
        let line = line.replace("$ID", &call.id);
        let mut bytes: Vec<u8> = line
            .chars()
            .map(|c| u8::try_from(c).expect("the test writes bytes"))
            .collect();
        bytes.push(b'\n');
        call.server.write_bytes(&bytes);
    }
}

fn whoami(call: &Call) {
    let client = if call.modern() {
        call.message.at(&["params", "_meta"])
    } else {
        call.server.lock().client.clone()
    };
    let roots = call.server.lock().roots.clone();
    call.structured(&format!(
        r#"{{"pid":{},"client":{},"cancellations":{},"roots":{}}}"#,
        std::process::id(),
        client.as_deref().unwrap_or("null"),
        call.server.watch.cancellations(),
        roots.as_deref().unwrap_or("null"),
    ));
}

fn read(call: &Call) {
    let uri = call
        .message
        .string_at(&["params", "uri"])
        .unwrap_or_default();
    if uri.starts_with("missing://") {
        let code = if call.modern() { -32602 } else { -32002 };
        return call.error(&format!(
            r#"{{"code":{code},"message":"Resource not found","data":{{"uri":"{uri}"}}}}"#
        ));
    }
    call.list(&format!(
        r#""contents":[{{"uri":"{uri}","text":"contents"}}]"#
    ));
}

fn log(call: &Call) {
    let level = call.text("level").unwrap_or("info".into());
    // In the stateless revision a request has its own log level.
    if !call.modern() || modern::meta(call, "logLevel").is_some() {
        call.server.note(
            "notifications/message",
            &format!(r#"{{"level":"{level}","data":"all is well"}}"#),
        );
    }
}

fn change(call: &Call, what: &str) {
    let method = format!("notifications/{what}/list_changed");
    if call.modern() {
        modern::announce(call, &format!("{what}ListChanged"), &method, "")
    } else {
        call.server.note(&method, "{}")
    }
}

fn update(call: &Call) {
    let uri = call.text("uri").unwrap_or_default();
    let (method, members) = (
        "notifications/resources/updated",
        format!(r#""uri":"{uri}""#),
    );
    if call.modern() {
        modern::announce(call, &uri, method, &members)
    } else {
        call.server.note(method, &format!("{{{members}}}"))
    }
}

fn later(call: &Call) {
    match call.text("what").as_deref() {
        Some("ask") => {
            Question::new(call, "ask", 1).send(call);
        }
        Some("crash") => std::process::exit(5),
        Some("flood") => {
            let padding = "x".repeat(64 * 1024);
            for number in 0..call.number("n") {
                call.server.note(
                    "notifications/resources/updated",
                    &format!(r#"{{"uri":"quay://{number}","padding":"{padding}"}}"#),
                );
            }
        }
        _ => change(call, "tools"),
    }
}

fn grandchild(call: &Call) {
    let ourselves = std::env::current_exe().expect("a running program has a path");
    // Through another program, `setsid` for example.
    let through = call.message.at(&["params", "arguments", "through"]);
    let through = through.map_or_else(String::new, |text| text.trim_matches('"').to_owned());
    let mut words = through.split_whitespace();
    let mut command = match words.next() {
        Some(first) => std::process::Command::new(first),
        None => std::process::Command::new(&ourselves),
    };
    if !through.is_empty() {
        command.args(words).arg(&ourselves);
    }
    command.arg("--grandchild");
    if let Some(watch) = &call.server.options.watch {
        command.args(["--watch", watch]);
    }
    let mut started = command.spawn().expect("what runs can be started again");
    call.structured(&format!(r#"{{"pid":{}}}"#, started.id()));
    let _ = started.wait();
}

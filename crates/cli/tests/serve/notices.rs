//! Progress and logs.

use linkspan_testkit::Message;
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::served::Served;

const PROGRESS: &str =
    r#"progress() { printf '{"method":"progress","params":{"progress":%s}}\n' "$1" >&3; }"#;

/// All messages up to the answer.
fn until_answered(server: &Served<'_>, id: &str) -> Vec<Message> {
    let mut heard = Vec::new();
    loop {
        let line = server.line();
        let message = Message::parse(&line).unwrap_or_else(|| panic!("no message: {line}"));
        let done = message.is_response() && message.id.as_deref() == Some(id);
        heard.push(message);
        if done {
            return heard;
        }
    }
}

fn of(messages: &[Message], method: &str) -> Vec<Value> {
    let named = |message: &&Message| message.method.as_deref() == Some(method);
    let params = |message: &Message| message.json()["params"].take();
    messages.iter().filter(named).map(params).collect()
}

#[test]
fn progress_comes_while_the_tool_runs() {
    let folder = Folder::with(
        "load",
        r#"echo '{"method":"progress","params":{"progress":1,"total":2,"message":"half"}}' >&3
           while [ ! -e go.txt ]; do sleep 0.02; done
           echo '{"method":"progress","params":{"progress":2}}' >&3; echo done"#,
    );
    let server = folder.serve();
    let id = server.begin_with_token("load", &json!({}), &json!("t"));
    let first = server.heard("notifications/progress").json();
    assert_eq!(
        first["params"],
        json!({"progressToken": "t", "progress": 1, "total": 2, "message": "half"})
    );
    folder.write("go.txt", "go\n");
    let second = server.heard("notifications/progress").json();
    // A missing total stays missing; it does not become null.
    assert_eq!(
        second["params"],
        json!({"progressToken": "t", "progress": 2})
    );
    assert_eq!(
        server.answer(&id).json()["result"]["content"][0]["text"],
        "done"
    );
}

#[test]
fn progress_arrives_before_the_answer() {
    let folder = Folder::with(
        "load",
        &format!("{PROGRESS}\nprogress 1; progress 2; progress 3; echo done"),
    );
    let server = folder.serve();
    // A number as token is returned unchanged.
    let id = server.begin_with_token("load", &json!({}), &json!(9_007_199_254_740_993_u64));
    let heard = until_answered(&server, &id);
    let steps = of(&heard, "notifications/progress");
    let last = steps.last().expect("there was some");
    assert_eq!(last["progress"], 3);
    assert_eq!(last["progressToken"], json!(9_007_199_254_740_993_u64));
}

#[test]
fn progress_needs_a_token() {
    let folder = Folder::with(
        "load",
        &format!("{PROGRESS}\nprogress 1; echo \"<$MCP_PROGRESS_TOKEN>\""),
    );
    let server = folder.serve();
    assert_eq!(server.text("load", &json!({})), "<>");
    server.ping();
    assert_eq!(server.unread(), Vec::<String>::new());
}

#[test]
fn progress_is_throttled_except_the_last() {
    let folder = Folder::with(
        "load",
        &format!(
            "{PROGRESS}\ni=0; while [ $i -lt 500 ]; do i=$((i+1)); progress $i; done; echo done"
        ),
    );
    let server = folder.serve();
    let id = server.begin_with_token("load", &json!({}), &json!(1));
    let steps = of(&until_answered(&server, &id), "notifications/progress");
    assert!(steps.len() <= 101, "{}", steps.len());
    let numbers: Vec<_> = steps.iter().map(|step| step["progress"].as_u64()).collect();
    assert_eq!(numbers.last(), Some(&Some(500)));
    assert!(numbers.windows(2).all(|two| two[0] < two[1]), "{numbers:?}");
}

#[test]
fn nonsense_on_the_control_channel_is_harmless() {
    let folder = Folder::with(
        "odd",
        r#"printf 'no json\n{}\n[]\n{"method":"no such"}\n{"method":"progress"}\n{"method":"progress","params":{"progress":"x"}}\n\377\376\n' >&3
           echo '{"id":1,"method":"no/such"}' >&3; read -r answer <&3; echo "$answer""#,
    );
    let server = folder.serve();
    let id = server.begin_with_token("odd", &json!({}), &json!(1));
    let heard = until_answered(&server, &id);
    let answer = heard.last().expect("an answer").json();
    let said = answer["result"]["content"][0]["text"]
        .as_str()
        .expect("a text");
    let said: Value = serde_json::from_str(said).expect("an answer to the question");
    assert_eq!(said["id"], 1);
    assert!(said["error"]["code"].is_i64(), "{said}");
    for step in of(&heard, "notifications/progress") {
        assert!(step["progress"].is_number(), "{step}");
    }
}

#[test]
fn lines_on_the_control_channel_are_limited() {
    let folder = Folder::with(
        "endless",
        "head -c 50000000 /dev/zero | tr '\\0' x >&3; echo done",
    );
    let server = folder.serve();
    // The call may fail or not; it must end, with bounded memory.
    let _ = server.tool("endless", &json!({}));
    let peak = server.peak_memory().expect("this is Linux");
    assert!(peak < 60 << 20, "{peak}");
}

#[test]
fn logs_reach_the_client_unchanged() {
    let folder = Folder::with(
        "log",
        r#"echo '{"method":"log","params":{"level":"warning","logger":"pier","data":{"a":[1,"b"]}}}' >&3
           echo '{"method":"notifications/message","params":{"level":"info","data":"plain"}}' >&3; echo done"#,
    );
    let server = folder.serve();
    let id = server.begin("log", &json!({}));
    let logs = of(&until_answered(&server, &id), "notifications/message");
    assert_eq!(
        logs[0],
        json!({"level": "warning", "logger": "pier", "data": {"a": [1, "b"]}})
    );
    // A message without a logger may have the name of the tool as logger.
    assert_eq!(
        (&logs[1]["level"], &logs[1]["data"]),
        (&json!("info"), &json!("plain"))
    );
}

const EVERY_LEVEL: &str = r#"for level in debug info notice warning error critical alert emergency; do
    printf '{"method":"log","params":{"level":"%s","data":"x"}}\n' $level >&3; done; echo "$MCP_LOG_LEVEL""#;

#[test]
fn logs_below_the_level_are_left_out() {
    let folder = Folder::with("log", EVERY_LEVEL);
    let server = folder.serve();
    let levels = || {
        let id = server.begin("log", &json!({}));
        let heard = until_answered(&server, &id);
        let logs = of(&heard, "notifications/message");
        let level = |log: &Value| log["level"].as_str().map(str::to_owned);
        logs.iter().filter_map(level).collect::<Vec<_>>()
    };
    let from_info = [
        "info",
        "notice",
        "warning",
        "error",
        "critical",
        "alert",
        "emergency",
    ];
    assert_eq!(levels(), from_info, "the default is info");
    server.result("logging/setLevel", &json!({"level": "error"}));
    assert_eq!(levels(), ["error", "critical", "alert", "emergency"]);
    server.result("logging/setLevel", &json!({"level": "debug"}));
    assert_eq!(levels().len(), 8);
}

#[test]
fn an_unknown_log_level_is_refused() {
    let folder = Folder::with("log", EVERY_LEVEL);
    let server = folder.serve();
    for level in [json!("fatal"), json!("INFO"), json!(3), json!(null)] {
        let error = server.error("logging/setLevel", &json!({"level": level}));
        assert_eq!(error["code"], -32602, "{level}");
    }
}

#[test]
fn logs_are_throttled() {
    let folder = Folder::with(
        "log",
        r#"i=0; while [ $i -lt 1000 ]; do i=$((i+1)); printf '{"method":"log","params":{"level":"info","data":%s}}\n' $i >&3; done; echo done"#,
    );
    let server = folder.serve();
    let id = server.begin("log", &json!({}));
    let logs = of(&until_answered(&server, &id), "notifications/message");
    assert!(!logs.is_empty() && logs.len() <= 110, "{}", logs.len());
}

#[test]
fn the_metadata_sets_the_progress_limit() {
    let folder = Folder::new();
    let body = "for n in 1 2 3 4 5 6; do printf '{\"method\":\"progress\",\"params\":{\"progress\":%s}}\\n' $n >&3; done; echo done";
    folder.sh_with("few", "progressPerMinute: 2", body);
    let server = folder.serve();
    let id = server.begin_with_token("few", &json!({}), &json!("t"));
    server.answer(&id);
    let told = server.unread();
    let progress: Vec<_> = told
        .iter()
        .filter(|line| line.contains("notifications/progress"))
        .collect();
    // Two, and the last one.
    assert_eq!(progress.len(), 3, "{told:?}");
    assert!(progress[2].contains("\"progress\":6"), "{told:?}");
}

#[test]
fn problems_of_the_folder_are_sent_to_clients() {
    let folder = Folder::with("good", "echo good");
    folder.write("tools/bad.sh", "#!/bin/sh\necho bad\n");
    let server = folder.serve();
    server.notify("notifications/initialized", &json!({}));
    let told = server.heard("notifications/message").json();
    assert_eq!(told["params"]["level"], "error");
    assert_eq!(told["params"]["logger"], "linkspan");
    let data = told["params"]["data"].as_str().expect("a text").to_owned();
    assert!(data.contains("tools/bad.sh"), "{data}");
    // Later problems are sent as well.
    folder.write("tools/worse.meta.yaml", "title: [");
    let is_new = |message: &linkspan_testkit::Message| message.text.contains("worse.meta.yaml");
    server.find("a message about the new file", is_new);
}

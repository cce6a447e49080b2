//! Tests of a folder with real scripts, with a client in the place of the session.

mod hostile;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use linkspan_local::testing::Client;
use linkspan_wire::{Hop, Message, quote};
use serde_json::Value;

use super::{Folder, Options};

/// The environment of the test, without the program itself.
pub(super) fn options() -> Options {
    let exe = "/nonexistent/linkspan".into();
    Options::new(exe, std::env::vars_os().collect(), std::env::temp_dir())
}

struct Scene {
    folder: Arc<Folder>,
    client: Client,
    _dir: tempfile::TempDir,
    last: u64,
}

impl Scene {
    /// Files by path; those that begin with `#!` are executable.
    async fn new(files: &[(&str, &str)], capabilities: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        let folder = Folder::open(dir.path(), options()).unwrap();
        let mut client = Client::over(folder.port());
        client.greet(capabilities).await;
        Self {
            folder,
            client,
            _dir: dir,
            last: 0,
        }
    }

    async fn ask(&mut self, method: &str, params: &str) -> Value {
        self.last += 1;
        let answer = self.client.ask(self.last, method, params).await;
        serde_json::from_str(&answer).unwrap()
    }

    async fn call(&mut self, tool: &str, arguments: &str) -> Value {
        let params = format!(r#"{{"name":{},"arguments":{arguments}}}"#, quote(tool));
        let answer = self.ask("tools/call", &params).await;
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    async fn end(self) {
        self.client.close().await;
        self.folder.close().await;
        let left = fs::read_dir(self.folder.runner.folder()).unwrap().count();
        assert_eq!(left, 0, "files are left behind");
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn a_script_is_a_tool() {
    let mut scene = Scene::new(
        &[(
            "tools/hello.sh",
            "#!/bin/sh\n# Greets.\necho \"Hello, $MCP_ARG_name!\"\n",
        )],
        "{}",
    )
    .await;
    let list = scene.ask("tools/list", "{}").await;
    assert_eq!(list["result"]["tools"][0]["name"], "hello");
    assert_eq!(list["result"]["tools"][0]["description"], "Greets.");
    let result = scene.call("hello", r#"{"name":"Ada"}"#).await;
    assert_eq!(text(&result), "Hello, Ada!");
    assert_eq!(result["isError"], false);
    scene.end().await;
}

#[tokio::test]
async fn a_folder_that_became_untrusted_offers_nothing() {
    let mut scene = Scene::new(&[("tools/hello.sh", "#!/bin/sh\n")], "{}").await;
    let set = |mode| fs::set_permissions(scene._dir.path(), fs::Permissions::from_mode(mode));
    set(0o777).unwrap();
    scene.folder.refresh();
    assert_eq!(scene.folder.catalogue().tools.len(), 0);
    set(0o755).unwrap();
    scene.folder.refresh();
    assert_eq!(scene.folder.catalogue().tools.len(), 1);
    let told = scene.client.next().await;
    assert!(
        told.contains(r#""level":"error","logger":"linkspan""#),
        "{told}"
    );
    let changed = scene.client.next().await;
    assert!(changed.contains("tools/list_changed"), "{changed}");
    scene.end().await;
}

#[tokio::test]
async fn stdin_has_the_arguments_and_json_output_keeps_its_spelling() {
    let mut scene = Scene::new(&[("tools/cat.sh", "#!/bin/sh\ncat\n")], "{}").await;
    let params = r#"{"name":"cat","arguments":{"n":1.10,"big":18446744073709551616}}"#;
    let answer = scene.client.ask(9, "tools/call", params).await;
    assert!(
        answer.contains(r#""structuredContent":{"n":1.10,"big":18446744073709551616}"#),
        "{answer}"
    );
    let large = "x".repeat(300_000);
    let result = scene.call("cat", &format!(r#"{{"x":"{large}"}}"#)).await;
    assert_eq!(result["structuredContent"]["x"], large);
    scene.end().await;
}

#[tokio::test]
async fn failures_name_their_reason() {
    let mut scene = Scene::new(
        &[
            ("tools/fail.sh", "#!/bin/sh\necho partial\necho 'no luck' >&2\nexit 3\n"),
            ("tools/bytes.sh", "#!/bin/sh\nprintf 'ab\\377'\n"),
            ("tools/typed.sh", "#!/bin/sh\n# mcp: {\"arguments\": {\"n\": {\"type\": \"integer\", \"required\": true}}}\necho $MCP_ARG_n\n"),
        ],
        "{}",
    )
    .await;
    let result = scene.call("fail", "{}").await;
    assert_eq!(text(&result), "Tool failed: no luck");
    assert_eq!(result["isError"], true);
    assert_eq!(result["_meta"]["exitCode"], 3);
    assert_eq!(result["_meta"]["stderr"], "no luck\n");
    assert!(text(&scene.call("bytes", "{}").await).contains("invalid UTF-8 at byte 2"));
    assert!(text(&scene.call("typed", r#"{"n":"x"}"#).await).contains("/n"));
    assert_eq!(text(&scene.call("typed", r#"{"n":7}"#).await), "7");
    let answer = scene.ask("tools/call", r#"{"name":"none"}"#).await;
    assert_eq!(answer["error"]["code"], -32602);
    scene.end().await;
}

#[tokio::test]
async fn a_timeout_ends_the_tool_and_its_descendants() {
    let script = "#!/bin/sh\n# mcp: {\"timeoutSecs\": 0.3, \"graceSecs\": 0.2}\ntrap '' TERM\necho begun\nsleep 77.125 & sleep 77.125\nwait\nsleep 77.125\n";
    let mut scene = Scene::new(&[("tools/slow.sh", script)], "{}").await;
    let began = Instant::now();
    let result = scene.call("slow", "{}").await;
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(
        text(&result).starts_with("Tool timed out after 0.3 s"),
        "{result}"
    );
    assert_eq!(result["content"][1]["text"], "begun");
    scene.end().await;
    assert!(!running("77.125"));
}

/// Whether a process with this word in its command line runs.
fn running(word: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes.into_iter().any(|process| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line)
            .split('\0')
            .any(|w| w == word)
    })
}

#[tokio::test]
async fn leftover_descendants_are_ended() {
    let script = "#!/bin/sh\nsleep 78.125 &\nsetsid sleep 78.125 >/dev/null 2>&1 &\nsetsid sh -c 'sleep 78.125; true' &\nsleep 0.2\necho done\n";
    let mut scene = Scene::new(&[("tools/fork.sh", script)], "{}").await;
    let began = Instant::now();
    assert_eq!(text(&scene.call("fork", "{}").await), "done");
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(!running("78.125"));
    scene.end().await;
}

#[tokio::test]
async fn a_cancelled_call_has_no_answer_and_its_script_ends() {
    let script = "#!/bin/sh\necho '{\"method\":\"progress\",\"params\":{\"progress\":1}}' >&3\nsleep 79.125\n";
    let mut scene = Scene::new(&[("tools/wait.sh", script)], "{}").await;
    let params = r#"{"name":"wait","_meta":{"progressToken":"t"}}"#;
    scene.client.request(50, "tools/call", params).await;
    let progress = scene.client.next().await;
    assert!(
        progress.contains(r#""progressToken":"t","progress":1"#),
        "{progress}"
    );
    scene.client.cancel(50).await;
    let next = scene.client.ask(51, "ping", "{}").await;
    assert!(next.contains(r#""id":51"#), "{next}");
    scene.end().await;
    assert!(!running("79.125"));
}

#[tokio::test]
async fn a_script_asks_the_client() {
    let script = "#!/bin/bash\necho '{\"id\":1,\"method\":\"elicit\",\"params\":{\"message\":\"Who?\"}}' >&3\nread -r line <&3\nprintf '%s' \"$line\"\n";
    let mut scene = Scene::new(&[("tools/ask.sh", script)], r#"{"elicitation":{}}"#).await;
    scene
        .client
        .request(60, "tools/call", r#"{"name":"ask"}"#)
        .await;
    let question = scene.client.envelope().await;
    assert_eq!(question.msg.method(), "elicitation/create");
    assert_eq!(question.relates_to, Some(Hop(60)));
    let id = question.msg.id().unwrap();
    scene
        .client
        .send(Message::result(
            &id,
            r#"{"action":"accept","content":{"x":1}}"#,
        ))
        .await;
    let answer = scene.client.next().await;
    assert!(
        answer.contains(
            r#""structuredContent":{"id":1,"result":{"action":"accept","content":{"x":1}}}"#
        ),
        "{answer}"
    );
    scene.end().await;
}

#[tokio::test]
async fn large_output_is_stored_and_readable() {
    let script = "#!/bin/sh\n# mcp: {\"maxOutputBytes\": 10000}\nyes | head -c 30000\n";
    let mut scene = Scene::new(&[("tools/flood.sh", script)], "{}").await;
    let result = scene.call("flood", "{}").await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("30000 bytes"), "{result}");
    let uri = result["content"][1]["uri"].as_str().unwrap();
    let read = scene
        .ask("resources/read", &format!(r#"{{"uri":"{uri}"}}"#))
        .await;
    assert_eq!(
        read["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .len(),
        30000
    );
    scene.client.close().await;
    scene.folder.close().await;
}

const WORKER: &str = r#"#!/usr/bin/env python3
# mcp: {"mode": "worker", "graceSecs": 0.3}
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") != "call":
        continue
    given = asked["params"]["arguments"]
    if given.get("die"):
        print("last words", file=sys.stderr)
        sys.exit(3)
    if given.get("hang"):
        print(json.dumps({"method": "progress", "params": {"progress": 0}}), flush=True)
        time.sleep(60)
    if given.get("fail"):
        answer = {"id": asked["id"], "error": {"message": "no luck"}}
    else:
        print(json.dumps({"method": "progress", "params": {"progress": 1}}), flush=True)
        answer = {"id": asked["id"], "result": {"pid": os.getpid(), "given": given}}
    print(json.dumps(answer), flush=True)
"#;

#[tokio::test]
async fn a_worker_handles_several_calls() {
    let mut scene = Scene::new(&[("tools/w.py", WORKER)], "{}").await;
    let first = scene.call("w", r#"{"a":1}"#).await;
    assert_eq!(first["structuredContent"]["given"]["a"], 1);
    let pid = first["structuredContent"]["pid"].clone();
    for n in 0..50 {
        let next = scene.call("w", &format!(r#"{{"a":{n}}}"#)).await;
        assert_eq!(next["structuredContent"]["pid"], pid);
    }
    assert_eq!(
        text(&scene.call("w", r#"{"fail":true}"#).await),
        "Tool failed: no luck"
    );
    let died = scene.call("w", r#"{"die":true}"#).await;
    assert_eq!(died["isError"], true);
    assert!(text(&died).contains("last words"), "{died}");
    let hang = r#"{"name":"w","arguments":{"hang":true},"_meta":{"linkspan/timeoutSecs":0.5}}"#;
    let late = scene.ask("tools/call", hang).await["result"].clone();
    assert!(text(&late).starts_with("Tool timed out"), "{late}");
    let again = scene.call("w", r#"{"a":2}"#).await;
    assert_ne!(again["structuredContent"]["pid"], pid);
    scene.end().await;
}

#[tokio::test]
async fn a_cancelled_call_ends_only_its_own_worker() {
    let mut scene = Scene::new(&[("tools/w.py", WORKER)], "{}").await;
    scene.call("w", "{}").await;
    scene
        .client
        .request(
            70,
            "tools/call",
            r#"{"name":"w","arguments":{"hang":true},"_meta":{"progressToken":1}}"#,
        )
        .await;
    let begun = scene.client.next().await;
    assert!(begun.contains("notifications/progress"), "{begun}");
    scene.client.cancel(70).await;
    let next = scene.call("w", r#"{"a":3}"#).await;
    assert_eq!(next["structuredContent"]["given"]["a"], 3);
    scene.end().await;
}

const SERVER: &str = r#"#!/usr/bin/env python3
# mcp: {"mode": "mcp"}
import json, sys
def say(m): print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        say({"id": m["id"], "result": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}})
    elif m.get("method") == "tools/list":
        say({"id": m["id"], "result": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}})
    elif m.get("method") == "tools/call":
        call = m["id"]
        token = m["params"].get("_meta", {}).get("progressToken")
        if token is not None:
            say({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1}})
        say({"id": "q", "method": "elicitation/create", "params": {"message": "?", "requestedSchema": {}}})
        answer = json.loads(sys.stdin.readline())
        say({"id": call, "result": {"content": [{"type": "text", "text": json.dumps([m["params"]["arguments"], answer["result"]])}]}})
"#;

#[tokio::test]
async fn a_mounted_server_has_tools_and_questions() {
    let mut scene = Scene::new(
        &[("tools/other.py", SERVER), ("tools/own.sh", "#!/bin/sh\n")],
        r#"{"elicitation":{}}"#,
    )
    .await;
    let list = scene.ask("tools/list", "{}").await;
    let names: Vec<&str> = list["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["other_echo", "own"]);
    let params = r#"{"name":"other_echo","arguments":{"a":1},"_meta":{"progressToken":5}}"#;
    scene.client.request(80, "tools/call", params).await;
    assert!(scene.client.next().await.contains(r#""progressToken": 5"#));
    let question = scene.client.envelope().await;
    assert_eq!(question.msg.method(), "elicitation/create");
    let id = question.msg.id().unwrap();
    scene
        .client
        .send(Message::result(&id, r#"{"action":"decline"}"#))
        .await;
    let answer = scene.client.next().await;
    assert!(answer.contains("decline"), "{answer}");
    let unknown = scene.ask("tools/call", r#"{"name":"other_none"}"#).await;
    assert_eq!(unknown["error"]["code"], -32602);
    scene.end().await;
}

#[tokio::test]
async fn many_changed_files_do_not_change_every_list() {
    let names: Vec<String> = (0..100).map(|n| format!("resources/{n}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "one")).collect();
    let mut scene = Scene::new(&files, "{}").await;
    for name in &names {
        fs::write(scene._dir.path().join(name), "another").unwrap();
    }
    scene.folder.refresh();
    // Notifications of changes arrive between the answers.
    for _ in 0..8 {
        let answer = scene.ask("tools/list", "{}").await;
        assert!(answer["result"]["tools"].is_array(), "{answer}");
    }
    scene.end().await;
}

#[tokio::test]
async fn file_uris_match_in_any_escaping() {
    let mut scene = Scene::new(&[("resources/a (b) ü.txt", "text")], "{}").await;
    let list = scene.ask("resources/list", "{}").await;
    let ours = list["result"]["resources"][0]["uri"].as_str().unwrap();
    assert!(ours.contains("a%20%28b%29%20%C3%BC.txt"), "{ours}");
    let folder = ours.rsplit_once('/').unwrap().0;
    for name in [
        "a%20%28b%29%20%C3%BC.txt",
        "a%20(b)%20%c3%bc.txt",
        "a (b) ü.txt",
    ] {
        let uri = format!("{folder}/{name}");
        let params = format!(r#"{{"uri":{}}}"#, quote(&uri));
        let answer = scene.ask("resources/read", &params).await;
        let contents = &answer["result"]["contents"][0];
        assert_eq!(contents["text"], "text", "{answer}");
        assert_eq!(contents["uri"], uri.as_str());
        let answer = scene.ask("resources/subscribe", &params).await;
        assert!(answer.get("result").is_some(), "{answer}");
    }
    scene.end().await;
}

#[test]
fn problems_are_logged_on_one_line() {
    let problem = crate::folder::Problem {
        severity: crate::folder::Severity::Warning,
        path: "tools/new\nline\u{1b}[31m.sh".into(),
        line: Some(1),
        text: "is odd".to_owned(),
        hint: Some("mend it".to_owned()),
        fix: None,
    };
    let told = super::diagnostics::told(&problem);
    assert!(!told.contains(char::is_control), "{told:?}");
    assert!(told.ends_with(":1: is odd (mend it)"), "{told}");
}

#[tokio::test]
async fn a_missing_argument_gets_its_default() {
    let meta = "arguments: { city: { type: string }, days: { type: integer, default: 3 } }\n";
    let mut scene = Scene::new(
        &[
            (
                "tools/show.sh",
                "#!/bin/sh\n# Shows.\nprintf '%s %s' \"$MCP_ARG_days\" \"$(cat)\"\n",
            ),
            ("tools/show.meta.yaml", meta),
            (
                "tools/words.tool.yaml",
                "description: Words.\nexec: [echo, 'n={{n}}']\narguments: { n: { type: integer, default: 1 } }\n",
            ),
        ],
        "{}",
    )
    .await;
    let shown = scene.call("show", "{}").await;
    assert_eq!(text(&shown), r#"3 {"days":3}"#);
    let shown = scene.call("show", r#"{ "city": "Bern" }"#).await;
    assert_eq!(text(&shown), r#"3 { "city": "Bern" ,"days":3}"#);
    let shown = scene.call("show", r#"{"days":7}"#).await;
    assert_eq!(text(&shown), r#"7 {"days":7}"#);
    assert_eq!(text(&scene.call("words", "{}").await), "n=1");
    assert_eq!(text(&scene.call("words", r#"{"n":5}"#).await), "n=5");
    scene.end().await;
}

#[tokio::test]
async fn many_subscriptions_do_not_block_calls() {
    let mut scene = Scene::new(
        &[
            ("tools/hi.sh", "#!/bin/sh\n# Hi.\necho hi\n"),
            (
                "resources/slow.sh",
                "#!/bin/sh\n#: uriTemplate: 's://{n}'\nsleep 1\n",
            ),
        ],
        "{}",
    )
    .await;
    for n in 0..400 {
        let answer = scene
            .ask("resources/subscribe", &format!(r#"{{"uri":"s://{n}"}}"#))
            .await;
        assert!(answer.get("result").is_some(), "{answer}");
    }
    let begun = Instant::now();
    assert_eq!(text(&scene.call("hi", "{}").await), "hi");
    // With sixteen polls at a time the call would wait 25 seconds.
    assert!(begun.elapsed() < Duration::from_secs(8), "{begun:?}");
    scene.end().await;
}

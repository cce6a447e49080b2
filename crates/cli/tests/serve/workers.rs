//! `mode: worker`: processes that stay.

use linkspan_testkit::wait_until;
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::served::text;

/// A worker that follows the argument `do`.
const WORKER: &str = r#"#!/usr/bin/env python3
import json, os, sys, time
def say(message): print(json.dumps(message), flush=True)
for line in sys.stdin:
    call = json.loads(line)
    number = call.get("id")
    if call["method"] == "ping":
        say({"id": number, "result": {}})
        continue
    if call["method"] != "call":
        sys.stderr.write(line)
        with open("told.txt", "a") as file: file.write(line)
        continue
    args = call["params"]["arguments"]
    todo = args.get("do", "echo")
    if todo == "echo": say({"id": number, "result": args.get("text", "")})
    elif todo == "pid": say({"id": number, "result": str(os.getpid())})
    elif todo == "structured": say({"id": number, "result": {"n": 7}})
    elif todo == "whole": say({"id": number, "result": {"content": [{"type": "text", "text": "whole"}], "isError": False}})
    elif todo == "fail": say({"id": number, "error": {"message": "the crane is stuck"}})
    elif todo == "crash": sys.stderr.write("worker falls\n"); sys.exit(7)
    elif todo == "noise": print("this is no JSON", flush=True); say({"id": number, "result": "after noise"})
    elif todo == "hang": open("hanging.txt", "w").write("yes\n"); time.sleep(600)
    elif todo == "progress":
        say({"method": "progress", "call": number, "params": {"progress": 1, "total": 2}})
        say({"method": "log", "params": {"level": "info", "data": "from the worker"}})
        say({"id": number, "result": "progressed"})
    elif todo == "ask":
        say({"id": "q", "call": number, "method": "elicit", "params": {"message": "?", "schema": {"type": "object", "properties": {}}}})
        answer = json.loads(sys.stdin.readline())
        say({"id": number, "result": "answered " + answer["result"]["action"]})
    elif todo == "meet":
        open(f"here.{os.getpid()}", "w").close()
        while sum(name.startswith("here.") for name in os.listdir(".")) < 3: time.sleep(0.02)
        say({"id": number, "result": str(os.getpid())})
"#;

fn folder(meta: &str) -> Folder {
    let folder = Folder::new();
    folder.script("tools/w.py", WORKER);
    folder.write("tools/w.meta.yaml", format!("mode: worker\n{meta}"));
    folder
}

fn todo(what: &str) -> Value {
    json!({"do": what})
}

#[test]
fn one_worker_handles_calls_in_sequence() {
    let folder = folder("");
    let server = folder.serve();
    let first = server.text("w", &todo("pid"));
    for _ in 0..10 {
        assert_eq!(server.text("w", &todo("pid")), first);
    }
    assert_eq!(
        server.text("w", &json!({"text": "ahoy ⛴ \"x\"\n"})),
        "ahoy ⛴ \"x\"\n"
    );
}

#[test]
fn a_worker_starts_with_the_first_call() {
    let folder = folder("");
    let server = folder.serve();
    server.tools();
    assert!(folder.processes().is_empty());
    server.text("w", &todo("pid"));
    assert!(!folder.processes().is_empty());
}

#[test]
fn worker_results_equal_those_of_one_shot_tools() {
    let folder = folder("");
    let server = folder.serve();
    assert_eq!(
        server.tool("w", &todo("structured"))["structuredContent"],
        json!({"n": 7})
    );
    assert_eq!(server.text("w", &todo("whole")), "whole");
    let failure = server.failure("w", &todo("fail"));
    assert!(text(&failure).contains("the crane is stuck"), "{failure}");
    // The worker still runs.
    assert_eq!(server.text("w", &json!({"text": "on"})), "on");
}

#[test]
fn a_crashed_worker_fails_its_call_and_is_replaced() {
    let folder = folder("");
    let server = folder.serve();
    let first = server.text("w", &todo("pid"));
    let failure = server.failure("w", &todo("crash"));
    assert!(text(&failure).contains("worker falls"), "{failure}");
    assert_ne!(server.text("w", &todo("pid")), first);
}

#[test]
fn invalid_lines_of_a_worker_do_not_reach_the_client() {
    let folder = folder("");
    let server = folder.serve();
    let result = server.tool("w", &todo("noise"));
    assert!(
        !result.to_string().contains("this is no JSON") || result["isError"] == true,
        "{result}"
    );
    // The server may keep or replace the process; further calls work.
    assert_eq!(server.text("w", &json!({"text": "on"})), "on");
}

#[test]
fn a_cancelled_call_does_not_delay_the_next() {
    let folder = folder("graceSecs: 200ms");
    let server = folder.serve();
    let id = server.begin("w", &todo("hang"));
    folder.wait_for("hanging.txt");
    server.cancel(&id);
    assert_eq!(server.text("w", &json!({"text": "on"})), "on");
    server.ping();
    assert_eq!(server.unread(), Vec::<String>::new());
}

#[test]
fn a_call_times_out() {
    let folder = folder("timeoutSecs: 8\ngraceSecs: 200ms");
    let server = folder.serve();
    server.failure("w", &todo("hang"));
    assert_eq!(server.text("w", &json!({"text": "on"})), "on");
}

#[test]
fn progress_logs_and_questions_find_their_call() {
    let folder = folder("");
    let server = folder.serve();
    let id = server.begin_with_token("w", &todo("progress"), &json!("t"));
    let step = server.heard("notifications/progress").json();
    assert_eq!(step["params"]["progressToken"], "t");
    server.heard("notifications/message");
    server.answer(&id);
    let id = server.begin("w", &todo("ask"));
    let question = server.heard("elicitation/create");
    server.respond(&question, &json!({"action": "decline"}));
    assert_eq!(
        text(&server.answer(&id).json()["result"]),
        "answered decline"
    );
}

#[test]
fn several_processes_work_at_once() {
    let folder = folder("workers: {count: 3}");
    let server = folder.serve();
    // No call is answered before three processes have one.
    let ids: Vec<_> = (0..9).map(|_| server.begin("w", &todo("meet"))).collect();
    let mut pids: Vec<_> = ids
        .iter()
        .map(|id| text(&server.answer(id).json()["result"]))
        .collect();
    pids.sort();
    pids.dedup();
    assert_eq!(pids.len(), 3, "{pids:?}");
}

#[test]
fn a_worker_is_replaced_after_max_calls() {
    let folder = folder("workers: {maxCalls: 2}");
    let server = folder.serve();
    let pids: Vec<_> = (0..6).map(|_| server.text("w", &todo("pid"))).collect();
    assert_eq!(pids[0], pids[1]);
    assert_ne!(pids[1], pids[2]);
    assert_eq!(pids[2], pids[3]);
}

#[test]
fn an_idle_worker_ends() {
    let folder = folder("workers: {idleSecs: 300ms}");
    let server = folder.serve();
    let first = server.text("w", &todo("pid"));
    folder.wait_until_quiet();
    assert_ne!(server.text("w", &todo("pid")), first);
}

#[test]
fn an_edited_worker_is_started_anew() {
    let folder = folder("");
    let server = folder.serve();
    assert_eq!(server.text("w", &json!({"text": "one"})), "one");
    folder.script(
        "tools/w.py",
        WORKER.replace("args.get(\"text\", \"\")", "\"two\""),
    );
    wait_until("the new worker", || {
        (server.text("w", &json!({"text": "one"})) == "two").then_some(())
    });
}

#[test]
fn worker_arguments_are_validated_first() {
    let folder = folder("arguments: {do: {type: string}}");
    let server = folder.serve();
    let failure = server.failure("w", &json!({"do": 7}));
    assert!(text(&failure).contains("do"), "{failure}");
}

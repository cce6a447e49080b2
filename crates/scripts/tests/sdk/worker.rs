//! The Python and Node SDKs as workers.

use crate::channel::environment;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Worker {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

const PYTHON: &str = r#"
import os, sys
sys.path.insert(0, os.environ["MCP_SDK"])
import mcptool, time
def greet(args):
    print("noise")
    mcptool.progress(1, message="going")
    return "Hello, " + args["name"]
def ask(args):
    return {"said": mcptool.ask_text("who?")}
def wait(args):
    while not mcptool.cancelled():
        time.sleep(0.01)
    mcptool.fail("stopped", {"a": 1})
def broken(args):
    return args["missing"]
mcptool.serve({"greet": greet, "ask": ask, "wait": wait, "broken": broken})
"#;

const NODE: &str = r#"
const mcp = await import(process.env.MCP_SDK + "/mcptool.mjs");
await mcp.serve({
  greet(args) { console.log("noise"); mcp.progress(1, undefined, "going"); return `Hello, ${args.name}`; },
  async ask() { return { said: await mcp.askText("who?") }; },
  async wait() {
    while (!mcp.cancelled()) await new Promise((r) => setTimeout(r, 10));
    mcp.fail("stopped", { a: 1 });
  },
  broken: (args) => args.missing.x,
});
"#;

fn workers() -> [Worker; 2] {
    [
        Worker::start(&["python3", "-B", "-c", PYTHON]),
        Worker::start(&["node", "--input-type=module", "-e", NODE]),
    ]
}

impl Worker {
    fn start(program: &[&str]) -> Self {
        let mut command = Command::new(program[0]);
        command.args(&program[1..]);
        environment(&mut command, "{}");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("started");
        let stdin = child.stdin.take().expect("piped");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        Self {
            child,
            stdin,
            stdout,
        }
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.stdin, "{message}").expect("written");
    }

    fn call(&mut self, id: u32, tool: &str, arguments: Value) {
        self.say(
            &json!({"id": id, "method": "call", "params": {"tool": tool, "arguments": arguments}}),
        );
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"))
    }

    fn end(mut self) {
        drop(self.stdin);
        assert!(self.child.wait().expect("ended").success());
    }
}

#[test]
fn calls_are_answered_and_noise_stays_out() {
    for mut worker in workers() {
        worker.call(7, "greet", json!({"name": "Ann"}));
        assert_eq!(
            worker.hear(),
            json!({"method": "progress", "params": {"progress": 1, "message": "going"}, "call": 7})
        );
        assert_eq!(worker.hear(), json!({"id": 7, "result": "Hello, Ann"}));
        worker.say(&json!({"id": 8, "method": "ping"}));
        assert_eq!(worker.hear()["id"], 8);
        worker.call(9, "broken", json!({}));
        let answer = worker.hear();
        assert_eq!(answer["id"], 9);
        assert!(
            answer["error"]["message"]
                .as_str()
                .is_some_and(|m| m.contains("missing") || m.contains("undefined")),
            "{answer}"
        );
        worker.call(10, "missing", json!({}));
        assert_eq!(
            worker.hear()["error"]["message"],
            "this worker has no tool missing"
        );
        worker.end();
    }
}

#[test]
fn calls_run_side_by_side_and_questions_find_their_call() {
    for mut worker in workers() {
        worker.call(1, "ask", json!({}));
        let question = worker.hear();
        assert_eq!(
            (&question["method"], &question["call"]),
            (&json!("elicit"), &json!(1))
        );
        worker.call(2, "greet", json!({"name": "Bob"}));
        worker.hear();
        assert_eq!(worker.hear()["result"], "Hello, Bob");
        worker.say(&json!({"id": question["id"], "result": {"action": "accept", "content": {"value": "me"}}}));
        assert_eq!(worker.hear(), json!({"id": 1, "result": {"said": "me"}}));
        worker.end();
    }
}

#[test]
fn a_cancelled_call_notices() {
    for mut worker in workers() {
        worker.call(1, "wait", json!({}));
        worker.say(&json!({"method": "cancel", "params": {"call": 1}}));
        assert_eq!(
            worker.hear(),
            json!({"id": 1, "error": {"message": "stopped", "data": {"a": 1}}})
        );
        worker.end();
    }
}

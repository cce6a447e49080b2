//! Programs that violate the rules, and their lack of effect on other calls.

use std::time::{Duration, Instant};

use linkspan_local::testing::Client;
use linkspan_testkit::{LIMIT, wait_for};

use super::{Scene, running, text};

/// A mounted server; its behaviour on calls is appended.
const SERVER: &str = r#"
import json, os, sys, time
def say(m): print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
def greet(m):
    if m.get("method") == "initialize":
        say({"id": m["id"], "result": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}})
    elif m.get("method") == "tools/list":
        say({"id": m["id"], "result": {"tools": [{"name": "go", "inputSchema": {"type": "object"}}]}})
    else:
        return m.get("method") == "tools/call"
"#;

fn server(on_call: &str) -> String {
    format!(
        "#!/usr/bin/env python3\n# mcp: {{\"mode\": \"mcp\", \"timeoutSecs\": 3, \"graceSecs\": 0.2}}\n\
         {SERVER}\nfor line in sys.stdin:\n    m = json.loads(line)\n    if greet(m):\n{on_call}\n"
    )
}

/// Waits until a condition holds, while the folder works.
async fn until(what: &str, holds: impl Fn() -> bool) {
    let held = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let held = tokio::time::timeout(LIMIT, held).await;
    assert!(held.is_ok(), "never saw {what}");
}

/// Calls the tool; returns the answer and its duration.
async fn timed(scene: &mut Scene, tool: &str) -> (String, Duration) {
    let began = Instant::now();
    let params = format!(r#"{{"name":"{tool}"}}"#);
    let answer = scene.ask("tools/call", &params).await;
    (answer.to_string(), began.elapsed())
}

#[tokio::test]
async fn a_tool_that_joins_another_group_is_ended_at_its_timeout() {
    let script = "#!/usr/bin/env python3\n# mcp: {\"timeoutSecs\": 0.5, \"graceSecs\": 0.2}\n\
                  import os, time\nos.setpgid(0, os.getpgid(os.getppid()))\ntime.sleep(81)\n";
    let mut scene = Scene::new(&[("tools/mole.py", script)], "{}").await;
    let (answer, took) = timed(&mut scene, "mole").await;
    assert!(answer.contains("timed out"), "{answer}");
    assert!(took < Duration::from_secs(5));
    scene.end().await;
}

#[test]
fn programs_end_with_the_runtime() {
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build().unwrap()
    };
    // The blocked signal stays pending until it is waited for: the handler of a shell could miss it between
    // fork and exec.
    let script = "#!/usr/bin/env python3\n# mcp: {\"graceSecs\": 60}\n\
                  import os, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])\n\
                  os.write(3, b'{\"method\":\"progress\",\"params\":{\"progress\":1}}\\n')\n\
                  signal.sigwait([signal.SIGTERM])\nopen('asked_to_end', 'w')\n\
                  os.execvp('sleep', ['sleep', '82.125'])\n";
    let first = runtime();
    let scene = first.block_on(async {
        let mut scene = Scene::new(&[("tools/deaf.py", script)], "{}").await;
        let params = r#"{"name":"deaf","_meta":{"progressToken":1}}"#;
        scene.client.request(1, "tools/call", params).await;
        assert!(scene.client.next().await.contains("progress"));
        scene.client.cancel(1).await;
        let asked = scene._dir.path().join("asked_to_end");
        until("a program that was asked to end", || asked.exists()).await;
        scene
    });
    first.shutdown_background();
    wait_for("the end of the program", || !running("82.125"));
    drop(scene);
}

#[tokio::test]
async fn notifications_do_not_extend_the_timeout_of_a_server() {
    let chatter = "        while True:\n            time.sleep(0.05)\n            print('x', file=sys.stderr, flush=True)";
    let mut scene = Scene::new(&[("tools/m.py", &server(chatter))], "{}").await;
    let (answer, took) = timed(&mut scene, "m_go").await;
    assert!(answer.contains("took too long"), "{answer}");
    assert!(took < Duration::from_secs(5));
    scene.end().await;
}

#[tokio::test]
async fn a_dead_server_is_noticed_despite_open_pipes() {
    let dies = "        if os.fork() == 0:\n            time.sleep(83)\n        os._exit(3)";
    let mut scene = Scene::new(&[("tools/m.py", &server(dies))], "{}").await;
    for _ in 0..2 {
        let (answer, took) = timed(&mut scene, "m_go").await;
        assert!(answer.contains("has gone"), "{answer}");
        assert!(
            took < Duration::from_secs(3),
            "{took:?}: not by its time-out"
        );
    }
    scene.end().await;
}

#[tokio::test]
async fn questions_of_a_mounted_server_are_limited() {
    let asks = "        for n in range(500):\n            say({'id': n, 'method': 'roots/list'})\n\
                \x20       told = [json.loads(sys.stdin.readline()) for _ in range(500 - 64)]\n\
                \x20       say({'id': m['id'], 'result': {'content': [], 'refused': sum('error' in t for t in told)}})";
    let mut scene = Scene::new(&[("tools/m.py", &server(asks))], r#"{"roots":{}}"#).await;
    scene
        .client
        .request(9, "tools/call", r#"{"name":"m_go"}"#)
        .await;
    let mut questions = 0;
    let answer = loop {
        let next = scene.client.next().await;
        match () {
            () if next.contains("roots/list") => questions += 1,
            // The answer ends the call, which cancels its questions.
            () if next.contains("notifications/cancelled") => {}
            () => break next,
        }
    };
    assert!(answer.contains(r#""refused": 436"#), "{answer}");
    assert_eq!(questions, 64);
    scene.client.close().await;
    scene.folder.close().await;
}

#[tokio::test]
async fn the_time_of_a_question_is_refunded_once() {
    let asks = "        say({'id': 'q', 'method': 'roots/list'})\n        sys.stdin.readline()\n        time.sleep(84)";
    let mut scene = Scene::new(&[("tools/m.py", &server(asks))], r#"{"roots":{}}"#).await;
    scene
        .client
        .request(9, "tools/call", r#"{"name":"m_go"}"#)
        .await;
    answer_roots(&mut scene.client).await;
    let began = Instant::now();
    assert!(scene.client.next().await.contains("took too long"));
    assert!(began.elapsed() < Duration::from_secs(5));
    scene.end().await;
}

async fn answer_roots(client: &mut Client) {
    let question = client.envelope().await.msg;
    assert_eq!(question.method(), "roots/list");
    let answer = linkspan_wire::Message::result(&question.id().unwrap(), r#"{"roots":[]}"#);
    client.send(answer).await;
}

/// The next answer, skipping diagnostics about servers that do not start.
async fn answer(scene: &mut Scene) -> String {
    loop {
        let said = scene.client.next().await;
        if !said.contains("notifications/message") {
            return said;
        }
    }
}

#[tokio::test]
async fn a_server_that_never_starts_does_not_delay_other_calls() {
    let silent = "#!/bin/sh\n# mcp: {\"mode\": \"mcp\", \"timeoutSecs\": 5, \"graceSecs\": 0.2}\nexec sleep 85\n";
    let answers = "        say({'id': m['id'], 'result': {'content': []}})";
    let files = [
        ("tools/a.sh", silent),
        ("tools/b.sh", silent),
        ("tools/m.py", &*server(answers)),
    ];
    let mut scene = Scene::new(&files, "{}").await;
    scene.client.request(1, "tools/list", "{}").await;
    scene
        .client
        .request(2, "tools/call", r#"{"name":"m_go"}"#)
        .await;
    let first = answer(&mut scene).await;
    assert!(first.contains(r#""id":2"#), "{first}");
    let list = answer(&mut scene).await;
    assert!(list.contains("m_go"), "{list}");
    // The server is known to be silent by now.
    let began = Instant::now();
    scene.client.request(3, "tools/list", "{}").await;
    let list = answer(&mut scene).await;
    assert!(list.contains("m_go"), "{list}");
    let took = began.elapsed();
    assert!(
        took < Duration::from_secs(5),
        "{took:?}: not by their time-out"
    );
    scene.end().await;
}

#[tokio::test]
async fn a_dead_worker_is_noticed_despite_open_pipes() {
    let script = "#!/usr/bin/env python3\n# mcp: {\"mode\": \"worker\", \"timeoutSecs\": 10, \"graceSecs\": 0.2}\n\
                  import os, sys, time\nfor line in sys.stdin:\n    if os.fork() == 0:\n        time.sleep(86)\n    os._exit(3)\n";
    let mut scene = Scene::new(&[("tools/w.py", script)], "{}").await;
    let (answer, took) = timed(&mut scene, "w").await;
    assert!(answer.contains("exit code 3"), "{answer}");
    assert!(took < Duration::from_secs(3), "{took:?}");
    scene.end().await;
}

#[tokio::test]
async fn cancelling_a_call_cancels_its_questions() {
    let script = "#!/usr/bin/env python3\n# mcp: {\"mode\": \"worker\"}\nimport json, sys\n\
                  for line in sys.stdin:\n    m = json.loads(line)\n    if m.get('method') == 'call':\n        call = m['id']\n        \
                  print(json.dumps({'id': 'q', 'call': call, 'method': 'roots'}), flush=True)\n    \
                  elif m.get('method') == 'cancel':\n        print(json.dumps({'id': call, 'result': 'ended'}), flush=True)\n";
    let mut scene = Scene::new(&[("tools/w.py", script)], r#"{"roots":{}}"#).await;
    for id in 10..13 {
        scene
            .client
            .request(id, "tools/call", r#"{"name":"w"}"#)
            .await;
        let question = scene.client.envelope().await.msg;
        assert_eq!(question.method(), "roots/list");
        scene.client.cancel(id).await;
        let next = scene.client.next().await;
        assert!(next.contains("notifications/cancelled"), "{next}");
    }
    scene.end().await;
}

#[tokio::test]
async fn a_worker_that_ignores_answers_is_ended() {
    let script = "#!/usr/bin/env python3\n# mcp: {\"mode\": \"worker\", \"timeoutSecs\": 10, \"graceSecs\": 0.2}\n\
                  import os\nwhile True:\n    os.write(1, b'{\"id\":1,\"method\":\"roots\"}\\n' * 100)\n";
    let mut scene = Scene::new(&[("tools/w.py", script)], "{}").await;
    let (answer, took) = timed(&mut scene, "w").await;
    assert!(answer.contains("without reading the answers"), "{answer}");
    assert!(took < Duration::from_secs(5), "{took:?}");
    scene.end().await;
}

#[tokio::test]
async fn a_thousand_questions_at_once_are_all_answered() {
    let script = "#!/usr/bin/env python3\n# mcp: {\"timeoutSecs\": 5}\nimport json, socket\ns = socket.socket(fileno=3)\n\
                  for n in range(1000): s.sendall(b'{\"id\":%d,\"method\":\"roots\"}\\n' % n)\n\
                  print(len({json.loads(line)['id'] for _, line in zip(range(1000), s.makefile())}))\n";
    let mut scene = Scene::new(&[("tools/ask.py", script)], "{}").await;
    assert_eq!(text(&scene.call("ask", "{}").await), "1000");
    scene.end().await;
}

#[tokio::test]
async fn a_failed_start_leaves_nothing_behind() {
    let files = [
        // A word of a command line is limited to 128 KiB.
        ("tools/big.tool.yaml", "exec: [\"true\", \"{{x}}\"]\n"),
        // These options have no trampoline.
        ("tools/none.sh", "#!/bin/sh\n# mcp: {\"sandbox\": 2}\n"),
    ];
    let mut scene = Scene::new(&files, "{}").await;
    let large = "x".repeat(200_000);
    for name in ["big", "none"] {
        let params = format!(r#"{{"name":"{name}","arguments":{{"x":"{large}"}}}}"#);
        let answer = scene.ask("tools/call", &params).await;
        assert!(answer.to_string().contains("did not start"), "{answer}");
    }
    scene.end().await;
}

#[tokio::test]
async fn a_client_that_does_not_read_does_not_delay_other_clients() {
    let mut scene = Scene::new(&[("tools/ok.sh", "#!/bin/sh\necho x >> ran\n")], "{}").await;
    let mut deaf = Client::over(scene.folder.port());
    deaf.greet("{}").await;
    for id in 0..200 {
        deaf.request(id, "tools/call", r#"{"name":"ok"}"#).await;
    }
    let ran = scene._dir.path().join("ran");
    // More answers than the queue of a client holds.
    let is_full = || std::fs::read_to_string(&ran).is_ok_and(|ran| ran.lines().count() > 64);
    until("a queue that is full", is_full).await;
    assert_eq!(text(&scene.call("ok", "{}").await), "");
    deaf.close().await;
    scene.end().await;
}

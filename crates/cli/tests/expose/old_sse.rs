//! `--sse`: HTTP+SSE as clients of 2024-11-05 know it.

use linkspan_testkit::mcp_client::{everything, initialize, request};
use linkspan_testkit::{Ask, Bridge, Call, Client, Exposed, Message};
use serde_json::{Value, json};

use crate::setup::{LATEST, assert_error, assert_works, content, expose, legacy, modern, program};

/// A client with its stream and the endpoint that it got.
struct Old {
    client: Client,
    stream: Call,
    endpoint: String,
}

impl Old {
    fn connect(exposed: &Exposed) -> Self {
        let mut client = exposed.client();
        client.path = "/sse".into();
        let mut stream = client.send(&client.ask("GET"));
        assert_eq!(stream.status(), 200);
        assert!(stream.reply().is_stream());
        let first = stream.event().expect("the stream begins with an event");
        assert_eq!(first.kind.as_deref(), Some("endpoint"), "{first:?}");
        let endpoint = first.data.unwrap_or_default();
        client.path = endpoint
            .strip_prefix(&format!("http://{}", client.address))
            .unwrap_or(&endpoint)
            .to_owned();
        Self {
            client,
            stream,
            endpoint,
        }
    }

    fn ready(exposed: &Exposed) -> Self {
        let mut old = Self::connect(exposed);
        old.post(&initialize("2024-11-05", &everything()));
        let welcome = old.stream.answer();
        let version = welcome.string_at(&["result", "protocolVersion"]);
        assert_eq!(version.as_deref(), Some("2024-11-05"), "{}", welcome.text);
        old.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        old
    }

    #[track_caller]
    fn post(&self, body: &str) {
        let mut call = self.client.post(body);
        assert_eq!(call.status(), 202, "{}", call.body());
    }

    #[track_caller]
    fn call(&self, id: &str, tool: &str, arguments: &Value) {
        self.post(&request(
            id,
            "tools/call",
            &json!({"name": tool, "arguments": arguments}),
        ));
    }

    fn tool(&mut self, id: &str, tool: &str, arguments: &Value) -> Message {
        self.call(id, tool, arguments);
        self.stream.find("an answer", |m| {
            m.is_response() && m.id.as_deref() == Some(id)
        })
    }
}

fn old_style() -> Exposed {
    expose(&["--sse"], &[])
}

#[test]
fn the_first_event_says_where_to_post() {
    let exposed = old_style();
    let old = Old::connect(&exposed);
    assert!(
        old.endpoint.contains("/messages?sessionId="),
        "{}",
        old.endpoint
    );
    let other = Old::connect(&exposed);
    assert_ne!(old.endpoint, other.endpoint);
}

#[test]
fn answers_come_on_the_stream() {
    let exposed = old_style();
    let mut old = Old::ready(&exposed);
    let answer = old.tool("\"x\"", "echo", &json!({"n": 1}));
    assert_eq!(content(&answer), r#"{"n":1}"#);
    let kinds: Vec<_> = old
        .stream
        .events
        .iter()
        .filter(|e| e.data.is_some())
        .map(|e| e.kind.clone())
        .collect();
    assert!(
        kinds[1..].iter().all(|k| k.as_deref() == Some("message")),
        "{kinds:?}"
    );
}

#[test]
fn two_clients_with_the_same_ids_do_not_cross() {
    let exposed = old_style();
    let mut clients = [Old::ready(&exposed), Old::ready(&exposed)];
    for (n, old) in clients.iter().enumerate() {
        old.call("1", "gate", &json!({"name": format!("g{n}")}));
    }
    exposed.children.wait_for_tools("gate", 2);
    exposed.children.open("g1");
    exposed.children.open("g0");
    for (n, old) in clients.iter_mut().enumerate() {
        assert_eq!(
            content(&old.stream.answer()),
            format!(r#"{{"name":"g{n}"}}"#)
        );
        assert_eq!(
            content(&old.tool("2", "echo", &json!({"n": n}))),
            format!(r#"{{"n":{n}}}"#)
        );
    }
}

#[test]
fn questions_and_progress_come_on_the_stream_too() {
    for exposed in [old_style(), expose(&["--sse"], &["--modern"])] {
        let mut old = Old::ready(&exposed);
        old.call("1", "sample", &json!({}));
        let question = old.stream.heard("sampling/createMessage");
        let id = question.id.unwrap();
        old.post(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"model":"m"}}}}"#
        ));
        assert_eq!(content(&old.stream.answer()), r#"{"model":"m"}"#);
        let params =
            json!({"name": "progress", "arguments": {"n": 3}, "_meta": {"progressToken": 5}});
        old.post(&request("2", "tools/call", &params));
        for _ in 0..3 {
            let note = old.stream.heard("notifications/progress");
            assert_eq!(note.at(&["params", "progressToken"]).as_deref(), Some("5"));
        }
        assert!(old.stream.answer().result.is_some());
    }
}

#[test]
fn the_end_of_the_stream_is_the_end_of_the_session() {
    let exposed = old_style();
    let mut old = Old::ready(&exposed);
    let who = old.tool("1", "whoami", &json!({}));
    let pid = u32::try_from(crate::setup::value(&who)["pid"].as_u64().unwrap()).unwrap();
    let Old { client, stream, .. } = old;
    drop(stream);
    exposed.children.wait_until_gone(pid);
    assert_error(&mut client.post(&request("2", "ping", &json!({}))), 404);
}

#[test]
fn wrong_posts_are_refused() {
    let exposed = old_style();
    let old = Old::ready(&exposed);
    let mut client = old.client.clone();
    assert_error(&mut client.post("nonsense"), 400);
    client.path = "/messages?sessionId=unknown".into();
    assert_error(&mut client.post(&request("1", "ping", &json!({}))), 404);
    client.path = "/messages".into();
    let status = client.post(&request("1", "ping", &json!({}))).status();
    assert!([400, 404].contains(&status), "{status}");
    client.path = "/sse".into();
    assert_error(&mut client.post(&request("1", "ping", &json!({}))), 405);
}

#[test]
fn nothing_of_it_is_there_unless_it_is_asked_for() {
    for exposed in [legacy(), modern()] {
        let client = exposed.client();
        let ask = Ask::new("GET", "/sse")
            .header("Host", "localhost")
            .header("Accept", "text/event-stream");
        assert_error(&mut client.send(&ask), 404);
    }
}

#[test]
fn streamable_http_works_beside_it() {
    let exposed = old_style();
    let mut old = Old::ready(&exposed);
    assert_works(&exposed.client().session(LATEST));
    assert!(old.tool("1", "echo", &json!({})).result.is_some());
}

#[test]
fn our_own_connect_can_use_it() {
    let exposed = old_style();
    let url = exposed.url().replace("/mcp", "/sse");
    let mut bridge = Bridge::launch(program()).arg("connect").arg(&url).start();
    bridge.initialize(LATEST);
    let answer = bridge.ask("1", "echo", &json!({"n": 1}));
    assert_eq!(content(&answer), r#"{"n":1}"#);
    bridge.close_stdin();
    assert_eq!(bridge.exit_code(), Some(0));
}

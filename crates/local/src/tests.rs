//! Tests of the dispatcher, with a handler of their own and a client in the place of the session.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use linkspan_mcp::{Revision, initialize_result, tool_text};
use linkspan_session::Inbound;
use linkspan_wire::{Hop, Json, Kind, Message, RpcError};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::testing::{Client, LIMIT};
use super::{Call, Handler, Params, Workers, tool_call};

/// Tools: `echo`, `ask`, `wait` (for the gate), `work` (until told to stop), `panic`.
struct Bench {
    gate: Arc<Semaphore>,
    /// A permit for each job of `work` that has begun.
    began: Arc<Semaphore>,
    stopped: Arc<AtomicBool>,
    workers: Workers,
}

impl Bench {
    fn new() -> Self {
        Self {
            gate: Arc::new(Semaphore::new(0)),
            began: Arc::new(Semaphore::new(0)),
            stopped: Arc::default(),
            workers: Workers::new(),
        }
    }
}

impl Handler for Bench {
    fn initialize(&self, revision: Revision, _: &str) -> Result<String, RpcError> {
        Ok(initialize_result(revision, "bench", "1"))
    }

    async fn answer(
        &self,
        method: &str,
        params: Params<'_>,
        call: &mut Call,
    ) -> Result<String, RpcError> {
        if method != "tools/call" {
            return Err(RpcError::method_not_found(method));
        }
        let (tool, arguments) = tool_call(params)?;
        match &*tool {
            "echo" => Ok(tool_text(arguments.text(), false)),
            "ask" => match call.ask("roots/list", None).await {
                Some(answer) if answer.kind() == Kind::Result => {
                    Ok(answer.body().map_or("{}", Json::text).to_owned())
                }
                _ => Err(RpcError::server("refused")),
            },
            "wait" => {
                let _open = self.gate.acquire().await;
                Ok("{}".to_owned())
            }
            "work" => {
                let (began, stopped) = (self.began.clone(), self.stopped.clone());
                let job = move |stop: &super::StopFlag| {
                    began.add_permits(1);
                    while !stop.is_due() {
                        std::thread::yield_now();
                    }
                    stopped.store(true, Ordering::SeqCst);
                };
                let _ = call.work(&self.workers, None, job).await;
                Ok("{}".to_owned())
            }
            _ => panic!("as it should"),
        }
    }
}

fn call(tool: &str) -> String {
    format!(r#"{{"name":"{tool}","arguments":{{"a":1}}}}"#)
}

#[tokio::test]
async fn unknown_revisions_become_the_last_with_a_handshake() {
    let mut client = Client::new(Bench::new());
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let params = format!(r#"{{"protocolVersion":"{asked}","capabilities":{{}}}}"#);
        let answer = client.ask(1, "initialize", &params).await;
        let wanted = format!(r#""protocolVersion":"{agreed}""#);
        assert!(answer.contains(&wanted), "{answer}");
    }
}

#[tokio::test]
async fn errors_have_the_codes_of_the_protocol() {
    let mut client = Client::new(Bench::new());
    for (method, params, code) in [
        ("resources/list", "{}", -32601),
        ("nonsense", "{}", -32601),
        ("initialize", "{}", -32602),
        ("initialize", r#"{"protocolVersion":7}"#, -32602),
        ("tools/list", "[]", -32602),
        ("tools/call", "{}", -32602),
        ("tools/call", r#"{"name":7}"#, -32602),
        ("tools/call", r#"{"name":"echo","arguments":[]}"#, -32602),
    ] {
        let answer = client.ask(7, method, params).await;
        let wanted = format!(r#""id":7,"error":{{"code":{code}"#);
        assert!(answer.contains(&wanted), "{method} {params}: {answer}");
    }
    assert!(client.ask(8, "ping", "{}").await.contains(r#""result":{}"#));
    let none = client.ask(9, "tools/call", r#"{"name":"echo"}"#).await;
    assert!(none.contains(r#""text":"{}""#), "{none}");
}

#[tokio::test]
async fn a_waiting_call_blocks_no_other() {
    let bench = Bench::new();
    let gate = bench.gate.clone();
    let mut client = Client::new(bench);
    client.request(1, "tools/call", &call("wait")).await;
    let second = client.ask(2, "tools/call", &call("echo")).await;
    assert!(second.contains(r#""id":2"#), "{second}");
    gate.add_permits(1);
    assert!(client.next().await.contains(r#""id":1"#));
}

#[tokio::test]
async fn a_question_relates_to_its_call() {
    let mut client = Client::new(Bench::new());
    client.request(5, "tools/call", &call("ask")).await;
    let question = client.envelope().await;
    assert_eq!(question.msg.method(), "roots/list");
    assert_eq!(question.relates_to, Some(Hop(5)));
    let id = question.msg.id().unwrap();
    client.send(Message::result(&id, r#"{"roots":[]}"#)).await;
    assert!(client.next().await.contains(r#""result":{"roots":[]}"#));

    client.request(6, "tools/call", &call("ask")).await;
    let id = client.envelope().await.msg.id().unwrap();
    client.send(RpcError::server("no").answer(&id)).await;
    assert!(client.next().await.contains("refused"));
}

#[tokio::test]
async fn cancelling_a_call_cancels_its_question() {
    let mut client = Client::new(Bench::new());
    client.request(1, "tools/call", &call("ask")).await;
    let question = client.envelope().await.msg.id().unwrap();
    client.cancel(1).await;
    let back = client.next().await;
    assert!(back.contains("notifications/cancelled"), "{back}");
    client.send(Message::result(&question, "{}")).await;
    let next = client.ask(2, "ping", "{}").await;
    assert!(next.contains(r#""id":2"#), "{next}");
}

#[tokio::test]
async fn cancelling_stops_what_works_elsewhere() {
    let bench = Bench::new();
    let (began, stopped) = (bench.began.clone(), bench.stopped.clone());
    let workers = bench.workers.clone();
    let mut client = Client::new(bench);
    client.request(1, "tools/call", &call("work")).await;
    drop(timeout(LIMIT, began.acquire()).await.expect("it began"));
    client.cancel(1).await;
    workers.finish(LIMIT).await;
    assert!(stopped.load(Ordering::SeqCst));
    let next = client.ask(2, "ping", "{}").await;
    assert!(next.contains(r#""id":2"#), "the call has no answer: {next}");
}

#[tokio::test]
async fn closing_the_port_ends_all_calls() {
    let bench = Bench::new();
    let workers = bench.workers.clone();
    let client = Client::new(bench);
    for (id, tool) in [(1, "wait"), (2, "work"), (3, "ask")] {
        client.request(id, "tools/call", &call(tool)).await;
    }
    client.close().await;
    timeout(LIMIT, workers.finish(LIMIT * 2)).await.unwrap();
}

#[tokio::test]
async fn a_bug_costs_one_answer_and_no_call_hangs() {
    let mut client = Client::new(Bench::new());
    client.request(1, "tools/call", &call("panic")).await;
    match client.inbound().await {
        Inbound::Failed { hop, .. } => assert_eq!(hop, Hop(1)),
        other => panic!("{other:?}"),
    }
    assert!(client.ask(2, "ping", "{}").await.contains(r#""id":2"#));
}

#[tokio::test]
async fn unread_results_of_a_client_are_limited() {
    struct Prolific(Workers, Arc<std::sync::atomic::AtomicUsize>);
    impl Handler for Prolific {
        fn initialize(&self, _: Revision, _: &str) -> Result<String, RpcError> {
            Ok("{}".to_owned())
        }
        async fn answer(
            &self,
            _: &str,
            _: Params<'_>,
            call: &mut Call,
        ) -> Result<String, RpcError> {
            let made = self.1.clone();
            let job = move |_: &super::StopFlag| made.fetch_add(1, Ordering::SeqCst);
            let _ = call.work(&self.0, None, job).await;
            Ok("{}".to_owned())
        }
    }
    let made = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let mut client = Client::new(Prolific(Workers::new(), made.clone()));
    let all = 300;
    for id in 0..all {
        client.request(id, "tools/call", &call("x")).await;
    }
    // One per queue place and one per slot.
    let most = super::QUEUE + 8;
    let before = client.envelope().await;
    assert!(before.msg.is_answer());
    assert!(made.load(Ordering::SeqCst) <= most + 1);
    for _ in 1..all {
        client.envelope().await;
    }
    assert_eq!(made.load(Ordering::SeqCst), all as usize);
}

/// Answers each call with a large result.
struct Generous(Workers);

const LARGE: usize = 200 << 10;

impl Handler for Generous {
    fn initialize(&self, _: Revision, _: &str) -> Result<String, RpcError> {
        Ok("{}".to_owned())
    }

    async fn answer(&self, _: &str, _: Params<'_>, call: &mut Call) -> Result<String, RpcError> {
        let job = |_: &super::StopFlag| tool_text(&"x".repeat(LARGE), false);
        let made = call.work(&self.0, None, job).await;
        made.map_err(|_| RpcError::server("broken"))
    }
}

#[tokio::test(start_paused = true)]
async fn unread_answers_are_bounded_for_all_connections_together() {
    let workers = Workers::with_budget(5 * LARGE);
    let mut clients = Vec::new();
    for _ in 0..6 {
        let client = Client::of(&workers, Generous(workers.clone()));
        client.request(1, "tools/call", &call("x")).await;
        clients.push(client);
    }
    // Every call is answered, though the first envelopes keep their credit.
    let (mut kept, mut refused) = (Vec::new(), 0);
    for client in &mut clients {
        let envelope = client.envelope().await;
        if envelope.msg.len() > LARGE {
            kept.push(envelope)
        } else {
            let text = envelope.msg.text();
            assert!(text.contains("wait to be read"), "{text}");
            refused += 1;
        }
    }
    assert_eq!((kept.len(), refused), (4, 2));
    drop(kept);
    let again = clients[0].ask(2, "tools/call", &call("x")).await;
    assert!(again.len() > LARGE);
}

//! Long calls through a bridge, in memory. Time is virtual.

use linkspan_mcp::Era;
use linkspan_ports::{Answering, FrontService, Principal};
use linkspan_session::{Config, Envelope, Verdict, Way};
use linkspan_wire::{Id, Json, Message};

use super::layer::LongCallLayer;
use super::*;
use crate::layers::Holds;
use crate::pool::{Closing, PoolOptions, UpstreamPool};
use crate::server::Server;
use crate::testing::{Client, Log, at, backend, given, legacy_call, message, modern_request};
use crate::{Bridge, StdioOptions};

const ELICIT: &str = r#"{"elicitation":{}}"#;

/// Runs `talk` as a client of a bridge with long calls.
async fn with_client<F: Future<Output = ()>>(server: Era, talk: impl FnOnce(Client, Log) -> F) {
    let (backend, log) = backend(server);
    let (client, front) = Client::new();
    let options = StdioOptions {
        front: Some(front),
        ..StdioOptions::default()
    };
    let bridge = Bridge::new(backend)
        .client_layer(LongCalls::new(LongCallOptions::default()))
        .serve_stdio(options);
    let ((), ended) = tokio::join!(talk(client, log), bridge.run(std::future::pending()));
    assert!(ended.is_ok(), "{ended:?}");
}

/// A `tools/call` of a client of this era, with these members of its parameters.
fn call(era: Era, id: u64, tool: &str, arguments: &str, more: &str) -> Message {
    let params = format!(r#""name":"{tool}","arguments":{arguments}{more}"#);
    match era {
        Era::Legacy => legacy_call(id, tool, arguments),
        Era::Modern => modern_request(&params, ELICIT).with_id(Id::number(id)),
    }
}

fn text_of(answer: &Message) -> String {
    let content = answer.body().and_then(|body| body.get("content"));
    let first = content.and_then(|content| content.elements().next());
    let text = first.and_then(|first| Some(first.get("text")?.as_str()?.into_owned()));
    text.unwrap_or_else(|| panic!("no text in {}", answer.text()))
}

/// The handle that a call was answered with.
fn handle_of(answer: &Message) -> String {
    let text = text_of(answer);
    assert!(text.contains("still running"), "{text}");
    assert_eq!(at(answer, &["isError"]), "false");
    let (_, rest) = text.split_once("{\"call\":\"").expect("a handle");
    rest.split_once('"').expect("a handle").0.to_owned()
}

fn wait_for(handle: &str) -> String {
    format!(r#"{{"call":"{handle}"}}"#)
}

#[tokio::test(start_paused = true)]
async fn a_long_call_is_answered_with_a_handle_and_its_result_is_fetched_with_wait_for() {
    for server in [Era::Legacy, Era::Modern] {
        for client in [Era::Legacy, Era::Modern] {
            with_client(server, async |mut one, log| {
                if client == Era::Legacy {
                    one.shake().await;
                }
                let began = tokio::time::Instant::now();
                let kept = one.ask(call(client, 2, "gate", "{}", "")).await;
                assert_eq!(began.elapsed(), PATIENCE, "{server:?}, {client:?}");
                let handle = handle_of(&kept);
                let still = one
                    .ask(call(client, 3, "wait_for", &wait_for(&handle), ""))
                    .await;
                assert_eq!(began.elapsed(), 2 * PATIENCE);
                assert_eq!(handle_of(&still), handle);
                one.send(call(client, 4, "wait_for", &wait_for(&handle), ""))
                    .await;
                log.open("gate");
                let result = one.answer(4).await;
                assert_eq!(given(&result, "name"), r#""gate""#, "{}", result.text());
                let complete = at(&result, &["resultType"]);
                assert_eq!(complete == r#""complete""#, client == Era::Modern);
                let again = one
                    .ask(call(client, 5, "wait_for", &wait_for(&handle), ""))
                    .await;
                assert_eq!(given(&again, "name"), r#""gate""#, "it is kept");
            })
            .await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_within_the_patience_is_passed_on() {
    with_client(Era::Legacy, async |mut one, _| {
        one.shake().await;
        let answer = one.call(2, "which", "{}").await;
        assert_eq!(given(&answer, "connection"), "1");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_call_with_a_token_gets_increasing_progress_until_it_is_answered() {
    with_client(Era::Legacy, async |mut one, _| {
        one.shake().await;
        let with_token = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"gate","arguments":{},"_meta":{"progressToken":"p"}}}"#;
        one.ask(message(with_token)).await;
        let beats = one.unread();
        assert_eq!(beats.len(), 4, "{beats:?}");
        let values = beats.iter().map(|beat| {
            let beat = message(beat);
            let params = beat.params().unwrap();
            assert_eq!(params.get("progressToken").unwrap().text(), r#""p""#);
            let value: f64 = params.get("progress").unwrap().text().parse().unwrap();
            value
        });
        assert!(values.is_sorted_by(|a, b| a < b));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_client_may_cancel_its_wait_and_the_call_goes_on() {
    with_client(Era::Legacy, async |mut one, log| {
        one.shake().await;
        let handle = handle_of(&one.call(2, "gate", "{}").await);
        one.begin(3, "wait_for", &wait_for(&handle)).await;
        for id in [3, 2] {
            let cancel = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            );
            one.send(message(&cancel)).await;
        }
        let list = one.call(4, "running", "{}").await;
        assert!(text_of(&list).contains(&format!("{handle}  gate  running for")));
        assert_eq!(log.count("notifications/cancelled"), 0);
        log.open("gate");
        let result = one.call(5, "wait_for", &wait_for(&handle)).await;
        assert_eq!(given(&result, "name"), r#""gate""#);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_argument_cancel_ends_the_call_at_the_server() {
    for server in [Era::Legacy, Era::Modern] {
        with_client(server, async |mut one, log| {
            one.shake().await;
            let handle = handle_of(&one.call(2, "gate", "{}").await);
            one.begin(3, "wait_for", &wait_for(&handle)).await;
            let cancel = format!(r#"{{"call":"{handle}","cancel":true}}"#);
            let cancelled = one.call(4, "wait_for", &cancel).await;
            assert!(text_of(&cancelled).contains("cancelled"));
            log.find(|msg| msg.method() == "notifications/cancelled")
                .await;
            let waiting = one.answer(3).await;
            assert!(text_of(&waiting).contains("The call of gate was cancelled"));
            let again = one.call(5, "wait_for", &cancel).await;
            assert!(text_of(&again).contains("not running"));
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_in_a_kept_call_is_asked_in_the_course_of_the_wait() {
    with_client(Era::Legacy, async |mut one, log| {
        let first = one
            .ask(call(Era::Modern, 2, "in_turn", r#"{"gate":"g"}"#, ""))
            .await;
        let answers = |asked: &Message, key: &str| {
            let state = at(asked, &["requestState"]);
            assert!(!state.is_empty(), "{}", asked.text());
            format!(
                r#","inputResponses":{{"{key}":{{"action":"decline"}}}},"requestState":{state}"#
            )
        };
        let retry = answers(&first, "first");
        let kept = one
            .ask(call(Era::Modern, 3, "in_turn", r#"{"gate":"g"}"#, &retry))
            .await;
        let wait = wait_for(&handle_of(&kept));
        one.send(call(Era::Modern, 4, "wait_for", &wait, "")).await;
        log.open("g");
        let second = one.answer(4).await;
        let retry = answers(&second, "second");
        let done = one
            .ask(call(Era::Modern, 5, "wait_for", &wait, &retry))
            .await;
        assert_eq!(
            given(&done, "second"),
            r#"{"action":"decline"}"#,
            "{}",
            done.text()
        );
        assert_eq!(log.count("tools/call"), 1);
        let again = one.ask(call(Era::Modern, 6, "wait_for", &wait, "")).await;
        assert_eq!(given(&again, "second"), r#"{"action":"decline"}"#);
    })
    .await;
}

struct Http {
    pool: UpstreamPool,
    log: Log,
    _closing: Closing,
}

fn over_http(idle: Option<Duration>) -> Http {
    let (backend, log) = backend(Era::Legacy);
    let mut server = Server::new(backend);
    server.add_client_layer(Box::new(LongCalls::new(LongCallOptions::default())));
    let options = PoolOptions {
        share: false,
        park: Duration::from_secs(60),
        idle,
        max_servers: 4,
        session: Config::default(),
    };
    let (pool, _closing) = UpstreamPool::new(server, options);
    Http {
        pool,
        log,
        _closing,
    }
}

impl Http {
    async fn call(&self, who: &str, tool: &str, arguments: &str) -> Message {
        let principal = match who {
            "" => Principal::anonymous(),
            who => Principal::of_credentials(who.as_bytes()),
        };
        let request = Envelope::new(call(Era::Modern, 1, tool, arguments, ""));
        let mut answering: Answering = self.pool.ask(request, &principal).await.unwrap();
        loop {
            let said = answering.recv().await.expect("an answer");
            if said.msg.is_answer() {
                return said.msg;
            }
        }
    }

    /// A legacy client.
    async fn session(&self, who: &str) -> Client {
        let (mut one, front) = Client::new();
        let principal = Principal::of_credentials(who.as_bytes());
        self.pool.admit(front, &principal);
        one.shake().await;
        one
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_belongs_to_the_client_that_called() {
    let http = over_http(None);
    let handle = handle_of(&http.call("ada", "gate", "{}").await);
    // The tools are known to the other client, too.
    handle_of(&http.call("bob", "gate", r#"{"name":"other"}"#).await);
    http.log.open("gate");
    for other in ["bob", ""] {
        let refused = http.call(other, "wait_for", &wait_for(&handle)).await;
        assert!(
            text_of(&refused).contains("No call of this client"),
            "{other}"
        );
        let list = http.call(other, "running", "{}").await;
        assert!(!text_of(&list).contains(&handle));
    }
    let result = http.call("ada", "wait_for", &wait_for(&handle)).await;
    assert_eq!(given(&result, "name"), r#""gate""#);
}

#[tokio::test(start_paused = true)]
async fn clients_without_credentials_have_their_handles_only() {
    let http = over_http(None);
    let handle = handle_of(&http.call("", "gate", "{}").await);
    let list = http.call("", "running", "{}").await;
    assert!(text_of(&list).contains("cannot be told apart"));
    http.log.open("gate");
    let result = http.call("", "wait_for", &wait_for(&handle)).await;
    assert_eq!(given(&result, "name"), r#""gate""#);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_comes_back_in_another_session_finds_its_call() {
    let http = over_http(None);
    let mut one = http.session("ada").await;
    let handle = handle_of(&one.call(2, "gate", "{}").await);
    let mut two = http.session("ada").await;
    two.begin(2, "wait_for", &wait_for(&handle)).await;
    http.log.open("gate");
    let result = two.answer(2).await;
    assert_eq!(given(&result, "connection"), "1", "{}", result.text());
    let cancelled = two.call(3, "gate", r#"{"name":"never"}"#).await;
    let handle = handle_of(&cancelled);
    let cancel = format!(r#"{{"call":"{handle}","cancel":true}}"#);
    one.call(3, "wait_for", &cancel).await;
    let is_cancel = |msg: &Message| msg.method() == "notifications/cancelled";
    assert_eq!(http.log.find(is_cancel).await.0, 2, "its own connection");
    drop(one);
    let gone = handle_of(&two.call(4, "gate", r#"{"name":"never"}"#).await);
    drop(two);
    http.log.closed(2).await;
    let mut three = http.session("ada").await;
    let lost = three.call(2, "wait_for", &wait_for(&gone)).await;
    assert!(text_of(&lost).contains("the connection to the server ended"));
}

#[tokio::test(start_paused = true)]
async fn a_connection_with_a_kept_call_is_not_idle() {
    let idle = Duration::from_secs(20);
    let http = over_http(Some(idle));
    let handle = handle_of(&http.call("ada", "gate", "{}").await);
    tokio::time::sleep(10 * idle).await;
    http.log.open("gate");
    let result = http.call("ada", "wait_for", &wait_for(&handle)).await;
    assert_eq!(given(&result, "connection"), "1", "{}", result.text());
    http.log.closed(1).await;
}

fn layer() -> LongCallLayer {
    let LongCalls(shared) = LongCalls::new(LongCallOptions::default());
    LongCallLayer::new(shared, 1, Owner::Session(1), Holds::default())
}

/// What passes a layer, as text.
fn passed(layer: &mut LongCallLayer, way: Way, text: &str) -> String {
    let envelope = Envelope::new(message(text));
    match layer.on(way, envelope, std::time::Instant::now()) {
        Verdict::Pass(envelope) => envelope.msg.text(),
        _ => String::new(),
    }
}

/// The names in a list of tools that passes the layer.
fn listed(layer: &mut LongCallLayer, result: &str) -> Vec<String> {
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    passed(layer, Way::ToBack, request);
    let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
    let list = message(&passed(layer, Way::ToFront, &answer));
    assert!(!list.text().contains("outputSchema"), "{}", list.text());
    let tools = list.body().unwrap().get("tools").unwrap();
    let names = tools
        .elements()
        .filter_map(|tool| tool.get("name")?.as_str());
    names.map(|name| name.into_owned()).collect()
}

#[test]
fn the_tools_are_listed_beside_those_of_the_server() {
    let mut layer = layer();
    let first = r#"{"tools":[{"name":"wait_for","outputSchema":{}}],"nextCursor":"2"}"#;
    assert_eq!(listed(&mut layer, first), ["wait_for"]);
    let last = r#"{"tools":[{"name":"b"}]}"#;
    assert_eq!(
        listed(&mut layer, last),
        ["b", "linkspan_wait_for", "running"]
    );
    let own = legacy_call(2, "wait_for", "{}").text();
    assert_eq!(passed(&mut layer, Way::ToBack, &own), own, "the server's");
    let ours = legacy_call(3, "linkspan_wait_for", "{}").text();
    assert_eq!(passed(&mut layer, Way::ToBack, &ours), "");
}

#[test]
fn before_a_list_a_call_of_the_same_name_is_for_the_server() {
    let mut layer = layer();
    let call = legacy_call(2, "running", "{}").text();
    assert_eq!(passed(&mut layer, Way::ToBack, &call), call);
}

#[test]
fn a_listed_tool_is_valid() {
    let mut layer = layer();
    listed(&mut layer, r#"{"tools":[]}"#);
    for tool in tools::locals() {
        let schema = tool.json.get("inputSchema").and_then(|it| it.get("type"));
        assert_eq!(schema.map(Json::text), Some(r#""object""#));
    }
}

#[test]
fn names_that_cannot_be_ours_are_not_remembered() {
    let mut layer = layer();
    let long = format!("{}wait_for", "linkspan_".repeat(100));
    let list = format!(r#"{{"tools":[{{"name":"x_running"}},{{"name":"{long}"}}]}}"#);
    let names = listed(&mut layer, &list);
    assert_eq!(names, ["x_running", &long, "wait_for", "running"]);
    assert_eq!(layer.shared.names.lock().taken(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_when_its_client_cancels_it() {
    let mut layer = layer();
    listed(&mut layer, r#"{"tools":[]}"#);
    let now = linkspan_session::now();
    let request = legacy_call(1, "gate", "{}");
    let running = (1, &request);
    let kept = layer
        .shared
        .kept
        .lock()
        .keep("h", &layer.owner, running, ("gate", now), now);
    assert!(kept);
    for id in 2..200 {
        let call = Envelope::new(legacy_call(id, "wait_for", &wait_for("h")));
        let Verdict::BackLater(wait) = layer.on(Way::ToBack, call, now) else {
            panic!("it waits");
        };
        let cancel = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        );
        assert_eq!(passed(&mut layer, Way::ToBack, &cancel), "");
        let began = tokio::time::Instant::now();
        assert_eq!(handle_of(&wait.await.msg), "h");
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert!(layer.waits.is_empty());
    }
}

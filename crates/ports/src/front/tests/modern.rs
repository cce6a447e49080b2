//! Stateless requests over a real socket.

use std::time::Duration;

use tokio::time::timeout;

use super::client::{Client, Reply};
use super::front;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
const VERSION: &str = "mcp-protocol-version: 2026-07-28";

async fn ask(client: &Client, method: &str, params: &str, more: &[&str]) -> Reply {
    let body =
        format!(r#"{{"jsonrpc":"2.0","id":"a","method":"{method}","params":{{{params}{META}}}}}"#);
    let method = format!("mcp-method: {method}");
    let mut headers = vec![VERSION, &*method];
    headers.extend_from_slice(more);
    client.post(&headers, &body).await
}

#[tokio::test]
async fn an_answer_that_comes_first_is_json_with_its_status() {
    let f = front(|_| {}).await;
    let reply = ask(&f.client, "tools/list", "", &[]).await;
    assert_eq!(reply.header("mcp-session-id"), None);
    assert_eq!(reply.status, 200);
    assert!(
        reply
            .text()
            .await
            .starts_with(r#"{"jsonrpc":"2.0","id":"a","result""#)
    );
    assert_eq!(ask(&f.client, "ping", "", &[]).await.status, 404);
    assert_eq!(ask(&f.client, "capability", "", &[]).await.status, 400);
    assert_eq!(ask(&f.client, "params", "", &[]).await.status, 200);
    let closing = ask(&f.client, "vanish", "", &[]).await;
    assert_eq!(closing.code().await, -32000);
    assert_eq!(f.figures.sessions(), 0);
}

#[tokio::test]
async fn notifications_make_it_a_stream_without_ids() {
    let f = front(|_| {}).await;
    let mut reply = ask(&f.client, "notify", "", &["mcp-session-id: x"]).await;
    assert!(reply.is_stream());
    assert_eq!(
        reply.event().await.unwrap(),
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}"
    );
    assert!(
        reply
            .event()
            .await
            .unwrap()
            .contains(r#""id":"a","result""#)
    );
    assert_eq!(reply.event().await, None);
}

#[tokio::test]
async fn closing_the_stream_cancels_the_request() {
    let f = front(|o| o.long_patience = Duration::from_millis(10)).await;
    let reply = ask(&f.client, "slow", "", &[]).await;
    assert!(reply.is_stream());
    assert_eq!(f.figures.in_flight(), 1);
    drop(reply);
    timeout(Duration::from_secs(5), f.service.dropped.notified())
        .await
        .unwrap();
    while f.figures.in_flight() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn calls_in_flight_when_the_front_stops_are_answered_with_an_error() {
    let mut f = front(|o| {
        o.long_patience = Duration::from_millis(10);
        o.drain = Duration::from_millis(500);
    })
    .await;
    let mut streaming = ask(&f.client, "slow", "", &[]).await;
    drop(f.stop.take());
    let last = streaming.event().await.unwrap();
    assert!(last.contains(r#""kind":"closing""#), "{last}");
    assert_eq!(streaming.event().await, None);
    timeout(Duration::from_secs(5), f.served)
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn headers_that_contradict_the_body_are_refused() {
    let f = front(|_| {}).await;
    let list = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{META}}}}}"#);
    let code = async |headers: &[&str]| {
        let reply = f.client.post(headers, &list).await;
        assert_eq!(reply.status, 400);
        reply.code().await
    };
    assert_eq!(code(&[VERSION]).await, -32020);
    assert_eq!(code(&[VERSION, "mcp-method: TOOLS/LIST"]).await, -32020);
    assert_eq!(code(&["mcp-method: tools/list"]).await, -32020);
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    assert_eq!(f.client.post(&[VERSION], bare).await.code().await, -32602);
    assert!(f.service.asked.lock().is_empty());
}

#[tokio::test]
async fn a_call_with_parameter_headers_is_checked_against_a_list_that_is_asked_for_once() {
    let f = front(|_| {}).await;
    let call = async |value: &str, headers: &[&str]| {
        let params = format!(r#""name":"q","arguments":{{"region":"{value}"}},"#);
        let mut all = vec!["mcp-name: q"];
        all.extend_from_slice(headers);
        ask(&f.client, "tools/call", &params, &all).await.status
    };
    // The schema is not known, and the call has no such header.
    assert_eq!(call("eu", &[]).await, 200);
    assert_eq!(call("eu", &["mcp-param-region: us"]).await, 400);
    assert_eq!(
        call("eu", &["Mcp-Param-Region: =?base64?ZXU=?="]).await,
        200
    );
    assert_eq!(call("eu", &[]).await, 400);
    let asked = f.service.asked.lock().clone();
    assert_eq!(asked, ["tools/call", "tools/list", "tools/call"]);
}

#[tokio::test]
async fn only_one_era_may_be_served() {
    let f = front(|o| o.client_era = Some(linkspan_mcp::Era::Modern)).await;
    let opening = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    assert_eq!(f.client.post(&[], opening).await.code().await, -32022);
    let f = front(|o| o.client_era = Some(linkspan_mcp::Era::Legacy)).await;
    assert_eq!(ask(&f.client, "tools/list", "", &[]).await.status, 400);
}

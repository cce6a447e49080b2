//! What a client can make the front keep, over a real socket.

use std::time::Duration;

use linkspan_wire::Limits;

use super::front;

fn echo(id: u32, weight: usize) -> String {
    let text = "x".repeat(weight);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"echo","params":{{"text":"{text}"}}}}"#)
}

fn modern(method: &str, weight: usize) -> String {
    let text = "x".repeat(weight);
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"text":"{text}","_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

#[tokio::test]
async fn an_answer_is_in_flight_until_it_has_been_written() {
    let f = front(|_| {}).await;
    let session = f.client.begin("2025-11-25").await;
    let reply = f.client.post(&[&session], &echo(1, 30_000_000)).await;
    // Other requests are answered meanwhile, which gives the front time to write what the socket takes.
    for id in 2..10 {
        let other = f.client.post(&[&session], &echo(id, 1)).await;
        other.text().await;
    }
    f.wait_for_in_flight(1).await;
    assert!(reply.text().await.len() > 30_000_000);
    f.wait_for_in_flight(0).await;
}

#[tokio::test]
async fn a_call_is_in_flight_until_it_is_answered_even_if_its_client_is_gone() {
    let f = front(|_| {}).await;
    let session = f.client.begin("2025-06-18").await;
    let slow = r#"{"jsonrpc":"2.0","id":5,"method":"slow"}"#;
    drop(f.client.post(&[&session], slow).await);
    // Other requests are answered meanwhile, which gives the front time to notice the closed connection.
    for id in 6..14 {
        let other = f.client.post(&[&session], &echo(id, 1)).await;
        other.text().await;
    }
    f.wait_for_in_flight(1).await;
    f.service.go.notify_one();
    f.wait_for_in_flight(0).await;
}

#[tokio::test]
async fn a_call_by_the_old_transport_is_in_flight_until_it_is_answered_or_cancelled() {
    let f = front(|o| o.sse = true).await;
    let mut stream = f.client.send("GET /sse", &[], "").await;
    let endpoint = stream.event().await.unwrap();
    let (_, place) = endpoint.split_once("data: ").unwrap();
    let line = format!("POST {place}");
    let post = async |body: &str| {
        let json = ["content-type: application/json"];
        f.client.send(&line, &json, body).await.status
    };
    for id in 1..=2 {
        let slow = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"slow"}}"#);
        assert_eq!(post(&slow).await, 202);
        assert_eq!(post(&slow).await, 400, "the id is in use");
    }
    assert_eq!(f.figures.in_flight(), 2);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(post(cancel).await, 202);
    assert_eq!(f.figures.in_flight(), 1);
    f.service.go.notify_waiters();
    f.wait_for_in_flight(0).await;
}

#[tokio::test]
async fn large_requests_without_a_session_wait_for_those_before_them_of_the_same_principal() {
    let f = front(|o| {
        o.limits = Limits::new(200_000);
        o.room_timeout = Duration::from_millis(200);
        o.long_patience = Duration::from_millis(10);
    })
    .await;
    let ask = async |method: &str, who: &str| {
        let name = format!("mcp-method: {method}");
        let headers = ["mcp-protocol-version: 2026-07-28", &name, who];
        f.client.post(&headers, &modern(method, 150_000)).await
    };
    let me = "authorization: me";
    let slow = ask("slow", me).await;
    assert_eq!(slow.status, 200);
    assert_eq!(ask("tools/list", me).await.status, 503);
    assert_eq!(ask("tools/list", "authorization: you").await.status, 200);
    f.service.go.notify_one();
    drop(slow);
    f.wait_for_in_flight(0).await;
    assert_eq!(ask("tools/list", me).await.status, 200);
}

#[tokio::test]
async fn a_path_that_is_taken_is_refused() {
    for (path, sse, free) in [
        ("/mcp", true, true),
        ("/healthz", false, false),
        ("/healthz/", false, false),
        ("/sse", false, true),
        ("/sse", true, false),
        ("/messages", true, false),
    ] {
        let options = super::FrontOptions {
            path: path.to_owned(),
            sse,
            ..Default::default()
        };
        assert_eq!(options.clash().is_none(), free, "{path}");
    }
}

//! HTTP+SSE over a real socket.

use std::time::Duration;

use tokio::time::timeout;

use super::front;

#[tokio::test]
async fn everything_comes_on_one_stream_and_the_session_ends_with_it() {
    let f = front(|o| o.sse = true).await;
    let mut stream = f.client.send("GET /sse", &[], "").await;
    let endpoint = stream.event().await.unwrap();
    let place = endpoint
        .strip_prefix("event: endpoint\ndata: /messages?sessionId=")
        .unwrap();
    let line = format!("POST /messages?sessionId={place}");
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}"#;
    let json = ["content-type: application/json"];
    assert_eq!(f.client.send(&line, &json, body).await.status, 202);
    assert_eq!(
        stream.event().await.unwrap(),
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1}}"
    );
    drop(stream);
    timeout(Duration::from_secs(5), f.service.closed.notified())
        .await
        .unwrap();
    while f.client.send(&line, &json, body).await.status != 404 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn it_is_only_there_on_request() {
    let f = front(|_| {}).await;
    assert_eq!(f.client.send("GET /sse", &[], "").await.status, 404);
}

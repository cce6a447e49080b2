//! Legacy clients without a session.

use std::time::Duration;

use tokio::time::timeout;

use super::front;

#[tokio::test]
async fn each_request_has_a_session_that_ends_with_its_answer() {
    let f = front(|options| options.stateless = Some("2024-11-05".to_owned())).await;
    for round in 0..3 {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{round},"method":"echo","params":{{"a":1}}}}"#);
        let reply = f.client.post(&[], &body).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("mcp-session-id"), None);
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{round},"result":{{"a":1}}}}"#);
        assert!(reply.text().await.contains(&answer));
        let ended = timeout(Duration::from_secs(10), f.service.closed.notified());
        ended.await.unwrap();
    }
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#;
    let reply = f.client.post(&[], hello).await;
    assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None));
    assert!(reply.text().await.contains("2025-03-26"));
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(f.client.post(&[], initialized).await.status, 202);
    // There is no stream of a client without a session.
    let reply = f
        .client
        .send("GET /mcp", &["accept: text/event-stream"], "")
        .await;
    assert_eq!(reply.status, 405);
}

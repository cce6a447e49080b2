//! Sessions over a real socket.

use std::time::Duration;

use tokio::time::timeout;

use super::front;

const SOON: Duration = Duration::from_secs(5);

fn request(id: u32, method: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"_meta":{{"progressToken":"t{id}"}}}}}}"#
    )
}

fn id_of(event: &str) -> String {
    let line = event.lines().find_map(|line| line.strip_prefix("id: "));
    format!("last-event-id: {}", line.unwrap())
}

#[tokio::test]
async fn a_session_begins_answers_and_ends() {
    let f = front(|_| {}).await;
    let session = f.client.begin("2025-11-25").await;
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(f.client.post(&[&session], note).await.status, 202);
    let reply = f.client.post(&[&session], &request(1, "echo")).await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(
        reply.text().await,
        r#"{"jsonrpc":"2.0","id":1,"result":{"_meta":{"progressToken":"t1"}}}"#
    );
    assert_eq!(f.figures.sessions(), 1);
    let deleted = f.client.send("DELETE /mcp", &[&session], "").await;
    assert_eq!(deleted.status, 204);
    assert_eq!(f.figures.sessions(), 0);
    timeout(SOON, f.service.closed.notified()).await.unwrap();
    assert_eq!(
        f.client.post(&[&session], &request(2, "echo")).await.status,
        404
    );
    assert_eq!(f.client.listen(&session, &[]).await.status, 404);
}

#[tokio::test]
async fn requests_that_fit_no_session_are_refused() {
    let f = front(|_| {}).await;
    let session = f.client.begin("2025-11-25").await;
    let status = async |headers: &[&str], body: &str| f.client.post(headers, body).await.status;
    let echo = request(1, "echo");
    assert_eq!(status(&[], &echo).await, 400);
    assert_eq!(status(&["mcp-session-id: unknown"], &echo).await, 404);
    assert_eq!(
        status(&[&session, "authorization: Bearer other"], &echo).await,
        404
    );
    assert_eq!(
        status(&[&session, "mcp-protocol-version: 1999-01-01"], &echo).await,
        400
    );
    assert_eq!(
        status(&[&session, "mcp-protocol-version: 2025-03-26"], &echo).await,
        200
    );
    assert_eq!(status(&[&session], &request(2, "initialize")).await, 400);
    assert_eq!(f.client.post(&[&session], "{").await.code().await, -32700);
    assert_eq!(f.client.post(&[&session], "{}").await.code().await, -32600);
    let wrong = ["content-type: text/plain", super::client::BOTH];
    assert_eq!(f.client.send("POST /mcp", &wrong, &echo).await.status, 415);
    let wrong = ["content-type: application/json", "accept: text/html"];
    assert_eq!(f.client.send("POST /mcp", &wrong, &echo).await.status, 406);
    let get = async |headers: &[&str]| f.client.send("GET /mcp", headers, "").await.status;
    assert_eq!(get(&[]).await, 405);
    assert_eq!(get(&[&session, "accept: application/json"]).await, 406);
    assert_eq!(
        get(&[&session, "mcp-protocol-version: 2026-07-28"]).await,
        405
    );
    assert_eq!(f.client.send("PUT /mcp", &[], "").await.status, 405);
    assert_eq!(f.client.send("GET /", &[], "").await.status, 404);
}

#[tokio::test]
async fn an_initialize_that_fails_leaves_no_session() {
    let f = front(|_| {}).await;
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
    let reply = f.client.post(&[], body).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("mcp-session-id"), None);
    timeout(SOON, f.service.closed.notified()).await.unwrap();
}

#[tokio::test]
async fn progress_comes_on_the_stream_of_its_call() {
    let f = front(|_| {}).await;
    let session = f.client.begin("2025-11-25").await;
    let mut standing = f.client.listen(&session, &[]).await;
    let mut reply = f.client.post(&[&session], &request(7, "progress")).await;
    assert!(reply.is_stream());
    assert_eq!(reply.header("x-accel-buffering"), Some("no"));
    assert_eq!(reply.event().await.unwrap(), "id: 2-0\nretry: 1000\ndata: ");
    let progress = reply.event().await.unwrap();
    assert!(
        progress.starts_with("event: message\nid: 2-1\ndata: {"),
        "{progress}"
    );
    assert!(progress.contains(r#""progressToken":"t7""#));
    assert!(reply.event().await.unwrap().contains(r#""id":7,"result""#));
    assert_eq!(reply.event().await, None);

    let change = r#"{"jsonrpc":"2.0","method":"notifications/change"}"#;
    f.client.post(&[&session], change).await;
    assert!(standing.event().await.unwrap().contains("list_changed"));
}

#[tokio::test]
async fn clients_of_older_revisions_get_no_empty_event() {
    let f = front(|_| {}).await;
    let session = f.client.begin("2025-06-18").await;
    let mut reply = f.client.post(&[&session], &request(7, "progress")).await;
    assert!(reply.event().await.unwrap().contains("id: 2-1\n"));
}

#[tokio::test]
async fn a_question_of_the_server_reaches_the_caller_and_its_answer_the_server() {
    let f = front(|_| {}).await;
    let session = f.client.begin("2025-11-25").await;
    let mut reply = f.client.post(&[&session], &request(5, "ask")).await;
    reply.event().await;
    assert!(reply.event().await.unwrap().contains("elicitation/create"));
    let answer = r#"{"jsonrpc":"2.0","id":900,"result":{"action":"accept"}}"#;
    assert_eq!(f.client.post(&[&session], answer).await.status, 202);
    let last = reply.event().await.unwrap();
    assert!(
        last.contains(r#""id":5,"result":{"action":"accept"}"#),
        "{last}"
    );
}

#[tokio::test]
async fn a_call_whose_connection_breaks_goes_on_and_can_be_resumed() {
    let f = front(|_| {}).await;
    let session = f.client.begin("2025-11-25").await;
    let mut reply = f.client.post(&[&session], &request(5, "slow")).await;
    let primed = id_of(&reply.event().await.unwrap());
    drop(reply);
    f.service.go.notify_one();
    let mut again = f.client.listen(&session, &[&primed]).await;
    let answer = again.event().await.unwrap();
    assert!(
        answer.contains(r#""id":5,"result":{"slow":true}"#),
        "{answer}"
    );
    assert_eq!(again.event().await, None);
    // Resumes from the beginning: the answer may have been lost on the way.
    let mut again = f.client.listen(&session, &[&primed]).await;
    assert_eq!(again.event().await.unwrap(), answer);
    // After the last event the stream is over.
    let over = f.client.listen(&session, &[&id_of(&answer)]).await;
    assert_eq!(over.status, 204);
    let unknown = f.client.listen(&session, &["last-event-id: 99-1"]).await;
    assert_eq!(unknown.status, 400);
}

#[tokio::test]
async fn messages_are_kept_for_the_standing_stream_and_a_second_one_replaces_the_first() {
    let f = front(|_| {}).await;
    let session = f.client.begin("2025-11-25").await;
    let change = r#"{"jsonrpc":"2.0","method":"notifications/change"}"#;
    f.client.post(&[&session], change).await;
    let mut first = f.client.listen(&session, &[]).await;
    assert!(first.event().await.unwrap().contains("list_changed"));
    let mut second = f.client.listen(&session, &[]).await;
    assert_eq!(first.event().await, None);
    f.client.post(&[&session], change).await;
    assert!(second.event().await.unwrap().contains("id: 0-2\n"));
}

#[tokio::test]
async fn a_cancelled_call_is_over() {
    let f = front(|o| o.patience = SOON).await;
    let session = f.client.begin("2025-11-25").await;
    let (client, header) = (f.client, session.clone());
    let waiting =
        tokio::spawn(async move { client.post(&[&header], &request(5, "slow")).await.status });
    while f.figures.in_flight() == 0 {
        tokio::task::yield_now().await;
    }
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
    f.client.post(&[&session], cancel).await;
    assert_eq!(waiting.await.unwrap(), 202);
}

#[tokio::test]
async fn batches_are_answered_with_an_array() {
    let f = front(|_| {}).await;
    let session = f.client.begin("2025-03-26").await;
    let batch = format!("[{},{}]", request(1, "a"), request(2, "b"));
    let reply = f.client.post(&[&session], &batch).await;
    assert_eq!(
        reply.text().await,
        r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]"#
    );
}

#[tokio::test]
async fn a_server_that_dies_is_an_error_and_then_no_session() {
    let f = front(|_| {}).await;
    let session = f.client.begin("2025-11-25").await;
    let reply = f.client.post(&[&session], &request(5, "die")).await;
    assert_eq!(reply.code().await, -32000);
    assert_eq!(
        f.client.post(&[&session], &request(6, "echo")).await.status,
        404
    );
}

#[tokio::test]
async fn a_reader_that_stops_holds_up_its_own_session_only() {
    let f = front(|_| {}).await;
    let stuck = f.client.begin("2025-11-25").await;
    let other = f.client.begin("2025-11-25").await;
    let flood = f.client.post(&[&stuck], &request(1, "flood")).await;
    assert!(flood.is_stream());
    let reply = f.client.post(&[&other], &request(1, "echo")).await;
    assert_eq!(reply.status, 200);
    let mut flood = flood;
    let mut events = 0;
    while flood.event().await.is_some() {
        events += 1;
    }
    assert_eq!(events, 2002, "and nothing is lost once it reads");
}

#[tokio::test]
async fn a_stream_that_is_not_read_does_not_keep_an_answer_from_another() {
    let f = front(|o| {
        o.write_timeout = Duration::from_secs(3600);
        o.keep_alive = Duration::from_secs(1);
    })
    .await;
    let session = f.client.begin("2025-11-25").await;
    let unread = f.client.listen(&session, &[]).await;
    assert_eq!(unread.status, 200);
    let flood = async {
        let mut reply = f
            .client
            .post(&[&session], &request(1, "flood_standing"))
            .await;
        let mut last = None;
        while let Some(event) = reply.event().await {
            last = Some(event);
        }
        last
    };
    let answer = timeout(Duration::from_secs(60), flood).await;
    let answer = answer.expect("it is not held up").expect("an answer");
    assert!(answer.contains(r#""id":1"#), "{answer}");
    drop(unread);
}

#[tokio::test]
async fn a_client_that_takes_nothing_is_cut_off() {
    let f = front(|o| o.write_timeout = Duration::from_millis(200)).await;
    let session = f.client.begin("2025-11-25").await;
    let _stuck = f.client.post(&[&session], &request(1, "flood")).await;
    assert_eq!(f.figures.in_flight(), 1);
    f.wait_for_in_flight(0).await;
    let reply = f.client.post(&[&session], &request(2, "echo")).await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn sessions_requests_bodies_and_idle_time_are_bounded() {
    let f = front(|o| {
        o.max_sessions = 1;
        o.max_in_flight = 1;
        o.limits = linkspan_wire::Limits::new(1000);
        o.idle = Some(Duration::from_millis(300));
    })
    .await;
    let session = f.client.begin("2025-11-25").await;
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"x"}}"#;
    let refused = f.client.post(&[], body).await;
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.code().await, -32000);
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":3,"method":"{}"}}"#,
        "x".repeat(1000)
    );
    assert_eq!(f.client.post(&[&session], &long).await.status, 413);
    let held = f.client.post(&[&session], &request(1, "slow")).await;
    let reply = f.client.post(&[&session], &request(2, "echo")).await;
    assert_eq!(reply.status, 503);
    f.service.go.notify_one();
    drop(held);
    timeout(SOON, f.service.closed.notified())
        .await
        .expect("an idle session ends");
    assert_eq!(
        f.client.post(&[&session], &request(2, "echo")).await.status,
        404
    );
}

#[tokio::test]
async fn slow_senders_are_sent_away() {
    let f = front(|o| {
        o.body_timeout = Duration::from_millis(100);
        o.header_timeout = Duration::from_millis(100);
    })
    .await;
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{";
    assert_eq!(f.client.raw(head).await.status, 408);
    assert!(
        f.client
            .hangs_up_on("POST /mcp HTTP/1.1\r\nhost: local")
            .await
    );
}

#[tokio::test]
async fn stopping_ends_streams_and_sessions() {
    let mut f = front(|_| {}).await;
    let session = f.client.begin("2025-11-25").await;
    let mut standing = f.client.listen(&session, &[]).await;
    drop(f.stop.take());
    assert_eq!(standing.event().await, None);
    timeout(SOON, &mut f.served).await.unwrap().unwrap();
    assert_eq!(f.figures.sessions(), 0);
}

#[tokio::test]
async fn health_is_shown_without_a_token_but_not_to_strangers() {
    let f = front(|o| o.token = super::super::Token::parse("s3cret")).await;
    let health = f.client.send("GET /healthz", &[], "").await;
    assert_eq!(
        health.text().await,
        r#"{"status":"ok","sessions":0,"inFlight":0}"#
    );
    let stranger = ["origin: http://evil.example"];
    assert_eq!(
        f.client.send("GET /healthz", &stranger, "").await.status,
        403
    );
    assert_eq!(f.client.post(&[], &request(1, "x")).await.status, 401);
    let rebound = ["host: evil.example", "authorization: Bearer s3cret"];
    assert_eq!(f.client.post(&rebound, &request(1, "x")).await.status, 403);
    let asks = [
        "origin: http://localhost:1",
        "access-control-request-method: POST",
    ];
    let preflight = f.client.send("OPTIONS /mcp", &asks, "").await;
    assert_eq!(preflight.status, 204);
    assert_eq!(
        preflight.header("access-control-allow-origin"),
        Some("http://localhost:1")
    );
}

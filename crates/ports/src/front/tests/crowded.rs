//! Clients that use up their share must leave something for others.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::client::Client;
use super::front;

/// The number of connections of a front with one request slot.
const MOST: usize = 64;
/// Longer than any test runs.
const HOUR: Duration = Duration::from_secs(3600);

const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
const STOP_READING: &str = r#"{"jsonrpc":"2.0","method":"notifications/stop_reading"}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// A request whose body is never complete.
async fn half_a_request(client: &Client, who: usize) -> TcpStream {
    let mut stream = TcpStream::connect(client.0).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: {who}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{{",
        client.0
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn connections_without_a_request_make_room_for_one_with_a_request() {
    let f = front(|o| {
        o.max_in_flight = 1;
        o.header_timeout = HOUR;
    })
    .await;
    let mut idle = Vec::new();
    for _ in 0..3 * MOST {
        idle.push(TcpStream::connect(f.client.0).await.unwrap());
    }
    assert_eq!(f.client.send("GET /healthz", &[], "").await.status, 200);
    let session = f.client.begin("2025-11-25").await;
    assert_eq!(f.client.post(&[&session], PING).await.status, 200);
}

#[tokio::test]
async fn a_connection_between_two_requests_is_kept_while_others_have_sent_nothing() {
    let f = front(|o| {
        o.max_in_flight = 1;
        o.header_timeout = HOUR;
    })
    .await;
    let mut kept = TcpStream::connect(f.client.0).await.unwrap();
    let ask = format!("GET /healthz HTTP/1.1\r\nhost: {}\r\n\r\n", f.client.0);
    kept.write_all(ask.as_bytes()).await.unwrap();
    let reply = super::client::Reply::read(kept).await;
    let kept = reply.drained().await;
    let mut idle = Vec::new();
    for _ in 0..3 * MOST {
        idle.push(TcpStream::connect(f.client.0).await.unwrap());
    }
    assert_eq!(f.client.send("GET /healthz", &[], "").await.status, 200);
    let mut kept = kept;
    kept.write_all(ask.as_bytes()).await.unwrap();
    assert_eq!(super::client::Reply::read(kept).await.status, 200);
}

#[tokio::test]
async fn when_every_place_serves_a_request_health_is_still_answered_and_others_get_a_503() {
    let f = front(|o| {
        o.max_in_flight = 1;
        o.body_timeout = HOUR;
    })
    .await;
    let mut held = Vec::new();
    for who in 0..MOST {
        held.push(half_a_request(&f.client, who).await);
    }
    for _ in 0..5 {
        let late = f.client.post(&["authorization: late"], PING).await;
        assert_eq!(late.status, 503);
        assert_eq!(late.header("retry-after"), Some("1"));
        assert_eq!(late.header("connection"), Some("close"));
        assert_eq!(f.client.send("GET /healthz", &[], "").await.status, 200);
    }
    drop(held);
}

#[tokio::test]
async fn one_principal_cannot_have_every_place() {
    let f = front(|o| {
        o.max_in_flight = 1;
        o.body_timeout = HOUR;
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..2 * MOST {
        held.push(half_a_request(&f.client, 1).await);
    }
    let other = "authorization: other";
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    let reply = f.client.post(&[other], body).await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn a_message_for_a_server_that_does_not_read_is_refused_after_a_while() {
    let f = front(|o| {
        o.sse = true;
        o.room_timeout = Duration::from_millis(50);
    })
    .await;
    let session = f.client.begin("2025-11-25").await;
    let mut stream = f.client.send("GET /sse", &[], "").await;
    let endpoint = stream.event().await.unwrap();
    let (_, place) = endpoint.split_once("data: ").unwrap();
    let line = format!("POST {place}");
    let json = "content-type: application/json";
    let post = async |body: &str, by_sse: bool| {
        if by_sse {
            f.client.send(&line, &[json], body).await
        } else {
            f.client.post(&[&session], body).await
        }
    };
    for by_sse in [true, false] {
        assert_eq!(post(STOP_READING, by_sse).await.status, 202);
        let mut taken = 0;
        let refused = loop {
            let reply = post(NOTE, by_sse).await;
            if reply.status != 202 {
                break reply;
            }
            taken += 1;
            assert!(taken < 1000, "nothing stops a client");
        };
        assert_eq!(refused.status, 503);
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert_eq!(post(PING, by_sse).await.status, 503, "requests as well");
        f.service.go.notify_one();
        let again = async { while post(NOTE, by_sse).await.status != 202 {} };
        tokio::time::timeout(Duration::from_secs(30), again)
            .await
            .expect("it reads again");
    }
}

#[tokio::test]
async fn few_messages_at_once_wait_for_a_server_that_does_not_read() {
    let f = front(|o| o.room_timeout = HOUR).await;
    let session = f.client.begin("2025-11-25").await;
    assert_eq!(f.client.post(&[&session], STOP_READING).await.status, 202);
    let mut posts = tokio::task::JoinSet::new();
    for _ in 0..400 {
        let (client, session) = (f.client, session.clone());
        posts.spawn(async move {
            let mut stream = TcpStream::connect(client.0).await.unwrap();
            let text = format!(
                "POST /mcp HTTP/1.1\r\nhost: {}\r\n{session}\r\n{}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{NOTE}",
                client.0,
                super::client::BOTH,
                NOTE.len()
            );
            stream.write_all(text.as_bytes()).await.unwrap();
            let mut status = [0; 12];
            tokio::io::AsyncReadExt::read_exact(&mut stream, &mut status)
                .await
                .unwrap();
            status.ends_with(b"503")
        });
    }
    // The queue takes as many as it holds, a few wait, and all others are refused at once.
    let mut refused = 0;
    let counted = async {
        while refused < 400 - 2 * 64 - 1 {
            refused += usize::from(posts.join_next().await.unwrap().unwrap());
        }
    };
    tokio::time::timeout(Duration::from_secs(60), counted)
        .await
        .expect("they do not wait");
    let other = f.client.begin("2025-11-25").await;
    assert_eq!(f.client.post(&[&other], PING).await.status, 200);
}

#[tokio::test]
async fn messages_for_all_servers_together_are_bounded_and_leave_room() {
    const MB: usize = 1 << 20;
    let f = front(|o| {
        o.limits = linkspan_wire::Limits::new(MB);
        o.room_timeout = Duration::from_millis(20);
    })
    .await;
    let large = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"text":"{}"}}}}"#,
        "x".repeat(60_000)
    );
    let mut taken = 0;
    for _ in 0..40 {
        let session = f.client.begin("2025-11-25").await;
        assert_eq!(f.client.post(&[&session], STOP_READING).await.status, 202);
        loop {
            let reply = f.client.post(&[&session], &large).await;
            if reply.status != 202 {
                assert_eq!(reply.status, 503);
                break;
            }
            taken += large.len();
        }
    }
    // 64 messages for each of them would be 150 MB.
    assert!(taken <= 64 * MB, "{taken}");
    let other = f.client.begin("2025-11-25").await;
    assert_eq!(f.client.post(&[&other], &large).await.status, 202);
    assert_eq!(f.client.post(&[&other], PING).await.status, 200);
}

//! Clients over WebSocket.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::{Running, front};
use crate::front::FrontOptions;

const KEY: &str = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
const ASKED: [&str; 4] = [
    "connection: keep-alive, Upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    KEY,
];

fn serve(options: &mut FrontOptions) {
    options.websocket = Some("/ws".to_owned());
}

async fn connect(f: &Running) -> WebSocketStream<TcpStream> {
    let stream = TcpStream::connect(f.client.0).await.unwrap();
    let url = format!("ws://{}/ws", f.client.0);
    client_async(url, stream).await.unwrap().0
}

async fn text(socket: &mut WebSocketStream<TcpStream>) -> String {
    loop {
        let next = timeout(Duration::from_secs(10), socket.next())
            .await
            .unwrap();
        match next.unwrap().unwrap() {
            Message::Text(text) => return text.as_str().to_owned(),
            Message::Ping(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

fn echo(word: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{{"a":"{word}"}}}}"#)
}

fn echoed(word: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":"{word}"}}}}"#)
}

#[tokio::test]
async fn each_connection_is_a_session_and_ends_with_it() {
    let f = front(serve).await;
    let (mut one, mut other) = (connect(&f).await, connect(&f).await);
    one.send(Message::text(echo("one"))).await.unwrap();
    other.send(Message::binary(echo("other"))).await.unwrap();
    assert_eq!(text(&mut other).await, echoed("other"));
    assert_eq!(text(&mut one).await, echoed("one"));
    one.send(Message::text("no JSON")).await.unwrap();
    // The service of this test ends a session then.
    let ended = timeout(Duration::from_secs(10), f.service.closed.notified());
    ended.await.unwrap();
    drop(other);
    let ended = timeout(Duration::from_secs(10), f.service.closed.notified());
    ended.await.unwrap();
}

#[tokio::test]
async fn the_handshake_has_the_rules_of_every_request() {
    let f = front(|options| {
        serve(options);
        options.max_sessions = 1;
    })
    .await;
    let asked = async |more: &[&str]| {
        let headers = [&ASKED, more].concat();
        f.client.send("GET /ws", &headers, "").await
    };
    assert_eq!(asked(&["origin: https://evil.example"]).await.status, 403);
    assert_eq!(asked(&["host: evil.example"]).await.status, 403);
    assert_eq!(f.client.send("GET /ws", &ASKED[..3], "").await.status, 426);
    assert_eq!(f.client.send("POST /ws", &ASKED, "{}").await.status, 405);
    assert_eq!(f.client.send("GET /x", &ASKED, "").await.status, 404);
    let open = asked(&[
        "sec-websocket-protocol: x, mcp",
        "origin: http://localhost:1",
    ])
    .await;
    assert_eq!(open.status, 101);
    // The example of RFC 6455; the client of these tests makes all headers lower case.
    let accepted = open.header("sec-websocket-accept");
    assert_eq!(accepted, Some("s3pplmbitxaq9kygzzhzrbk+xoo="));
    assert_eq!(open.header("sec-websocket-protocol"), Some("mcp"));
    assert_eq!(asked(&[]).await.status, 503);
}

#[tokio::test]
async fn a_message_above_the_limit_ends_the_connection() {
    let f = front(|options| {
        serve(options);
        options.limits = linkspan_wire::Limits::new(1000);
    })
    .await;
    let mut socket = connect(&f).await;
    socket.send(Message::text(echo("fits"))).await.unwrap();
    assert_eq!(text(&mut socket).await, echoed("fits"));
    let _ = socket.send(Message::text(echo(&"x".repeat(1000)))).await;
    let ended = timeout(Duration::from_secs(10), f.service.closed.notified());
    ended.await.unwrap();
}

#[tokio::test]
async fn a_client_that_answers_no_ping_is_let_go() {
    let f = front(|options| {
        serve(options);
        options.keep_alive = Duration::from_millis(50);
    })
    .await;
    let mut lively = connect(&f).await;
    // It never reads, so that it never answers.
    let _silent = connect(&f).await;
    let gone = f.service.closed.notified();
    tokio::pin!(gone);
    let ended = async {
        loop {
            tokio::select! {
                () = &mut gone => return,
                _ = lively.next() => {}
            }
        }
    };
    timeout(Duration::from_secs(10), ended).await.unwrap();
    lively.send(Message::text(echo("here"))).await.unwrap();
    assert_eq!(text(&mut lively).await, echoed("here"));
}

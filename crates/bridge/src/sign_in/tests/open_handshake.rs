//! A server whose `initialize` is open to all, and nothing else: `initialized` meets the first refusal.

use std::sync::atomic::Ordering;

use linkspan_ports::{HttpOptions, http};
use linkspan_session::{Fault, Inbound, Outbound, Port};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::account::{Issuer, account};
use super::*;

/// What the server has taken.
type Taken = Arc<Mutex<Vec<String>>>;

async fn serve(listener: TcpListener, taken: Taken) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream, taken.clone()));
    }
}

/// Answers one request.
async fn answer(mut stream: TcpStream, taken: Taken) {
    let mut request = Vec::new();
    let (head, body) = loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().unwrap());
            if body.len() >= length {
                break (head, body.to_owned());
            }
        }
        if stream.read_buf(&mut request).await.unwrap() == 0 {
            return;
        }
    };
    let has_token = head.contains("authorization: bearer access");
    let (status, result) = match Message::parse(body.into()) {
        Err(_) => ("405 Method Not Allowed", None),
        Ok(msg) if msg.method() == names::INITIALIZE => {
            let result = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
            ("200 OK", msg.id().map(|id| Message::result(&id, result)))
        }
        Ok(_) if !has_token => ("401 Unauthorized\r\nWWW-Authenticate: Bearer", None),
        Ok(msg) => {
            taken.lock().unwrap().push(msg.method().into_owned());
            match msg.id() {
                Some(id) => ("200 OK", Some(Message::result(&id, r#"{"tools":[]}"#))),
                None => ("202 Accepted", None),
            }
        }
    };
    let body = result.map_or_else(String::new, |msg| msg.text());
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(response.as_bytes()).await.unwrap();
}

async fn send(port: &Port, text: &str) {
    let msg = Message::parse(text.to_owned().into()).unwrap();
    let sent = port.tx.send(Outbound::One(Envelope::new(msg))).await;
    sent.unwrap();
}

async fn next(port: &mut Port) -> Inbound {
    let next = timeout(Duration::from_secs(10), port.rx.recv()).await;
    next.unwrap().unwrap()
}

#[tokio::test]
async fn a_server_hears_initialized_before_calls_also_after_a_late_sign_in() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let taken = Taken::default();
    let server = tokio::spawn(serve(listener, taken.clone()));
    let folder = tempfile::tempdir().unwrap();
    let issuer = Issuer::of(&url);
    let account = account(&folder, &issuer);
    account.set_patience(Some(LOOK));
    let mut options = HttpOptions::new(&url, false).unwrap();
    options.authorizer = Some(Arc::new(account.clone()));
    let mut port = http(options).unwrap();

    send(&port, &OPEN.replace("2025-06-18", "2025-11-25")).await;
    assert!(matches!(next(&mut port).await, Inbound::Message(_)));
    send(&port, READY).await;
    // Both of them wait behind `initialized`, and fail with it.
    for id in [2, 3] {
        send(&port, &request(id, "tools/list")).await;
    }
    for _ in [2, 3] {
        let Inbound::Failed { why, .. } = next(&mut port).await else {
            panic!("it was not refused");
        };
        assert!(
            matches!(why, Fault::NotSignedIn { url: Some(_), .. }),
            "{why:?}"
        );
    }
    assert!(taken.lock().unwrap().is_empty());
    assert!(account.prompts().borrow().is_some(), "the sign-in goes on");

    issuer.is_entered.store(true, Ordering::Relaxed);
    account.set_patience(None);
    send(&port, &request(4, "tools/list")).await;
    assert!(matches!(next(&mut port).await, Inbound::Message(_)));
    let taken = taken.lock().unwrap().clone();
    assert_eq!(taken, [names::INITIALIZED, "tools/list"]);
    server.abort();
}

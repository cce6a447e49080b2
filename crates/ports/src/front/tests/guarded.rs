//! A front with a guard: credentials are names, `name:scope` has a scope, and `name:short` expires soon.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use linkspan_auth::Challenge;
use linkspan_auth::resource::{Denied, Identity, Presented, Scheme};

use super::super::{AdmittedCaller, Admitting, Guard, GuardedRequest, Token};
use super::client::BOTH;
use super::{Running, front};

#[derive(Debug)]
struct Names;

const SHORT: Duration = Duration::from_millis(300);

fn denied(status: u16, error: &str) -> Denied {
    Denied {
        status,
        challenges: vec![Challenge::new("Bearer").with("error", error)],
        kind: "test",
        why: "no".to_owned(),
        hint: "no",
    }
}

impl Guard for Names {
    fn admit<'a>(&'a self, request: GuardedRequest<'a>) -> Admitting<'a> {
        let Presented::Bearer(token) = request.presented else {
            return Box::pin(async { Err(denied(401, "missing")) });
        };
        let mut parts = token.split(':');
        let subject = parts.next().unwrap_or_default().to_owned();
        let scopes: Vec<String> = parts.map(str::to_owned).collect();
        let is_short = scopes.iter().any(|scope| scope == "short");
        let lasts = is_short.then_some(SHORT);
        Box::pin(async move {
            tokio::task::yield_now().await;
            let identity = Arc::new(Identity {
                issuer: "issuer".to_owned(),
                subject,
                client_id: None,
                scopes,
                name: None,
                views: Vec::new(),
            });
            Ok(AdmittedCaller { identity, lasts })
        })
    }

    fn limits_tools(&self) -> bool {
        true
    }

    fn permit(&self, identity: &Identity, _: Scheme, tools: &[String]) -> Result<(), Denied> {
        let may = tools.iter().all(|tool| identity.scopes.contains(tool));
        may.then_some(())
            .ok_or_else(|| denied(403, "insufficient_scope"))
    }

    fn document(&self, path: &str) -> Option<Bytes> {
        (path == "/.well-known/x").then(|| Bytes::from_static(b"{}"))
    }

    fn resource(&self) -> &str {
        "http://localhost/mcp"
    }
}

async fn guarded() -> Running {
    front(|options| {
        options.guard = Some(Arc::new(Names));
        options.sse = true;
    })
    .await
}

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#;
const CALL: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wipe","arguments":{}}}"#;

/// Begins a session with these credentials; returns its header.
async fn begin(front: &Running, token: &str) -> String {
    let reply = front
        .client
        .post(&[&format!("authorization: Bearer {token}")], INITIALIZE)
        .await;
    assert_eq!(reply.status, 200);
    let key = reply.header("mcp-session-id").unwrap();
    format!("mcp-session-id: {key}")
}

#[tokio::test]
async fn without_credentials_every_path_but_health_and_documents_is_refused() {
    let front = guarded().await;
    let json = "content-type: application/json";
    for line in [
        "POST /mcp",
        "GET /mcp",
        "DELETE /mcp",
        "GET /sse",
        "POST /messages",
        "GET /x",
    ] {
        let reply = front.client.send(line, &[json, BOTH], INITIALIZE).await;
        assert_eq!(reply.status, 401, "{line}");
        let challenge = reply.header("www-authenticate");
        assert_eq!(challenge, Some(r#"bearer error="missing""#), "{line}");
    }
    for line in ["GET /healthz", "GET /.well-known/x"] {
        assert_eq!(front.client.send(line, &[], "").await.status, 200, "{line}");
    }
    let posted = front.client.send("POST /.well-known/x", &[], "").await;
    assert_eq!(posted.status, 405);
    let page = ["origin: http://localhost:6274"];
    let reply = front.client.send("GET /.well-known/x", &page, "").await;
    let exposed = reply.header("access-control-expose-headers");
    assert_eq!(exposed, Some("mcp-session-id, www-authenticate"));
    assert_eq!(reply.text().await, "{}");
}

#[tokio::test]
async fn a_session_belongs_to_the_identity_and_not_to_the_token() {
    let front = guarded().await;
    let session = begin(&front, "ada").await;
    let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
    let with = async |token: &str| {
        let header = format!("authorization: Bearer {token}");
        front.client.post(&[&header, &session], ping).await.status
    };
    assert_eq!(with("ada:refreshed").await, 200);
    assert_eq!(with("bob").await, 404);
    assert_eq!(with("ada").await, 200);
    let bob = "authorization: Bearer bob";
    let end = [bob, &session];
    assert_eq!(front.client.send("DELETE /mcp", &end, "").await.status, 404);
    assert_eq!(front.client.listen(&session, &[bob]).await.status, 404);
    let ada = "authorization: Bearer ada:again";
    assert_eq!(front.client.listen(&session, &[ada]).await.status, 200);
    let end = [ada, &session];
    assert_eq!(front.client.send("DELETE /mcp", &end, "").await.status, 204);
}

#[tokio::test]
async fn a_call_without_its_scope_is_refused_in_every_shape() {
    let front = guarded().await;
    let session = begin(&front, "ada").await;
    let ada = "authorization: Bearer ada";
    let reply = front.client.post(&[ada, &session], CALL).await;
    assert_eq!(reply.status, 403);
    let challenge = reply.header("www-authenticate");
    assert_eq!(challenge, Some(r#"bearer error="insufficient_scope""#));
    assert!(reply.text().await.contains(r#""id":1"#));
    let batch = format!("[{INITIALIZE},{CALL}]");
    assert_eq!(
        front.client.post(&[ada, &session], &batch).await.status,
        403
    );
    let twice = CALL.replace(r#""name":"wipe""#, r#""name":"ping","Name":"wipe""#);
    assert_eq!(
        front.client.post(&[ada, &session], &twice).await.status,
        400
    );
    let scoped = "authorization: Bearer ada:wipe";
    assert_eq!(
        front.client.post(&[scoped, &session], CALL).await.status,
        200
    );
}

#[tokio::test]
async fn the_same_holds_for_http_with_sse() {
    let front = guarded().await;
    let ada = "authorization: Bearer ada";
    let events = "accept: text/event-stream";
    let mut stream = front.client.send("GET /sse", &[ada, events], "").await;
    assert_eq!(stream.status, 200);
    let endpoint = stream.event().await.unwrap();
    let path = endpoint
        .lines()
        .find_map(|line| line.strip_prefix("data: "))
        .unwrap();
    let line = format!("POST {path}");
    let post = async |token: &str, body: &str| {
        let header = format!("authorization: Bearer {token}");
        let headers = [header.as_str(), "content-type: application/json"];
        front.client.send(&line, &headers, body).await.status
    };
    assert_eq!(post("bob", INITIALIZE).await, 404);
    assert_eq!(post("ada:other", INITIALIZE).await, 202);
    assert_eq!(post("ada", CALL).await, 403);
    assert_eq!(post("ada:wipe", CALL).await, 202);
}

#[tokio::test]
async fn modern_requests_are_checked_too() {
    let front = guarded().await;
    let params = r#""params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name""#;
    let call = CALL.replace(r#""params":{"name""#, params);
    let headers = |token: &str| {
        [
            format!("authorization: Bearer {token}"),
            "mcp-protocol-version: 2026-07-28".to_owned(),
            "mcp-method: tools/call".to_owned(),
            "mcp-name: wipe".to_owned(),
        ]
    };
    for (token, status) in [("ada", 403), ("ada:wipe", 200)] {
        let headers = headers(token);
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        assert_eq!(front.client.post(&headers, &call).await.status, status);
    }
}

#[tokio::test]
async fn the_fixed_token_is_accepted_beside_the_guard_and_has_no_limits() {
    let front = front(|options| {
        options.guard = Some(Arc::new(Names));
        options.token = Token::parse("s3cret");
    })
    .await;
    let session = begin(&front, "s3cret").await;
    let fixed = "authorization: Bearer s3cret";
    assert_eq!(
        front.client.post(&[fixed, &session], CALL).await.status,
        200
    );
    let ada = "authorization: Bearer ada:wipe";
    assert_eq!(front.client.post(&[ada, &session], CALL).await.status, 404);
}

const SHORT_TOKEN: &str = "authorization: Bearer ada:short";
const LONG_TOKEN: &str = "authorization: Bearer ada";
const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;

#[tokio::test]
async fn the_standing_stream_ends_with_the_token() {
    let front = guarded().await;
    let session = begin(&front, "ada:short").await;
    let mut stream = front.client.listen(&session, &[SHORT_TOKEN]).await;
    assert_eq!(stream.status, 200);
    assert_eq!(stream.event().await, None);
}

#[tokio::test]
async fn a_refreshed_token_keeps_the_standing_stream() {
    let front = guarded().await;
    let session = begin(&front, "ada:short").await;
    let mut stream = front.client.listen(&session, &[SHORT_TOKEN]).await;
    let refreshed = front.client.post(&[LONG_TOKEN, &session], PING).await;
    assert_eq!(refreshed.status, 200);
    tokio::time::sleep(SHORT * 2).await;
    let change = r#"{"jsonrpc":"2.0","method":"notifications/change"}"#;
    front.client.post(&[LONG_TOKEN, &session], change).await;
    assert!(stream.event().await.unwrap().contains("list_changed"));
}

#[tokio::test]
async fn a_call_in_flight_outlives_the_token() {
    let front = guarded().await;
    let session = begin(&front, "ada:short").await;
    let slow = r#"{"jsonrpc":"2.0","id":3,"method":"slow"}"#;
    let go = front.service.go.clone();
    tokio::spawn(async move {
        tokio::time::sleep(SHORT * 2).await;
        go.notify_one();
    });
    let mut reply = front.client.post(&[SHORT_TOKEN, &session], slow).await;
    let answer = if reply.is_stream() {
        reply.event().await.unwrap()
    } else {
        reply.text().await
    };
    assert!(answer.contains("slow"));
}

#[tokio::test]
async fn the_stream_of_http_with_sse_ends_with_the_token_when_its_calls_are_answered() {
    let front = guarded().await;
    let events = "accept: text/event-stream";
    let mut stream = front
        .client
        .send("GET /sse", &[SHORT_TOKEN, events], "")
        .await;
    let endpoint = stream.event().await.unwrap();
    let path = endpoint
        .lines()
        .find_map(|line| line.strip_prefix("data: "))
        .unwrap();
    let line = format!("POST {path}");
    let headers = [SHORT_TOKEN, "content-type: application/json"];
    let slow = r#"{"jsonrpc":"2.0","id":3,"method":"slow"}"#;
    let posted = front.client.send(&line, &headers, slow).await;
    assert_eq!(posted.status, 202);
    tokio::time::sleep(SHORT * 2).await;
    front.service.go.notify_one();
    assert!(stream.event().await.unwrap().contains("slow"));
    assert_eq!(stream.event().await, None);
}

#[tokio::test]
async fn a_modern_subscription_ends_with_the_token() {
    let front = guarded().await;
    let listen = r#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let headers = [
        SHORT_TOKEN,
        "mcp-protocol-version: 2026-07-28",
        "mcp-method: subscriptions/listen",
    ];
    let mut stream = front.client.post(&headers, listen).await;
    assert!(stream.is_stream());
    assert!(stream.event().await.is_some());
    assert_eq!(stream.event().await, None);
    front.service.dropped.notified().await;
}

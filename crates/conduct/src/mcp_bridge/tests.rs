//! The bridge with real sockets. The test plays the chain, a provider in it, and the agent.

use std::time::Duration;

use linkspan_acp::{Dialect, Joining};
use linkspan_session::{Envelope, Inbound, Outbound};
use linkspan_wire::{Id, Json, Message};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::*;
use crate::handshake::{Key, client_proof, server_proof};

const CALL: &str = r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo"}}"#;
const DISCOVER: &str = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"}}}}"#;
const PATIENCE: Duration = Duration::from_secs(30);

fn bridge(
    mode: BridgeMode,
    transport: BridgeTransport,
) -> (DeclarationBridge, mpsc::Receiver<Joining>) {
    let (chain, joins) = ChainHandle::pair();
    let options = BridgeOptions {
        mode,
        transport,
        current_exe: std::env::current_exe,
        socket_folders: vec![std::env::temp_dir()],
        secret_timeout: SECRET_TIMEOUT,
    };
    (
        DeclarationBridge::new(options, Limits::default(), chain),
        joins,
    )
}

fn offered(
    bridge: &mut DeclarationBridge,
    number: u64,
    provider: Provider,
) -> Result<Declared, RpcError> {
    let offer = Offer {
        declaration_id: DeclarationId(number),
        name: "tools",
        provider,
        owner: Some(Dialect::Current),
        entry: Json::parse(r#"{"type":"acp","name":"tools","serverId":"s-1"}"#).unwrap(),
        version: 1,
        takes_http: number != 99,
    };
    let text = bridge.offer(&offer)?;
    let entry = Json::parse(&text).unwrap();
    let args = entry.get("args").and_then(|args| args.elements().nth(1));
    let pairs = entry.get("env").or_else(|| entry.get("headers")).unwrap();
    let secret = pairs.elements().next().unwrap().get("value").unwrap();
    let endpoint = args.or_else(|| entry.get("url")).unwrap();
    Ok(Declared {
        endpoint: endpoint.as_str().unwrap().into_owned(),
        secret: secret.as_str().unwrap().into_owned(),
    })
}

fn modern() -> Provider {
    Provider::Server("s-1".to_owned())
}

/// The contents of the agent's entry.
struct Declared {
    endpoint: String,
    secret: String,
}

/// A provider of MCP 2026-07-28 for every connection. Returns the methods that it receives.
fn provide(mut joins: mpsc::Receiver<Joining>) -> mpsc::Receiver<String> {
    let (heard, hearing) = mpsc::channel(256);
    tokio::spawn(async move {
        while let Some(Joining { port, .. }) = joins.recv().await {
            let heard = heard.clone();
            tokio::spawn(async move {
                let mut port = port;
                while let Some(Inbound::Message(envelope)) = port.rx.recv().await {
                    let msg = envelope.msg;
                    let inner = msg.params().and_then(|p| p.get("method")?.as_str());
                    let inner = inner.map_or_else(|| msg.method().into_owned(), Into::into);
                    if let (Some(id), Some(body)) = (msg.id(), answer(&inner)) {
                        let answer = Message::result(&id, &body);
                        let _ = port.tx.send(Outbound::One(Envelope::new(answer))).await;
                    }
                    let _ = heard.send(inner).await;
                }
            });
        }
    });
    hearing
}

fn answer(method: &str) -> Option<String> {
    Some(match method {
        "server/discover" => r#"{"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"p","version":"1"}}}}"#.to_owned(),
        "tools/list" => r#"{"result":{"resultType":"complete","tools":[{"name":"echo","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"private"}}"#.to_owned(),
        "tools/call" => return None,
        _ => r#"{"error":{"code":-32601,"message":"native MCP requests do not use initialize"}}"#.to_owned(),
    })
}

/// A connection to the bridge.
struct Connection<S> {
    stream: BufReader<S>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    fn new(stream: S) -> Self {
        Self {
            stream: BufReader::new(stream),
        }
    }

    async fn say(&mut self, line: &str) {
        // The bridge may have closed the connection.
        let _ = self.stream.write_all(format!("{line}\n").as_bytes()).await;
    }

    /// The next line; `None` if the connection is closed.
    async fn hear(&mut self) -> Option<String> {
        let line = async {
            let mut line = Vec::new();
            let read = self.stream.read_until(b'\n', &mut line).await;
            let heard = read.is_ok_and(|read| read > 0);
            heard.then(|| String::from_utf8(line).unwrap().trim_end().to_owned())
        };
        timeout(PATIENCE, line)
            .await
            .expect("neither a line nor the end")
    }

    async fn shake(&mut self) {
        self.say(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#).await;
        let shaken = self.hear().await.unwrap();
        assert!(
            shaken.contains(r#""protocolVersion":"2025-06-18""#),
            "{shaken}"
        );
        assert!(shaken.contains(r#""name":"p""#), "{shaken}");
        self.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
    }

    async fn lists(&mut self, id: &str) {
        self.say(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#
        ))
        .await;
        let list = self.hear().await.unwrap();
        assert!(
            list.contains("echo") && list.contains(&format!(r#""id":{id}"#)),
            "{list}"
        );
    }
}

#[cfg(unix)]
async fn socket(declared: &Declared) -> Connection<tokio::net::UnixStream> {
    Connection::new(
        tokio::net::UnixStream::connect(&declared.endpoint)
            .await
            .unwrap(),
    )
}

#[cfg(unix)]
mod unix;

#[tokio::test]
async fn over_tcp_both_sides_prove_the_secret_without_sending_it() {
    let (mut bridge, joins) = bridge(BridgeMode::Stdio, BridgeTransport::Tcp);
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let _heard = provide(joins);
    let port: u16 = declared.endpoint.parse().unwrap();
    let connect =
        || async { Connection::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap()) };

    let mut agent = connect().await;
    let theirs = agent.hear().await.unwrap();
    let key = Key::of(&declared.secret);
    let proof = client_proof(&key, &theirs, "mine").to_hex();
    agent.say(&format!("mine {proof}")).await;
    let answer = agent.hear().await.unwrap();
    assert_eq!(answer, *server_proof(&key, &theirs, "mine").to_hex());
    agent.shake().await;

    // A proof is valid on one connection only.
    for words in [
        format!("mine {proof}"),
        declared.secret.clone(),
        "a b".to_owned(),
        String::new(),
    ] {
        let mut stranger = connect().await;
        assert_ne!(stranger.hear().await.unwrap(), theirs);
        stranger.say(&words).await;
        stranger
            .say(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
            .await;
        assert_eq!(stranger.hear().await, None);
    }
}

async fn post(declared: &Declared, headers: &str) -> String {
    let rest = declared.endpoint.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#;
    let request = format!(
        "POST /{path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(host).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let all = stream.read_to_string(&mut answer);
    timeout(PATIENCE, all).await.unwrap().unwrap();
    answer
}

#[tokio::test]
async fn over_http_a_token_is_required_and_revocation_closes_the_listener() {
    let (mut bridge, joins) = bridge(BridgeMode::Http, BridgeTransport::Auto);
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let _heard = provide(joins);
    assert!(post(&declared, "").await.starts_with("HTTP/1.1 401"));
    let token = format!("Authorization: {}\r\n", declared.secret);
    let foreign = format!("{token}Origin: https://evil.example\r\n");
    assert!(post(&declared, &foreign).await.starts_with("HTTP/1.1 403"));
    let answer = post(&declared, &token).await;
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.contains(r#""name":"p""#),
        "{answer}"
    );

    bridge.revoke(DeclarationId(1));
    let host = declared
        .endpoint
        .strip_prefix("http://")
        .unwrap()
        .split('/')
        .next()
        .unwrap()
        .to_owned();
    let closed = async {
        while TcpStream::connect(&host).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, closed).await.expect("it still listens");
}

#[tokio::test]
async fn an_agent_without_http_is_refused_an_http_server() {
    let (mut bridge, _joins) = bridge(BridgeMode::Http, BridgeTransport::Auto);
    let refused = offered(&mut bridge, 99, modern()).err().unwrap();
    assert_eq!(refused.code(), -32602);
    assert!(
        refused
            .answer(&Id::number(1))
            .text()
            .contains("--mcp-bridge http")
    );
}

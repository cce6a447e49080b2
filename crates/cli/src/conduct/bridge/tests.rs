//! The doors of the bridge. The test plays the chain and a provider in it, and whoever knocks.

use std::time::Duration;

use linkspan_acp::{Dialect, Joining};
use linkspan_session::{Envelope, Inbound, Outbound};
use linkspan_wire::{Id, Json, Message};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::*;

const CALL: &str = r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo"}}"#;
const DISCOVER: &str = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"}}}}"#;
const PATIENCE: Duration = Duration::from_secs(30);

fn bridging(how: BridgeArg, transport: TransportArg) -> (Bridging, mpsc::Receiver<Joining>) {
    let (chain, joins) = Handle::pair();
    let options = BridgeOptions {
        how,
        transport,
        limits: Limits::default(),
        introduction: INTRODUCTION,
    };
    (Bridging::new(options, chain), joins)
}

fn offered(bridging: &mut Bridging, number: u64, provider: Provider) -> Result<Told, RpcError> {
    let offer = Offer {
        ticket: Ticket(number),
        name: "tools",
        provider,
        owner: Some(Dialect::Current),
        entry: Json::parse(r#"{"type":"acp","name":"tools","serverId":"s-1"}"#).unwrap(),
        version: 1,
        takes_http: number != 99,
    };
    let text = bridging.offer(&offer)?;
    let told = Json::parse(&text).unwrap();
    let args = told.get("args").and_then(|args| args.elements().nth(1));
    let pairs = told.get("env").or_else(|| told.get("headers")).unwrap();
    let secret = pairs.elements().next().unwrap().get("value").unwrap();
    let place = args.or_else(|| told.get("url")).unwrap();
    Ok(Told {
        place: place.as_str().unwrap().into_owned(),
        secret: secret.as_str().unwrap().into_owned(),
    })
}

fn modern() -> Provider {
    Provider::Server("s-1".to_owned())
}

/// What an agent was told.
struct Told {
    place: String,
    secret: String,
}

/// A provider of MCP 2026-07-28, for everybody who joins. Gives the methods that it hears.
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

/// Somebody at the door.
struct Knocker<S> {
    stream: BufReader<S>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Knocker<S> {
    fn new(stream: S) -> Self {
        Self {
            stream: BufReader::new(stream),
        }
    }

    async fn say(&mut self, line: &str) {
        // Whoever was thrown out finds the door closed.
        let _ = self.stream.write_all(format!("{line}\n").as_bytes()).await;
    }

    /// The next line, or nothing if the door is closed.
    async fn hear(&mut self) -> Option<String> {
        let line = async {
            let mut line = Vec::new();
            let read = self.stream.read_until(b'\n', &mut line).await;
            let heard = read.is_ok_and(|read| read > 0);
            heard.then(|| String::from_utf8(line).unwrap().trim_end().to_owned())
        };
        timeout(PATIENCE, line)
            .await
            .expect("neither a word nor the end")
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
async fn socket(told: &Told) -> Knocker<tokio::net::UnixStream> {
    Knocker::new(tokio::net::UnixStream::connect(&told.place).await.unwrap())
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn stdio() -> (Bridging, mpsc::Receiver<Joining>) {
        bridging(BridgeArg::Auto, TransportArg::Unix)
    }

    #[tokio::test]
    async fn a_client_of_the_old_era_reaches_a_provider_of_the_new_one() {
        let (mut bridging, joins) = stdio();
        let told = offered(&mut bridging, 1, modern()).unwrap();
        let _heard = provide(joins);
        let mut agent = socket(&told).await;
        agent.say(&told.secret).await;
        agent.shake().await;
        agent.lists(r#""x""#).await;
    }

    #[tokio::test]
    async fn a_client_of_the_new_era_needs_no_handshake() {
        let (mut bridging, joins) = stdio();
        let told = offered(&mut bridging, 1, modern()).unwrap();
        let _heard = provide(joins);
        let mut agent = socket(&told).await;
        agent.say(&told.secret).await;
        agent.say(DISCOVER).await;
        let discovered = agent.hear().await.unwrap();
        assert!(
            discovered.contains(r#""supportedVersions":["2026-07-28"]"#),
            "{discovered}"
        );
    }

    #[tokio::test]
    async fn a_client_of_the_new_era_reaches_a_provider_of_the_old_one() {
        let (mut bridging, mut joins) = stdio();
        let told = offered(&mut bridging, 1, Provider::Url("acp:1".to_owned())).unwrap();
        let provider = async {
            let mut port = joins.recv().await.unwrap().port;
            let mut verbs = Vec::new();
            while let Some(Inbound::Message(envelope)) = port.rx.recv().await {
                let params = envelope.msg.params().unwrap();
                let inner = params.get("method").and_then(Json::as_str);
                let result = match (&*envelope.msg.method(), inner.as_deref()) {
                    ("_mcp/connect", _) => r#"{"connection_id":"c"}"#,
                    (_, Some("initialize")) => {
                        r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}"#
                    }
                    _ => r#"{"tools":[]}"#,
                };
                verbs.push(inner.map_or_else(String::new, Into::into));
                if let Some(id) = envelope.msg.id() {
                    let answer = Envelope::new(Message::result(&id, result));
                    port.tx.send(Outbound::One(answer)).await.unwrap();
                }
            }
            verbs
        };
        let agent = async {
            let mut agent = socket(&told).await;
            agent.say(&told.secret).await;
            agent.say(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"}}}}"#).await;
            let list = agent.hear().await.unwrap();
            assert!(list.contains(r#""tools":[]"#), "{list}");
        };
        let (mut verbs, ()) = tokio::join!(provider, agent);
        // The `ping` marks which questions belong to the start of the server.
        verbs.retain(|verb| verb != "ping");
        assert_eq!(
            verbs[..4],
            ["", "initialize", "notifications/initialized", "tools/list"]
        );
    }

    #[tokio::test]
    async fn what_was_found_out_is_not_asked_again() {
        let (mut bridging, joins) = stdio();
        let told = offered(&mut bridging, 1, modern()).unwrap();
        let mut heard = provide(joins);
        for first in ["initialize", "server/discover"] {
            let mut agent = socket(&told).await;
            agent.say(&told.secret).await;
            agent.shake().await;
            agent.lists("5").await;
            assert_eq!(heard.recv().await.unwrap(), first);
            while heard.recv().await.unwrap() != "tools/list" {}
        }
    }

    #[tokio::test]
    async fn who_has_no_secret_or_the_wrong_one_gets_not_a_byte() {
        let (mut bridging, joins) = stdio();
        let told = offered(&mut bridging, 1, modern()).unwrap();
        let mut heard = provide(joins);
        let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#.to_owned();
        let long = "x".repeat(100_000);
        for secret in [
            "0".repeat(64),
            String::new(),
            initialize,
            long,
            "\u{0}".to_owned(),
        ] {
            let mut stranger = socket(&told).await;
            stranger.say(&secret).await;
            stranger
                .say(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
                .await;
            assert_eq!(stranger.hear().await, None);
        }
        assert!(heard.try_recv().is_err(), "the provider has heard of it");
    }

    #[tokio::test]
    async fn who_says_nothing_is_shown_the_door() {
        let (mut bridging, _joins) = stdio();
        let told = offered(&mut bridging, 1, modern()).unwrap();
        assert_eq!(socket(&told).await.hear().await, None);
    }

    #[tokio::test]
    async fn silent_connections_do_not_delay_one_with_the_secret() {
        let (mut bridging, joins) = stdio();
        // They would stay for as long as the test may take.
        bridging.options.introduction = 100 * PATIENCE;
        let told = offered(&mut bridging, 1, modern()).unwrap();
        let _heard = provide(joins);
        let mut early = socket(&told).await;
        early.say(&told.secret).await;
        early.shake().await;
        let mut silent = Vec::new();
        for _ in 0..300 {
            silent.push(socket(&told).await);
        }
        let mut agent = socket(&told).await;
        agent.say(&told.secret).await;
        agent.shake().await;
        assert_eq!(silent[0].hear().await, None, "the oldest had to go");
        early.lists("3").await;
    }

    #[tokio::test]
    async fn many_connections_at_the_same_moment_all_get_in() {
        let (mut bridging, joins) = stdio();
        let one = offered(&mut bridging, 1, modern()).unwrap();
        let two = offered(&mut bridging, 2, modern()).unwrap();
        let mut agents = Vec::new();
        for told in std::iter::repeat_n([&one, &two], 60).flatten() {
            let mut agent = socket(told).await;
            agent.say(&told.secret).await;
            agents.push(agent);
        }
        // The chain is busy for a moment.
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
        let _heard = provide(joins);
        for agent in &mut agents {
            agent.shake().await;
        }
    }

    #[tokio::test]
    async fn two_connections_of_one_declaration_do_not_see_each_other() {
        let (mut bridging, joins) = stdio();
        let told = offered(&mut bridging, 1, modern()).unwrap();
        let _heard = provide(joins);
        let (mut one, mut other) = (socket(&told).await, socket(&told).await);
        one.say(&told.secret).await;
        other.say(&told.secret).await;
        one.shake().await;
        other.shake().await;
        other.lists("7").await;
        one.lists("7").await;
    }

    #[tokio::test]
    async fn the_secret_of_one_declaration_opens_no_other() {
        let (mut bridging, mut joins) = stdio();
        let one = offered(&mut bridging, 1, modern()).unwrap();
        let two = offered(&mut bridging, 2, modern()).unwrap();
        assert_eq!(one.place, two.place, "one listener for all");
        assert_ne!(one.secret, two.secret);
        let mut agent = socket(&one).await;
        agent.say(&two.secret).await;
        assert_eq!(joins.recv().await.unwrap().ticket, Ticket(2));
    }

    #[tokio::test]
    async fn a_revoked_declaration_answers_who_waits_and_tells_who_comes_late() {
        let (mut bridging, joins) = stdio();
        let told = offered(&mut bridging, 1, modern()).unwrap();
        let mut heard = provide(joins);
        let mut agent = socket(&told).await;
        agent.say(&told.secret).await;
        agent.shake().await;
        agent.say(CALL).await;
        while heard.recv().await.unwrap() != "tools/call" {}
        bridging.revoke(Ticket(1));
        let answer = agent.hear().await.unwrap();
        assert!(
            answer.contains(r#""id":5,"error":{"code":-32001"#),
            "{answer}"
        );
        assert_eq!(agent.hear().await, None, "and then it is over");
        assert_eq!(heard.recv().await.unwrap(), "$/cancel_request");

        let mut late = socket(&told).await;
        late.say(&told.secret).await;
        late.say(r#"{"jsonrpc":"2.0","id":6,"method":"initialize"}"#)
            .await;
        let answer = late.hear().await.unwrap();
        assert!(
            answer.contains(r#""id":6,"error":{"code":-32001"#),
            "{answer}"
        );
    }

    #[tokio::test]
    async fn a_client_that_asks_while_its_declaration_is_revoked_is_told_so() {
        let (mut bridging, mut joins) = stdio();
        let told = offered(&mut bridging, 1, modern()).unwrap();
        let mut agent = socket(&told).await;
        agent.say(&told.secret).await;
        agent.say(DISCOVER).await;
        let mut provider = joins.recv().await.unwrap().port;
        assert!(matches!(
            provider.rx.recv().await,
            Some(Inbound::Message(_))
        ));
        bridging.revoke(Ticket(1));
        let answer = agent.hear().await.unwrap();
        assert!(answer.contains("the bridge session has ended"), "{answer}");
        assert_eq!(agent.hear().await, None);
    }

    #[tokio::test]
    async fn a_call_that_is_cancelled_is_taken_back_in_the_chain() {
        let (mut bridging, joins) = stdio();
        let told = offered(&mut bridging, 1, modern()).unwrap();
        let mut heard = provide(joins);
        let mut agent = socket(&told).await;
        agent.say(&told.secret).await;
        agent.shake().await;
        agent.say(CALL).await;
        while heard.recv().await.unwrap() != "tools/call" {}
        agent
            .say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#)
            .await;
        assert_eq!(heard.recv().await.unwrap(), "$/cancel_request");
    }

    #[tokio::test]
    async fn a_client_that_leaves_takes_its_calls_with_it() {
        let (mut bridging, joins) = stdio();
        let told = offered(&mut bridging, 1, modern()).unwrap();
        let mut heard = provide(joins);
        let mut agent = socket(&told).await;
        agent.say(&told.secret).await;
        agent.shake().await;
        agent.say(CALL).await;
        while heard.recv().await.unwrap() != "tools/call" {}
        drop(agent);
        assert_eq!(heard.recv().await.unwrap(), "$/cancel_request");
    }

    #[tokio::test]
    async fn one_declaration_has_not_more_connections_than_it_may() {
        let (mut bridging, joins) = stdio();
        let told = offered(&mut bridging, 1, modern()).unwrap();
        let _heard = provide(joins);
        let mut inside = Vec::new();
        for _ in 0..64 {
            let mut agent = socket(&told).await;
            agent.say(&told.secret).await;
            agent.shake().await;
            inside.push(agent);
        }
        let mut outside = socket(&told).await;
        outside.say(&told.secret).await;
        for id in [1, 2] {
            outside
                .say(&format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize"}}"#
                ))
                .await;
            let answer = outside.hear().await.expect("it is told why");
            assert!(
                answer.contains(&format!(r#""id":{id},"error":{{"code":-33000"#)),
                "{answer}"
            );
            assert!(answer.contains("64 connections"), "{answer}");
        }
        assert_eq!(outside.hear().await, None, "and then the door is closed");
        inside.pop().unwrap().lists("8").await;
        // There is room again as soon as one has left.
        let room = async {
            loop {
                let mut another = socket(&told).await;
                another.say(&told.secret).await;
                another.say(DISCOVER).await;
                if another.hear().await.unwrap().contains("supportedVersions") {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(PATIENCE, room).await.expect("there is no room");
    }

    #[tokio::test]
    async fn nobody_else_can_reach_the_socket_and_it_goes_with_the_bridge() {
        let (mut bridging, _joins) = stdio();
        let told = offered(&mut bridging, 1, modern()).unwrap();
        let socket = std::path::Path::new(&told.place);
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(socket) & 0o777, 0o600);
        let dir = socket.parent().unwrap();
        assert_eq!(mode(dir) & 0o777, 0o700);
        assert!(told.place.len() < 104);
        drop(bridging);
        assert!(!dir.exists());
    }

    #[test]
    fn a_folder_with_a_long_name_is_not_used() {
        let long = std::env::temp_dir().join("x".repeat(90));
        assert!(private::PrivateSocket::within(&long).is_err());
    }
}

#[tokio::test]
async fn over_tcp_the_secret_is_proven_by_both_and_shown_by_nobody() {
    let (mut bridging, joins) = bridging(BridgeArg::Stdio, TransportArg::Tcp);
    let told = offered(&mut bridging, 1, modern()).unwrap();
    let _heard = provide(joins);
    let port: u16 = told.place.parse().unwrap();
    let connect = || async { Knocker::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap()) };

    let mut agent = connect().await;
    let theirs = agent.hear().await.unwrap();
    let key = Key::of(&told.secret);
    let proof = proof_of_client(&key, &theirs, "mine").to_hex();
    agent.say(&format!("mine {proof}")).await;
    let answer = agent.hear().await.unwrap();
    assert_eq!(answer, *proof_of_server(&key, &theirs, "mine").to_hex());
    agent.shake().await;

    // What was said on one connection opens no other.
    for words in [
        format!("mine {proof}"),
        told.secret.clone(),
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

async fn post(told: &Told, headers: &str) -> String {
    let rest = told.place.strip_prefix("http://").unwrap();
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
async fn over_http_a_token_is_wanted_and_the_end_is_the_end() {
    let (mut bridging, joins) = bridging(BridgeArg::Http, TransportArg::Auto);
    let told = offered(&mut bridging, 1, modern()).unwrap();
    let _heard = provide(joins);
    assert!(post(&told, "").await.starts_with("HTTP/1.1 401"));
    let token = format!("Authorization: {}\r\n", told.secret);
    let foreign = format!("{token}Origin: https://evil.example\r\n");
    assert!(post(&told, &foreign).await.starts_with("HTTP/1.1 403"));
    let answer = post(&told, &token).await;
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.contains(r#""name":"p""#),
        "{answer}"
    );

    bridging.revoke(Ticket(1));
    let host = told
        .place
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
async fn an_agent_that_takes_no_http_is_not_given_it() {
    let (mut bridging, _joins) = bridging(BridgeArg::Http, TransportArg::Auto);
    let refused = offered(&mut bridging, 99, modern()).err().unwrap();
    assert_eq!(refused.code(), -32602);
    assert!(
        refused
            .answer(&Id::number(1))
            .text()
            .contains("--mcp-bridge http")
    );
}

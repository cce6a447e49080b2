//! Connections over private sockets.

use super::*;
use std::os::unix::fs::PermissionsExt;

fn stdio() -> (DeclarationBridge, mpsc::Receiver<Joining>) {
    bridge(BridgeMode::Auto, BridgeTransport::Unix)
}

#[tokio::test]
async fn a_legacy_client_reaches_a_modern_provider() {
    let (mut bridge, joins) = stdio();
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let _heard = provide(joins);
    let mut agent = socket(&declared).await;
    agent.say(&declared.secret).await;
    agent.shake().await;
    agent.lists(r#""x""#).await;
}

#[tokio::test]
async fn a_modern_client_needs_no_handshake() {
    let (mut bridge, joins) = stdio();
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let _heard = provide(joins);
    let mut agent = socket(&declared).await;
    agent.say(&declared.secret).await;
    agent.say(DISCOVER).await;
    let discovered = agent.hear().await.unwrap();
    assert!(
        discovered.contains(r#""supportedVersions":["2026-07-28"]"#),
        "{discovered}"
    );
}

#[tokio::test]
async fn a_modern_client_reaches_a_legacy_provider() {
    let (mut bridge, mut joins) = stdio();
    let declared = offered(&mut bridge, 1, Provider::Url("acp:1".to_owned())).unwrap();
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
        let mut agent = socket(&declared).await;
        agent.say(&declared.secret).await;
        agent.say(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"}}}}"#).await;
        let list = agent.hear().await.unwrap();
        assert!(list.contains(r#""tools":[]"#), "{list}");
    };
    let (mut verbs, ()) = tokio::join!(provider, agent);
    // The `ping` separates the requests of the start from later ones.
    verbs.retain(|verb| verb != "ping");
    assert_eq!(
        verbs[..4],
        ["", "initialize", "notifications/initialized", "tools/list"]
    );
}

#[tokio::test]
async fn the_era_of_a_provider_is_probed_once() {
    let (mut bridge, joins) = stdio();
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let mut heard = provide(joins);
    for first in ["initialize", "server/discover"] {
        let mut agent = socket(&declared).await;
        agent.say(&declared.secret).await;
        agent.shake().await;
        agent.lists("5").await;
        assert_eq!(heard.recv().await.unwrap(), first);
        while heard.recv().await.unwrap() != "tools/list" {}
    }
}

#[tokio::test]
async fn without_the_right_secret_no_byte_is_sent() {
    let (mut bridge, joins) = stdio();
    let declared = offered(&mut bridge, 1, modern()).unwrap();
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
        let mut stranger = socket(&declared).await;
        stranger.say(&secret).await;
        stranger
            .say(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
            .await;
        assert_eq!(stranger.hear().await, None);
    }
    assert!(heard.try_recv().is_err(), "the provider received it");
}

#[tokio::test]
async fn a_silent_connection_is_closed() {
    let (mut bridge, _joins) = stdio();
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    assert_eq!(socket(&declared).await.hear().await, None);
}

#[tokio::test]
async fn silent_connections_do_not_delay_one_with_the_secret() {
    let (mut bridge, joins) = stdio();
    // Longer than the test may take.
    bridge.options.secret_timeout = 100 * PATIENCE;
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let _heard = provide(joins);
    let mut early = socket(&declared).await;
    early.say(&declared.secret).await;
    early.shake().await;
    let mut silent = Vec::new();
    for _ in 0..300 {
        silent.push(socket(&declared).await);
    }
    let mut agent = socket(&declared).await;
    agent.say(&declared.secret).await;
    agent.shake().await;
    assert_eq!(silent[0].hear().await, None, "the oldest is evicted");
    early.lists("3").await;
}

#[tokio::test]
async fn many_simultaneous_connections_are_all_served() {
    let (mut bridge, joins) = stdio();
    let one = offered(&mut bridge, 1, modern()).unwrap();
    let two = offered(&mut bridge, 2, modern()).unwrap();
    let mut agents = Vec::new();
    for declared in std::iter::repeat_n([&one, &two], 60).flatten() {
        let mut agent = socket(declared).await;
        agent.say(&declared.secret).await;
        agents.push(agent);
    }
    // The chain is busy for a while.
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
    let (mut bridge, joins) = stdio();
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let _heard = provide(joins);
    let (mut one, mut other) = (socket(&declared).await, socket(&declared).await);
    one.say(&declared.secret).await;
    other.say(&declared.secret).await;
    one.shake().await;
    other.shake().await;
    other.lists("7").await;
    one.lists("7").await;
}

#[tokio::test]
async fn the_secret_of_one_declaration_opens_no_other() {
    let (mut bridge, mut joins) = stdio();
    let one = offered(&mut bridge, 1, modern()).unwrap();
    let two = offered(&mut bridge, 2, modern()).unwrap();
    assert_eq!(one.endpoint, two.endpoint, "one listener for all");
    assert_ne!(one.secret, two.secret);
    let mut agent = socket(&one).await;
    agent.say(&two.secret).await;
    assert_eq!(joins.recv().await.unwrap().declaration_id, DeclarationId(2));
}

/// An agent whose call has reached the server.
async fn calling(
    declared: &Declared,
    heard: &mut mpsc::Receiver<String>,
) -> Connection<tokio::net::UnixStream> {
    let mut agent = socket(declared).await;
    agent.say(&declared.secret).await;
    agent.shake().await;
    agent.say(CALL).await;
    while heard.recv().await.unwrap() != "tools/call" {}
    agent
}

#[tokio::test]
async fn a_revoked_declaration_answers_pending_and_late_requests() {
    let (mut bridge, joins) = stdio();
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let mut heard = provide(joins);
    let mut agent = calling(&declared, &mut heard).await;
    bridge.revoke(DeclarationId(1));
    let answer = agent.hear().await.unwrap();
    assert!(
        answer.contains(r#""id":5,"error":{"code":-32001"#),
        "{answer}"
    );
    assert_eq!(agent.hear().await, None, "then it is closed");
    assert_eq!(heard.recv().await.unwrap(), "$/cancel_request");

    let mut late = socket(&declared).await;
    late.say(&declared.secret).await;
    late.say(r#"{"jsonrpc":"2.0","id":6,"method":"initialize"}"#)
        .await;
    let answer = late.hear().await.unwrap();
    assert!(
        answer.contains(r#""id":6,"error":{"code":-32001"#),
        "{answer}"
    );
}

#[tokio::test]
async fn a_request_during_the_revocation_gets_an_error() {
    let (mut bridge, mut joins) = stdio();
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let mut agent = socket(&declared).await;
    agent.say(&declared.secret).await;
    agent.say(DISCOVER).await;
    let mut provider = joins.recv().await.unwrap().port;
    assert!(matches!(
        provider.rx.recv().await,
        Some(Inbound::Message(_))
    ));
    bridge.revoke(DeclarationId(1));
    let answer = agent.hear().await.unwrap();
    assert!(answer.contains("the bridge session has ended"), "{answer}");
    assert_eq!(agent.hear().await, None);
}

#[tokio::test]
async fn a_cancelled_call_is_cancelled_in_the_chain() {
    let (mut bridge, joins) = stdio();
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let mut heard = provide(joins);
    let mut agent = calling(&declared, &mut heard).await;
    agent
        .say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#)
        .await;
    assert_eq!(heard.recv().await.unwrap(), "$/cancel_request");
}

#[tokio::test]
async fn calls_of_a_closed_connection_are_cancelled() {
    let (mut bridge, joins) = stdio();
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let mut heard = provide(joins);
    let agent = calling(&declared, &mut heard).await;
    drop(agent);
    assert_eq!(heard.recv().await.unwrap(), "$/cancel_request");
}

#[tokio::test]
async fn connections_of_one_declaration_are_limited() {
    let (mut bridge, joins) = stdio();
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let _heard = provide(joins);
    let mut inside = Vec::new();
    for _ in 0..64 {
        let mut agent = socket(&declared).await;
        agent.say(&declared.secret).await;
        agent.shake().await;
        inside.push(agent);
    }
    let mut outside = socket(&declared).await;
    outside.say(&declared.secret).await;
    for id in [1, 2] {
        outside
            .say(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize"}}"#
            ))
            .await;
        let answer = outside.hear().await.expect("it gets the reason");
        assert!(
            answer.contains(&format!(r#""id":{id},"error":{{"code":-33000"#)),
            "{answer}"
        );
        assert!(answer.contains("64 connections"), "{answer}");
    }
    assert_eq!(outside.hear().await, None, "then it is closed");
    inside.pop().unwrap().lists("8").await;
    // Closing one connection makes room for another.
    let room = async {
        loop {
            let mut another = socket(&declared).await;
            another.say(&declared.secret).await;
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
async fn the_socket_is_private_and_is_removed_with_the_bridge() {
    let (mut bridge, _joins) = stdio();
    let declared = offered(&mut bridge, 1, modern()).unwrap();
    let socket = std::path::Path::new(&declared.endpoint);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(socket) & 0o777, 0o600);
    let dir = socket.parent().unwrap();
    assert_eq!(mode(dir) & 0o777, 0o700);
    assert!(declared.endpoint.len() < 104);
    drop(bridge);
    assert!(!dir.exists());
}

#[test]
fn a_folder_with_a_long_name_is_not_used() {
    let long = std::env::temp_dir().join("x".repeat(90));
    assert!(private_socket::PrivateSocket::within(&long).is_err());
}

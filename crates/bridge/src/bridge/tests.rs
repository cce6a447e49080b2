//! One client, one server, every combination of eras.

use linkspan_ports::Principal;
use linkspan_session::{Envelope, Layer, Verdict, Way};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::*;
use crate::layers::SessionInfo;
use crate::record::OutputFile;
use crate::testing::{
    Client, Habit, backend, backend_with, connection, given, message, modern_call,
};

#[tokio::test(start_paused = true)]
async fn clients_of_both_eras_reach_servers_of_both_eras() {
    for server in [Era::Legacy, Era::Modern] {
        for client in [Era::Legacy, Era::Modern] {
            let (backend, _log) = backend(server);
            let bridge = Bridge::new(backend).serve_ports();
            let (mut one, front) = Client::new();
            let call = async {
                let answer = one.first_call(client, "which").await;
                drop(one);
                connection(&answer)
            };
            let (number, ()) = tokio::join!(call, bridge.serve(front, std::future::pending()));
            assert_eq!(number, 1, "a {client:?} client and a {server:?} server");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_is_started_once_for_a_modern_client() {
    for first in ["server/discover", "tools/list"] {
        let slow = Habit::SlowStart(Duration::from_secs(4));
        let (backend, log) = backend_with(Era::Legacy, &[slow]);
        let (mut client, front) = Client::new();
        let options = StdioOptions {
            front: Some(front),
            ..StdioOptions::default()
        };
        let bridge = Bridge::new(backend.like_a_command()).serve_stdio(options);
        let call = async {
            let text = modern_call("which", r#"{"sampling":{}}"#).text();
            let text = text
                .replace("tools/call", first)
                .replace(r#""id":1"#, r#""id":7"#);
            let answer = client.ask(message(&text)).await;
            assert!(answer.text().contains("result"), "{}", answer.text());
            let call = client.ask(modern_call("which", r#"{"sampling":{}}"#)).await;
            assert_eq!(given(&call, "client"), r#"{"sampling":{}}"#);
            drop(client);
        };
        let ((), ended) = tokio::join!(call, bridge.run(std::future::pending()));
        assert!(ended.is_ok(), "{ended:?}");
        assert_eq!((log.opened(), log.count("initialize")), (1, 1), "{first}");
        let (_, handshake) = log.find(|msg| msg.method() == "initialize").await;
        assert!(handshake.text().contains(r#""name":"c""#), "in its name");
    }
}

#[tokio::test(start_paused = true)]
async fn each_client_of_a_port_bridge_has_a_connection_of_its_own() {
    let (backend, log) = backend(Era::Legacy);
    let bridge = Bridge::new(backend).serve_ports();
    for number in 1..=2 {
        let (mut client, front) = Client::new();
        let call = async {
            let answer = client.first_call(Era::Legacy, "which").await;
            assert_eq!(connection(&answer), number);
            drop(client);
        };
        tokio::join!(call, bridge.serve(front, std::future::pending()));
    }
    log.closed(2).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_without_a_first_message_is_given_up() {
    let (backend, _log) = backend(Era::Legacy);
    let bridge = Bridge::new(backend).serve_ports();
    let (client, front) = Client::new();
    let give_up = tokio::time::sleep(Duration::from_secs(5));
    let keep = async {
        bridge.serve(front, give_up).await;
        drop(client);
    };
    let ended = tokio::time::timeout(Duration::from_secs(60), keep).await;
    assert!(ended.is_ok());
}

/// Counts the messages of one session.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicUsize>, &'static str, Order);

type Order = Arc<parking_lot::Mutex<Vec<&'static str>>>;

impl LayerFactory for Counting {
    fn layer(&self, session: SessionInfo<'_>) -> Box<dyn Layer> {
        assert!(session.one_client && *session.principal == Principal::anonymous());
        Box::new(self.clone())
    }
}

impl Layer for Counting {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        if way == Way::ToBack && envelope.msg.method() == "tools/call" {
            self.0.fetch_add(1, Ordering::Relaxed);
            self.2.lock().push(self.1);
        }
        Verdict::Pass(envelope)
    }
}

#[tokio::test(start_paused = true)]
async fn layers_lie_between_client_and_server_in_the_order_in_which_they_were_added() {
    let (backend, _log) = backend(Era::Legacy);
    let (count, order) = (Arc::default(), Order::default());
    let layer = |name| Counting(Arc::clone(&count), name, order.clone());
    let bridge = Bridge::new(backend)
        .layer(layer("next to the server"))
        .layer(layer("next to the client"));
    let (mut client, front) = Client::new();
    let call = async {
        client.first_call(Era::Modern, "which").await;
        drop(client);
    };
    let bridge = bridge.serve_ports();
    tokio::join!(call, bridge.serve(front, std::future::pending()));
    assert_eq!(count.load(Ordering::Relaxed), 2);
    assert_eq!(*order.lock(), ["next to the client", "next to the server"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_closes_ends_the_stdio_bridge_with_its_fault() {
    let (backend, _log) = backend(Era::Legacy);
    let (mut client, front) = Client::new();
    let options = StdioOptions {
        front: Some(front),
        ..StdioOptions::default()
    };
    let bridge = Bridge::new(backend).serve_stdio(options);
    let call = async {
        let failed = client.first_call(Era::Legacy, "die").await;
        assert!(failed.text().contains(r#""error""#), "{}", failed.text());
    };
    let ((), ended) = tokio::join!(call, bridge.run(std::future::pending()));
    assert!(
        matches!(ended, Err(BridgeError::ServerClosed(_))),
        "{ended:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_stdio_bridge_stops_on_request_and_ends_the_server() {
    let (backend, log) = backend(Era::Legacy);
    let closed = Arc::new(AtomicUsize::new(0));
    let count = closed.clone();
    let backend = backend.closing(move || {
        let count = count.clone();
        async move {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    let (mut client, front) = Client::new();
    let options = StdioOptions {
        front: Some(front),
        ..StdioOptions::default()
    };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let bridge = Bridge::new(backend).serve_stdio(options);
    let call = async {
        client.first_call(Era::Legacy, "which").await;
        stop.send(()).unwrap();
    };
    let ((), ended) = tokio::join!(call, bridge.run(async { drop(stopped.await) }));
    assert!(ended.is_ok(), "{ended:?}");
    log.closed(1).await;
    assert_eq!(closed.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn the_transcript_has_both_directions_as_the_client_sees_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("transcript");
    let (backend, _log) = backend(Era::Modern);
    let (mut client, front) = Client::new();
    let options = StdioOptions {
        front: Some(front),
        record: Some(OutputFile::open(&file).unwrap()),
        ..StdioOptions::default()
    };
    let bridge = Bridge::new(backend).serve_stdio(options);
    let call = async {
        client.first_call(Era::Legacy, "which").await;
        drop(client);
    };
    let ((), ended) = tokio::join!(call, bridge.run(std::future::pending()));
    assert!(ended.is_ok(), "{ended:?}");
    let text = std::fs::read_to_string(file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert!(lines[0].contains(
        r#""direction":"client->server","message":{"jsonrpc":"2.0","id":1,"method":"initialize""#
    ));
    assert!(lines[1].contains(r#""direction":"server->client""#));
    assert!(!text.contains("server/discover"), "{text}");
}

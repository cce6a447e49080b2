//! A client and a server joined by the session's task, in virtual time.

use std::time::{Duration, Instant};

use linkspan_session::{
    Config, Ended, Envelope, Fault, Inbound, Layer, Outbound, Port, PortEnd, Session, Verdict, Way,
};
use linkspan_wire::{Id, Message};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

struct Pair {
    client: PortEnd,
    server: PortEnd,
    stop: oneshot::Sender<()>,
    session: JoinHandle<Ended>,
}

fn join(config: Config) -> Pair {
    join_with(config, Vec::new())
}

fn join_with(config: Config, layers: Vec<Box<dyn Layer>>) -> Pair {
    let (front, client) = Port::pair("client", 4);
    let (back, server) = Port::pair("server", 4);
    let (stop, stopped) = oneshot::channel();
    let session = tokio::spawn(Session::new(config, front, back, layers).run(async {
        if stopped.await.is_err() {
            std::future::pending::<()>().await;
        }
    }));
    Pair {
        client,
        server,
        stop,
        session,
    }
}

fn text(item: Option<Outbound>) -> String {
    match item {
        Some(Outbound::One(envelope)) => envelope.msg.text(),
        other => panic!("{other:?}"),
    }
}

fn inbound(msg: Message) -> Inbound {
    Inbound::Message(Envelope::new(msg))
}

fn call(id: u64) -> Inbound {
    inbound(Message::request(&Id::number(id), "tools/call", None))
}

#[tokio::test(start_paused = true)]
async fn sixty_four_calls_finish_in_reverse_order() {
    let mut pair = join(Config::default());
    let hops = tokio::spawn(async move {
        let mut hops = Vec::new();
        for _ in 0..64 {
            let Some(Outbound::One(envelope)) = pair.server.rx.recv().await else {
                panic!()
            };
            hops.push(envelope.msg.id().unwrap());
        }
        for hop in hops.iter().rev() {
            let answer = Message::result(hop, "{}");
            pair.server.tx.send(inbound(answer)).await.unwrap();
        }
        pair.server
    });
    for n in 100..164 {
        pair.client.tx.send(call(n)).await.unwrap();
    }
    for n in (100..164).rev() {
        let answer = text(pair.client.rx.recv().await);
        assert_eq!(answer, Message::result(&Id::number(n), "{}").text());
    }
    hops.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_stops_reading_slows_the_server_and_loses_nothing() {
    let mut pair = join(Config {
        high_water: 1000,
        ..Config::default()
    });
    let note = |n: usize| {
        Message::notification(
            &format!("note/{n}"),
            Some(&format!("[\"{}\"]", "x".repeat(200))),
        )
    };
    let mut sent = 0;
    while timeout(
        Duration::from_secs(60),
        pair.server.tx.send(inbound(note(sent))),
    )
    .await
    .is_ok()
    {
        sent += 1;
        assert!(sent < 50, "the server is never held back");
    }
    // The other direction is not blocked.
    pair.client.tx.send(call(1)).await.unwrap();
    assert!(text(pair.server.rx.recv().await).contains("tools/call"));
    for n in 0..sent {
        assert_eq!(text(pair.client.rx.recv().await), note(n).text());
    }
    drop(pair.server);
}

#[tokio::test(start_paused = true)]
async fn silence_ends_a_call_at_its_deadline() {
    let mut pair = join(Config {
        timeout: Some(Duration::from_secs(30)),
        ..Config::default()
    });
    let start = tokio::time::Instant::now();
    pair.client.tx.send(call(1)).await.unwrap();
    let answer = text(pair.client.rx.recv().await);
    assert!(answer.contains(r#""kind":"timeout""#), "{answer}");
    assert_eq!(start.elapsed().as_secs(), 30);
    assert!(text(pair.server.rx.recv().await).contains("tools/call"));
    assert!(text(pair.server.rx.recv().await).contains("notifications/cancelled"));
}

#[tokio::test(start_paused = true)]
async fn answers_in_flight_still_arrive_after_the_client_closed_its_side() {
    let mut pair = join(Config::default());
    pair.client.tx.send(call(1)).await.unwrap();
    drop(pair.client.tx);
    assert!(text(pair.server.rx.recv().await).contains("tools/call"));
    sleep(Duration::from_millis(500)).await;
    pair.server
        .tx
        .send(inbound(Message::result(&Id::number(1), "{}")))
        .await
        .unwrap();
    assert_eq!(
        text(pair.client.rx.recv().await),
        Message::result(&Id::number(1), "{}").text()
    );
    assert!(
        pair.server.rx.recv().await.is_none(),
        "the back is told to close"
    );
    drop((pair.server.done, pair.client.done));
    assert_eq!(pair.session.await.unwrap(), Ended::FrontClosed);
}

#[tokio::test(start_paused = true)]
async fn an_unanswered_call_is_cancelled_and_fails() {
    let mut pair = join(Config::default());
    pair.client.tx.send(call(1)).await.unwrap();
    drop(pair.client.tx);
    assert!(text(pair.server.rx.recv().await).contains("tools/call"));
    assert!(text(pair.server.rx.recv().await).contains("notifications/cancelled"));
    drop(pair.server);
    assert!(text(pair.client.rx.recv().await).contains(r#""kind":"closing""#));
}

#[tokio::test(start_paused = true)]
async fn stopping_does_not_wait_for_answers() {
    let mut pair = join(Config::default());
    pair.client.tx.send(call(1)).await.unwrap();
    assert!(text(pair.server.rx.recv().await).contains("tools/call"));
    let start = tokio::time::Instant::now();
    pair.stop.send(()).unwrap();
    assert!(text(pair.server.rx.recv().await).contains("notifications/cancelled"));
    drop((pair.server, pair.client));
    assert_eq!(pair.session.await.unwrap(), Ended::Stopped);
    assert_eq!(start.elapsed().as_millis(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_port_that_never_closes_cannot_delay_the_end() {
    let pair = join(Config::default());
    let start = tokio::time::Instant::now();
    pair.stop.send(()).unwrap();
    assert_eq!(pair.session.await.unwrap(), Ended::Stopped);
    assert_eq!(start.elapsed(), 2 * Config::default().close_timeout);
    drop((pair.server, pair.client));
}

#[tokio::test(start_paused = true)]
async fn when_the_server_closes_the_session_ends_with_the_reason() {
    let mut pair = join(Config::default());
    pair.client.tx.send(call(1)).await.unwrap();
    text(pair.server.rx.recv().await);
    let why = Fault::PeerClosed {
        peer: "server".into(),
        why: "exit status 1".into(),
    };
    pair.server
        .tx
        .send(Inbound::Closed(why.clone()))
        .await
        .unwrap();
    drop(pair.server);
    assert!(text(pair.client.rx.recv().await).contains("exit status 1"));
    drop(pair.client);
    assert_eq!(pair.session.await.unwrap(), Ended::BackClosed(why));
}

/// Takes a second for every answer.
struct Thorough;

impl Layer for Thorough {
    fn on(&mut self, way: Way, envelope: Envelope, _: Instant) -> Verdict {
        match way {
            Way::ToFront => Verdict::Detour(Box::pin(async move {
                sleep(Duration::from_secs(1)).await;
                envelope
            })),
            Way::ToBack => Verdict::Pass(envelope),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_a_layer_is_busy_with_outlives_its_server() {
    let mut pair = join_with(Config::default(), vec![Box::new(Thorough)]);
    pair.client.tx.send(call(1)).await.unwrap();
    let Some(Outbound::One(asked)) = pair.server.rx.recv().await else {
        panic!()
    };
    let answer = Message::result(&asked.msg.id().unwrap(), "{}");
    pair.server.tx.send(inbound(answer)).await.unwrap();
    drop(pair.server);
    let answered = text(pair.client.rx.recv().await);
    assert_eq!(answered, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    drop(pair.client);
    assert!(matches!(pair.session.await.unwrap(), Ended::BackClosed(_)));
}

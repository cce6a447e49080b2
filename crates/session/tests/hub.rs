//! Several askers on one session.

use std::time::Duration;

use linkspan_session::{Asker, Config, Envelope, Hub, Inbound, Outbound, Port, Session};
use linkspan_wire::Message;

#[tokio::test]
async fn a_subscription_ended_by_cancelled_ends_for_its_asker() {
    let (hub, front) = Hub::new("x", 8);
    let (back, mut end) = Port::pair("server", 8);
    let s = Session::new(Config::default(), front, back, vec![]);
    tokio::spawn(async move { s.run(std::future::pending()).await });
    let m = |t: &str| Message::parse(t.to_owned().into()).unwrap();
    let mut a = hub.ask(Envelope::new(m(r#"{"jsonrpc":"2.0","id":"mine","method":"subscriptions/listen","params":{"notifications":{}}}"#)), Asker(1)).await.unwrap();
    let Some(Outbound::One(sent)) = end.rx.recv().await else {
        panic!()
    };
    let hop = sent.msg.id().unwrap();
    end.tx.send(Inbound::Message(Envelope::new(m(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{hop}}}}}"#))))).await.unwrap();
    let mut got = Vec::new();
    while let Ok(Some(e)) = tokio::time::timeout(Duration::from_millis(300), a.rx.recv()).await {
        got.push(e.msg.text());
    }
    assert_eq!(hub.in_flight(), 0, "never over; got {got:?}");
    assert!(got.iter().all(|t| t.contains("mine")), "{got:?}");
}

/// A hub in front of a server that the test plays.
struct Shared {
    hub: Hub,
    end: linkspan_session::PortEnd,
}

impl Shared {
    fn new() -> Self {
        let (hub, front) = Hub::new("clients", 8);
        let (back, end) = Port::pair("server", 8);
        let session = Session::new(Config::default(), front, back, vec![]);
        tokio::spawn(async move { session.run(std::future::pending()).await });
        Self { hub, end }
    }

    /// Sends a request that wants logs, and waits until it has reached the server.
    async fn ask(&mut self, asker: u64, method: &str) -> linkspan_session::Asking {
        let meta = r#"{"io.modelcontextprotocol/logLevel":"debug"}"#;
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":{asker},"method":"{method}","params":{{"_meta":{meta}}}}}"#
        );
        let msg = Message::parse(text.into()).expect("a message");
        let asking = self
            .hub
            .ask(Envelope::new(msg), Asker(asker))
            .await
            .expect("the session runs");
        self.end.rx.recv().await.expect("the request arrives");
        asking
    }

    async fn log(&mut self) {
        let text = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;
        let msg = Message::parse(text.into()).expect("a message");
        let log = Inbound::Message(Envelope::new(msg));
        self.end.tx.send(log).await.expect("the session listens");
    }
}

/// Whether a log message arrives. The clock is paused, so this waits for all pending tasks.
async fn heard(asking: &mut linkspan_session::Asking) -> bool {
    tokio::time::timeout(Duration::from_secs(1), asking.rx.recv())
        .await
        .is_ok()
}

#[tokio::test(start_paused = true)]
async fn a_log_message_that_names_no_request_reaches_a_principal_that_is_alone() {
    let mut shared = Shared::new();
    let _listening = shared.ask(2, "subscriptions/listen").await;
    let mut alice = shared.ask(1, "tools/call").await;
    shared.log().await;
    assert!(heard(&mut alice).await, "no other call is under way");
    let mut newest = shared.ask(1, "tools/call").await;
    let _listening = shared.ask(1, "subscriptions/listen").await;
    shared.log().await;
    assert!(heard(&mut newest).await, "a subscription hears no logs");
}

#[tokio::test(start_paused = true)]
async fn a_log_message_that_names_no_request_reaches_no_one_where_two_principals_could_be_meant() {
    let mut shared = Shared::new();
    let mut alice = shared.ask(1, "tools/call").await;
    let mut bob = shared.ask(2, "tools/call").await;
    shared.log().await;
    assert!(!heard(&mut alice).await && !heard(&mut bob).await);
    // A server may still log about a request that was just cancelled.
    drop(bob);
    shared.log().await;
    assert!(!heard(&mut alice).await);
    tokio::time::sleep(Duration::from_secs(11)).await;
    shared.log().await;
    assert!(heard(&mut alice).await);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_was_dropped_before_it_was_sent_leaves_no_state() {
    let (hub, mut front) = Hub::new("x", 1);
    let ask = |id: u32| {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#);
        hub.ask(
            Envelope::new(Message::parse(text.into()).unwrap()),
            Asker(1),
        )
    };
    let _first = ask(1).await.unwrap();
    for id in 2..10 {
        let waiting = tokio::time::timeout(Duration::from_secs(1), ask(id)).await;
        assert!(waiting.is_err(), "the session takes nothing");
    }
    assert_eq!(hub.in_flight(), 1);
    assert!(matches!(front.rx.recv().await, Some(Inbound::Message(_))));
    let more = tokio::time::timeout(Duration::from_secs(1), front.rx.recv()).await;
    assert!(more.is_err(), "{more:?}");
}
